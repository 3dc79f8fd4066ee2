// SPDX-License-Identifier: Apache-2.0
#include "measurements.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fairlead::agent {
namespace {

using nlohmann::json;

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
        output_.answer({{"type", "failed"}, {"id", *id}, {"reason", reason}});
    } else {
        output_.event({{"type", "log"}, {"level", "error"}, {"text", reason}});
    }
}

void Measurements::synchronise(core::HostId peer, std::function<void()> then) {
    auto left = std::make_shared<int>(kClockExchanges);
    prober_.burst(peer, kClockExchanges, kClockSpacing_s, kClockTimeout_s,
                  [left, then = std::move(then)](const ProbeOutcome&) {
                      if (--*left == 0) then();
                  });
}

void Measurements::start(const PingPongCommand& command) {
    synchronise(command.peer, [this, command] {
        service_.pingpong(command, [this, command](const auto& result) {
            if (const auto* failure = std::get_if<MeasurementFailure>(&result))
                return fail(command.id, failure->reason);
            const auto& samples = std::get<std::vector<PingPongSamples>>(result);
            synchronise(command.peer, [this, command, samples] { answer(command, samples); });
        });
    });
}

void Measurements::answer(const PingPongCommand& command, const std::vector<PingPongSamples>& samples) {
    const core::ClockSync& clock = prober_.peer_clock(command.peer);
    double error_s = 0.0;
    auto results = json::array();
    for (const PingPongSamples& size : samples) {
        auto forward_s = json::array();
        for (std::size_t i = 0; i < size.sent_ns.size(); ++i) {
            const auto estimate = clock.at(size.sent_ns[i]);
            if (!estimate) {
                return fail(command.id, config_.hosts[command.peer].label() +
                                            ": no clock exchange over UDP succeeded, so one-way times are unknown");
            }
            error_s = std::max(error_s, estimate->error_s);
            forward_s.push_back(*clock.forward_s(size.sent_ns[i], size.received_ns[i]));
        }
        results.push_back({{"size_B", size.size_B}, {"round_trip_s", size.round_trip_s}, {"forward_s", forward_s}});
    }
    output_.answer({{"type", "pingpong"},
                    {"id", command.id},
                    {"peer", command.peer},
                    {"results", results},
                    {"clock_error_s", error_s}});
}

void Measurements::start(const TrainCommand& command) {
    service_.train(command, [this, command](const auto& result) {
        if (const auto* failure = std::get_if<MeasurementFailure>(&result)) return fail(command.id, failure->reason);
        const auto& train = std::get<TrainResult>(result);
        output_.answer({{"type", "train"},
                        {"id", command.id},
                        {"peer", command.peer},
                        {"bytes", train.bytes_B},
                        {"duration_s", train.duration_s},
                        {"rate_bps", train.rate_bps}});
    });
}

void Measurements::start(const ProbeCommand& command) {
    auto run = std::make_shared<ProbeRun>();
    run->id = command.id;
    run->outstanding = command.count * static_cast<int>(command.peers.size());
    for (const core::HostId peer : command.peers) run->peers.push_back({peer, command.count, {}});
    for (std::size_t i = 0; i < command.peers.size(); ++i) {
        prober_.burst(command.peers[i], command.count, command.interval_s, kProbeTimeout_s,
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
    auto results = json::array();
    for (const auto& peer : run.peers) {
        const core::ClockSync& clock = prober_.peer_clock(peer.peer);
        json entry = {{"peer", peer.peer},
                      {"sent", peer.sent},
                      {"forward_s", json::array()},
                      {"backward_s", json::array()},
                      {"round_trip_s", json::array()},
                      {"clock_error_s", nullptr}};
        double error_s = 0.0;
        for (const core::Exchange& exchange : peer.answered) {
            const double round_trip_s =
                static_cast<double>((exchange.t4_ns - exchange.t1_ns) - (exchange.t3_ns - exchange.t2_ns)) * 1e-9;
            const double forward_s = *clock.forward_s(exchange.t1_ns, exchange.t2_ns);
            entry["round_trip_s"].push_back(round_trip_s);
            entry["forward_s"].push_back(forward_s);
            entry["backward_s"].push_back(round_trip_s - forward_s);
            error_s = std::max(error_s, clock.at(exchange.t1_ns)->error_s);
            entry["clock_error_s"] = error_s;
        }
        results.push_back(std::move(entry));
    }
    output_.answer({{"type", "probe"}, {"id", run.id}, {"results", results}});
}

}  // namespace fairlead::agent
