// SPDX-License-Identifier: Apache-2.0
#include "measure/measurements.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "generated/answers.hpp"
#include "generated/events.hpp"

namespace fairlead::agent {
namespace {

/// Exchanges before and after a ping-pong: the fastest of them bound the clock's error during it.
constexpr int kClockExchanges = 8;
constexpr double kClockSpacing_s = 0.002;
constexpr double kClockTimeout_s = 0.25;
/// How long an answer to a probe may take before the probe is lost.
constexpr double kProbeTimeout_s = 1.0;

}  // namespace

struct Measurements::ProbeRun {
    struct Peer {
        core::HostId peer = core::kNoHost;
        int sent = 0;
        std::vector<core::Exchange> answered;
    };
    std::int64_t id = 0;
    std::vector<Peer> peers;
    int outstanding = 0;
};

void Measurements::fail(std::optional<std::int64_t> id, const std::string& reason) {
    if (id) {
        output_.answer(line_of(FailedAnswer{*id, reason}));
    } else {
        output_.event(line_of(LogEvent{LogLevel::error, reason}), true);
    }
}

void Measurements::synchronise(core::HostId peer, std::function<void()> then) {
    auto left = std::make_shared<int>(kClockExchanges);
    prober_.burst(peer, kClockExchanges, kClockSpacing_s, kClockTimeout_s,
                  [left, then = std::move(then)](const ProbeOutcome&) {
                      if (--*left == 0) then();
                  });
}

void Measurements::start(const PingpongCommand& command) {
    synchronise(command.peer, [this, command] {
        service_.pingpong(command, [this, command](const auto& result) {
            if (const auto* failure = std::get_if<MeasurementFailure>(&result))
                return fail(command.id, failure->reason);
            const auto& samples = std::get<std::vector<PingPongSamples>>(result);
            synchronise(command.peer, [this, command, samples] { answer(command, samples); });
        });
    });
}

void Measurements::answer(const PingpongCommand& command, const std::vector<PingPongSamples>& samples) {
    const core::ClockSync& clock = prober_.peer_clock(command.peer);
    PingpongAnswer told{.id = command.id, .peer = command.peer};
    for (const PingPongSamples& size : samples) {
        PingpongResult result{size.size_B, size.round_trip_s, {}};
        for (std::size_t i = 0; i < size.sent_ns.size(); ++i) {
            const auto estimate = clock.at(size.sent_ns[i]);
            if (!estimate) {
                return fail(command.id, config_.hosts[command.peer].label() +
                                            ": no clock exchange over UDP succeeded, so one-way times are unknown");
            }
            told.clock_error_s = std::max(told.clock_error_s, estimate->error_s);
            result.forward_s.push_back(*clock.forward_s(size.sent_ns[i], size.received_ns[i]));
        }
        told.results.push_back(std::move(result));
    }
    output_.answer(line_of(told));
}

void Measurements::start(const BulkCommand& command) {
    service_.bulk(command, [this, command](const auto& result) {
        if (const auto* failure = std::get_if<MeasurementFailure>(&result)) return fail(command.id, failure->reason);
        const auto& bulk = std::get<BulkResult>(result);
        output_.answer(line_of(BulkAnswer{command.id, command.peer, bulk.bytes_B, bulk.duration_s, bulk.rate_bps}));
    });
}

void Measurements::start(const ProbeCommand& command) {
    auto run = std::make_shared<ProbeRun>();
    run->id = command.id;
    const int count = static_cast<int>(command.count);
    run->outstanding = count * static_cast<int>(command.peers.size());
    for (const core::HostId peer : command.peers) run->peers.push_back({peer, count, {}});
    for (std::size_t i = 0; i < command.peers.size(); ++i) {
        prober_.burst(command.peers[i], count, command.interval_s, kProbeTimeout_s,
                      [this, run, i](const ProbeOutcome& outcome) {
                          if (!outcome.lost) run->peers[i].answered.push_back(outcome.exchange);
                          if (--run->outstanding == 0) answer(*run);
                      });
    }
}

void Measurements::answer(const ProbeRun& run) {
    if (std::all_of(run.peers.begin(), run.peers.end(), [](const auto& peer) { return peer.answered.empty(); })) {
        std::string silent;
        for (const auto& peer : run.peers) silent += (silent.empty() ? "" : ", ") + config_.hosts[peer.peer].label();
        return fail(run.id, "no probe was answered within 1 s by " + silent);
    }
    ProbeAnswer told{.id = run.id, .results = {}};
    for (const auto& peer : run.peers) {
        const core::ClockSync& clock = prober_.peer_clock(peer.peer);
        ProbeResult result{.peer = peer.peer, .sent = static_cast<std::uint64_t>(peer.sent)};
        for (const core::Exchange& exchange : peer.answered) {
            const double round_trip_s =
                static_cast<double>((exchange.t4_ns - exchange.t1_ns) - (exchange.t3_ns - exchange.t2_ns)) * 1e-9;
            const double forward_s = *clock.forward_s(exchange.t1_ns, exchange.t2_ns);
            result.round_trip_s.push_back(round_trip_s);
            result.forward_s.push_back(forward_s);
            result.backward_s.push_back(round_trip_s - forward_s);
            result.clock_error_s = std::max(result.clock_error_s.value_or(0.0), clock.at(exchange.t1_ns)->error_s);
        }
        told.results.push_back(std::move(result));
    }
    output_.answer(line_of(told));
}

}  // namespace fairlead::agent
