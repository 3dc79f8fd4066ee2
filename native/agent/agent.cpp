// SPDX-License-Identifier: Apache-2.0
#include "agent.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "generated/answers.hpp"
#include "generated/events.hpp"
#include "process/privileges.hpp"
#include "protocol/low_ports.hpp"

namespace fairlead::agent {
namespace {

constexpr double kStatsPeriod_s = 1.0;
/// What is reported may wait so much longer for a wake that something else needs. Resting agents wake about so often.
constexpr double kReportSlack_s = 0.25;
/// Between samples of congested or rerouted pairs' latencies; every so many samples, those of all pairs in use.
constexpr double kLatencyPeriod_s = 0.25;
constexpr int kAllPairsEvery = 4;
constexpr double kClockPeriod_s = 5.0;
/// Between clock exchanges with a peer where the controller does not probe in the background. The longer they go on,
/// the better the drift is known.
constexpr double kClockExchange_s = 1.0;
/// Of more hosts than these, each has its turn as much more rarely.
constexpr core::HostId kClockPeers = 16;
constexpr double kClockAnswer_s = 0.5;
/// Of a core that an agent that carries messages may take before programs for long: that is work of theirs.
constexpr double kRelayShare = 0.25;

/// Grows from start to start, as the replay window wants it. Not shifted by a clock test.
std::uint64_t new_boot_id() {
    return static_cast<std::uint64_t>(read_clock_ns(CLOCK_REALTIME));
}

nlohmann::json told(const guardian::LowPorts& ports) {
    switch (ports.whom) {
        case guardian::LowPorts::For::root:
            return nullptr;
        case guardian::LowPorts::For::everybody:
            return ports.first;
        case guardian::LowPorts::For::not_known:
            break;
    }
    return "not known";
}

/// What the supervisor acts on, and what a user is waiting for. An agent that is killed has told it.
bool is_prompt(const Event& said) {
    return std::holds_alternative<ReroutedEvent>(said) || std::holds_alternative<RestoredEvent>(said) ||
           std::holds_alternative<PlaneLostEvent>(said) || std::holds_alternative<LogEvent>(said);
}

RankCounts counts_of(const relay::ToldCounts& told) {
    static_assert(relay::kToldCounts.size() == 10);
    return {told[0], told[1], told[2], told[3], told[4], told[5], told[6], told[7], told[8], told[9]};
}

}  // namespace

Agent::Agent(EventLoop& loop, Output& output, Config config)
    : loop_(loop),
      output_(output),
      config_(std::move(config)),
      clock_(config_.clock_test),
      rejections_(loop, [this](const RejectedEvent& rejected) { event(rejected); }),
      channel_(loop, config_, clock_, rejections_, config_.boot_id.value_or(new_boot_id())),
      prober_(loop, channel_, clock_, config_.host_count()),
      service_(loop, config_, clock_, rejections_),
      measurements_(config_, service_, prober_, output),
      route_(loop, config_),
      plane_(&route_),
      announcer_(config_, channel_),
      boots_(config_.host_count()) {
    manage_ = parse_manage(config_, monotonic_s());
    config_.manage = nullptr;
    route_.set_ways(manage_->controller.settings.ways.count);
    scheduling_ = raise_scheduling();
    route_.start();  // the guardian is scheduled as the agent is
    keep_for_this_thread(scheduling_);
    drop_privileges();
    channel_.on_message([this](const Opened& opened, std::int64_t received_ns) { on_message(opened, received_ns); });
    if (config_.relay) start_relaying();
}

void Agent::start_relaying() {
    relay_.emplace(
        loop_,
        RelaySetup{config_.self, config_.host_count(), config_.relay->directory, config_.uid,
                   config_.relay->capacity_B},
        [this](core::HostId peer, Hop hop, RelayPlane::Dialled done) {
            service_.open_stream(peer, hop, std::move(done));
        },
        [this](const std::string& text) {
            event(LogEvent{LogLevel::warning, text});
        });
    plane_ = &*relay_;
    service_.on_stream([this](core::HostId from, Hop hop, Link link) { relay_->accept(from, hop, std::move(link)); });
    announce_ranks();
}

void Agent::announce_ranks() {
    announcer_.announce(relay_->world(), relay_->ranks(), monotonic_s());
    loop_.after(RankAnnouncer::kPeriod_s, [this] { announce_ranks(); });
}

void Agent::start() {
    if (relay_) return start_managing({});
    route_.set_up(
        channel_, [this](const std::string& error) { start_managing(error); },
        [this](const std::string& reason) { on_plane_lost(reason); });
}

void Agent::start_managing(const std::string& plane_error) {
    if (stopping_) return;
    const core::Settings settings = manage_->controller.settings;
    manager_.emplace(loop_, config_, clock_, channel_, prober_, *plane_, std::move(*manage_),
                     Precedence(scheduling_, relay_ ? kRelayShare : settings.processor.share),
                     [this](const Event& said) { event(said); });
    output_.answer(line_of(ReadyAnswer{.pid = static_cast<std::uint64_t>(getpid()),
                                       .version = FAIRLEAD_VERSION,
                                       .interface = interface_with(config_.own().address),
                                       .plane = std::string(plane_error.empty() ? plane_->name() : "none"),
                                       .plane_reason = plane_error,
                                       .low_port = told(guardian::low_ports()),
                                       .scheduling = scheduling_}));
    ready_ = true;
    report_stats();  // the zero of what is counted while the program runs
    loop_.after(
        kLatencyPeriod_s, [this] { report_latencies(1); }, kReportSlack_s);
    loop_.after(
        kClockPeriod_s, [this] { report_clocks(); }, kReportSlack_s);
    if (!manager_->automatic()) keep_clocks(0);
    if (!config_.rings.empty()) {
        messages_.emplace(
            loop_, config_, clock_, channel_, prober_, settings, [this](const Event& said) { event(said); },
            [this](const core::NetworkTime& time) { manager_->on_message_time(time); });
    }
}

void Agent::on_plane_lost(const std::string& reason) {
    event(PlaneLostEvent{reason});
    if (manager_) manager_->on_plane_lost();
}

void Agent::event(const Event& said) {
    nlohmann::json line = line_of(said);
    line["t_s"] = clock_.now_s();
    output_.event(line, is_prompt(said));
}

void Agent::on_message(const Opened& opened, std::int64_t received_ns) {
    if (relay_ && std::exchange(boots_[opened.sender], opened.boot_id) != opened.boot_id) announcer_.again();
    if (const auto* here = std::get_if<core::wire::RanksHere>(&opened.message); here != nullptr && relay_) {
        relay_->place(opened.sender, here->world, here->ranks);
    }
    if (const auto* probe = std::get_if<core::wire::Probe>(&opened.message)) {
        prober_.on_probe(opened.sender, *probe, received_ns);
    } else if (const auto* reply = std::get_if<core::wire::ProbeReply>(&opened.message)) {
        prober_.on_reply(opened.sender, *reply, received_ns);
    } else if (messages_ && messages_->on_message(opened.sender, opened.message)) {
        return;
    } else if (manager_) {
        manager_->on_message(opened.sender, opened.boot_id, opened.message, received_ns);
    }
}

void Agent::on_line(std::string_view line) {
    if (stopping_) return;
    try {
        run(parse_command(line, config_.self, config_.host_count()));
    } catch (const CommandError& error) {
        measurements_.fail(error.id, error.what());
    }
}

void Agent::run(const Command& command) {
    struct Runner {
        Agent& agent;
        void operator()(const PingpongCommand& c) const { agent.measurements_.start(c); }
        void operator()(const BulkCommand& c) const { agent.measurements_.start(c); }
        void operator()(const ProbeCommand& c) const { agent.measurements_.start(c); }
        void operator()(const RerouteCommand& c) const {
            if (!agent.manager_) return agent.acknowledge(c.id, "the agent is not ready yet");
            agent.manager_->reroute(c.peer, c.relay, [a = &agent, id = c.id](const auto& e) { a->acknowledge(id, e); });
        }
        void operator()(const RerouteByWayCommand& c) const {
            if (!agent.manager_) return agent.acknowledge(c.id, "the agent is not ready yet");
            agent.manager_->reroute_by_way(c.peer, static_cast<int>(c.way),
                                           [a = &agent, id = c.id](const auto& e) { a->acknowledge(id, e); });
        }
        void operator()(const RestoreCommand& c) const {
            if (!agent.manager_) return agent.acknowledge(c.id, "the agent is not ready yet");
            agent.manager_->restore(c.peer, [a = &agent, id = c.id](const auto& e) { a->acknowledge(id, e); });
        }
        void operator()(const SharesCommand& c) const {
            if (!agent.manager_) return agent.acknowledge(c.id, "the agent is not ready yet");
            agent.manager_->learn(c.shares);
            agent.acknowledge(c.id, "");
        }
        void operator()(const PauseCommand& c) const {
            if (!agent.manager_) return agent.acknowledge(c.id, "the agent is not ready yet");
            agent.manager_->pause(c.for_s);
            agent.acknowledge(c.id, "");
        }
        void operator()(const ProgressCommand& c) const {
            if (!agent.manager_) return agent.acknowledge(c.id, "the agent is not ready yet");
            const Manager::Progress progress = agent.manager_->progress();
            agent.output_.answer(
                line_of(ProgressAnswer{c.id, progress.delivered_B, static_cast<std::uint64_t>(progress.detours)}));
        }
        void operator()(const StepClockCommand& c) const {
            agent.clock_.step(c.offset_s);
            agent.acknowledge(c.id, "");
        }
        void operator()(const LeaseCommand&) const {}  // whatever is said shows that the supervisor is there
        void operator()(const StopCommand&) const { agent.stop(true); }
    };
    std::visit(Runner{*this}, command);
}

void Agent::acknowledge(std::int64_t id, const std::string& error) {
    if (!error.empty()) return measurements_.fail(id, error);
    output_.answer(line_of(DoneAnswer{id}));
}

void Agent::report_stats() {
    if (clock_.take_step()) manager_->on_clock_stepped();
    StatsEvent stats{.cpu_s = cpu_time_s(),
                     .rss_B = resident_B(),
                     .packets_sent = channel_.packets_sent(),
                     .bytes_sent = channel_.bytes_sent(),
                     .send_failures = channel_.send_failures(),
                     .probes_sent = prober_.sent(),
                     .pairs_in_use = static_cast<std::uint64_t>(manager_->pairs_in_use()),
                     .events_dropped = output_.dropped()};
    if (relay_) {
        stats.relay = relay_->counts();
        stats.relay->ranks = counts_of(relay_->told());
    }
    event(stats);
    loop_.after(
        kStatsPeriod_s, [this] { report_stats(); }, kReportSlack_s);
}

void Agent::report_latencies(int number) {
    manager_->report_latencies(number % kAllPairsEvery == 0);
    loop_.after(
        kLatencyPeriod_s, [this, number] { report_latencies(number + 1); }, kReportSlack_s);
}

void Agent::report_clocks() {
    ClockEvent clocks;
    for (core::HostId host = 0; host < config_.host_count(); ++host) {
        const auto estimate = prober_.peer_clock(host).at(clock_.now_ns());
        if (host == config_.self || !estimate) continue;
        if (config_.host_count() > kClockPeers && !manager_->uses(host)) continue;
        clocks.peers.push_back({host, estimate->offset_s, estimate->drift, estimate->error_s});
    }
    if (!clocks.peers.empty()) event(clocks);
    loop_.after(
        kClockPeriod_s, [this] { report_clocks(); }, kReportSlack_s);
}

/// One peer at a time, so that the exchanges of a large job do not come in bursts.
void Agent::keep_clocks(core::HostId next) {
    if (next != config_.self) prober_.burst(next, 1, 0.0, kClockAnswer_s, [](const ProbeOutcome&) {});
    const auto peers = static_cast<double>(std::min(config_.host_count(), kClockPeers));
    loop_.after(kClockExchange_s / peers,
                [this, next] { keep_clocks(static_cast<core::HostId>((next + 1) % config_.host_count())); });
}

void Agent::stop(bool answer) {
    if (stopping_) return;
    stopping_ = true;
    if (messages_) messages_->stop();
    if (relay_) report_stats();  // what the ranks told last
    if (manager_) {
        manager_->stop([this, answer] { end(answer); });
    } else {
        end(answer);
    }
}

void Agent::end(bool answer) {
    const std::string error = plane_->tear_down();
    // Who hears it removes what is left.
    if (!error.empty()) event(PlaneLostEvent{"withdrawing routes: " + error});
    if (answer) output_.answer(line_of(StoppedAnswer{}));
    loop_.stop();
}

}  // namespace fairlead::agent
