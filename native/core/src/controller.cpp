// SPDX-License-Identifier: Apache-2.0
// Hands events to the parts of the controller, and collects what they ask for.
#include "fairlead/core/controller.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "job.hpp"
#include "learning/learning.hpp"
#include "outbox.hpp"
#include "paths/paths.hpp"
#include "peers/peers.hpp"
#include "reroutes/reroutes.hpp"
#include "roles/load_reports.hpp"
#include "roles/notices.hpp"
#include "roles/relay_role.hpp"
#include "traffic/traffic.hpp"

namespace fairlead::core {

namespace {

constexpr double kLargestWeight = 1e15;  // sums of weights and times stay finite

ControllerConfig checked(ControllerConfig config) {
    if (config.host_count < 1 || config.host_count > kMaxHosts || config.self >= config.host_count) {
        throw std::invalid_argument("controller: host " + std::to_string(config.self) + " of " +
                                    std::to_string(config.host_count) + " cannot be");
    }
    if (config.base.host_count() != config.host_count || config.sharing.host_count() != config.host_count) {
        throw std::invalid_argument("controller: base or sharing relation is of another number of hosts");
    }
    if (config.ways < 0 || config.ways > kMaxWays) {
        throw std::invalid_argument("controller: " + std::to_string(config.ways) + " ways cannot be");
    }
    if (const auto mistake = validate(config.settings)) throw std::invalid_argument("controller: " + *mistake);
    return config;
}

/// A relay's budget: the given one, or a share of the best throughput measured from this host; 0: unknown.
double relay_budget_bps(const ControllerConfig& config) {
    if (config.settings.relay.budget_bps > 0.0) return config.settings.relay.budget_bps;
    double best = 0.0;
    for (HostId host = 0; host < config.host_count; ++host) {
        best = std::max(best, config.base.throughput_bps(Pair{config.self, host}).value_or(0.0));
    }
    return config.settings.relay.budget_share * best;
}

/// A time that cannot be is no answer.
ProbeResult plausible_result(ProbeResult result) {
    result.lost = result.lost || !plausible(result.round_trip_s) || !plausible(result.forward_queue_s) ||
                  !plausible(result.backward_queue_s) || !std::isfinite(result.sent_at);
    if (!plausible(result.peer_run_delay_s)) result.peer_run_delay_s = 0.0;
    return result;
}

}  // namespace

/// Events go down to the parts in the order in which they are declared; what they ask for is in the outbox.
class Controller::State {
  public:
    explicit State(const ControllerConfig& config);

    std::vector<Action> on(const Event& event, Time now);
    Time next_wakeup() const;
    PathView view(HostId peer) const;
    int pairs_in_use() const { return traffic_.pairs_in_use(now_); }
    int detours() const { return reroutes_.detours(); }
    std::uint64_t delivered_B() const { return traffic_.delivered_B(); }
    const std::set<HostId>& partners() const { return traffic_.partners(); }

  private:
    void handle(const SocketSample& sample);
    void handle(const ProbeResult& result);
    void handle(const Received& received);
    void handle(const ClockStepped& step);
    void handle(const Tick& tick);
    void handle(const EchoLeft& left);
    void handle(const ManualReroute& reroute);
    void handle(const ManualRestore& back);
    void handle(const Pause& pause);
    void handle(const PairMix& mix);
    void handle(const SharingChanged& change) { paths_.set_sharing(change.sharing); }
    void handle(const MessageTime& time);
    void handle(const InterfaceBusy& busy);
    void handle(const PlaneLost&);
    void handle(const Stop&);
    template <typename Answer>
    requires requires(Reroutes& reroutes, const Answer& answer) { reroutes.on_guardian(answer); }
    void handle(const Answer& answer) {
        if (job_.other(answer.destination)) reroutes_.on_guardian(answer);
    }

    void answer(HostId from, const wire::Hello& hello);
    void answer(HostId from, const wire::Goodbye&);
    void answer(HostId from, const wire::PathQuery& query) { relay_role_.answer(from, query, now_, out_); }
    void answer(HostId from, const wire::PathReport& report);
    void answer(HostId from, const wire::Notice& notice);
    void answer(HostId from, const wire::LoadQuery& query);
    void answer(HostId from, const wire::LoadReport& report);
    void answer(HostId from, const wire::RelayRequest& request) { relay_role_.answer(from, request, now_, out_); }
    void answer(HostId from, const wire::RelayGrant& grant);
    void answer(HostId from, const wire::RelayRefuse& refuse);
    void answer(HostId from, const wire::RelayRelease& release) { relay_role_.answer(from, release); }
    void answer(HostId from, const wire::Heartbeat& beat);
    void answer(HostId from, const wire::Echo& echo) { relay_role_.answer(from, echo, out_); }
    void answer(HostId from, const wire::EchoReply& reply, std::optional<Time> free_departure);
    void answer(HostId, const wire::Probe&) {}       // the agent's
    void answer(HostId, const wire::ProbeReply&) {}  // the agent's
    void answer(HostId, const wire::SendQuery&) {}   // the message monitor's
    void answer(HostId, const wire::SendReport&) {}  // the message monitor's
    void answer(HostId, const wire::RanksHere&) {}   // the message monitor's

    void advance();
    Time next_due() const;
    void on_burst(const Burst& burst);
    void answer_loads(bool sampled);

    Job job_;
    Random random_;
    Outbox out_;
    Paths paths_;
    Traffic traffic_;
    Peers peers_;
    RelayRole relay_role_;
    LoadReports load_reports_;
    Notices notices_;
    Learning learning_;
    Reroutes reroutes_;
    bool started_ = false;
    bool stopping_ = false;
    Time now_ = 0.0;
    mutable std::optional<Time> next_;  ///< the next wake-up, once it was asked for since the last event
};

Controller::Controller(ControllerConfig config) : state_(std::make_unique<State>(checked(std::move(config)))) {}
Controller::~Controller() = default;
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;

std::vector<Action> Controller::on(const Event& event, Time now) {
    return state_->on(event, now);
}
Time Controller::next_wakeup() const {
    return state_->next_wakeup();
}
PathView Controller::view(HostId peer) const {
    return state_->view(peer);
}
int Controller::pairs_in_use() const {
    return state_->pairs_in_use();
}
int Controller::detours() const {
    return state_->detours();
}
std::uint64_t Controller::delivered_B() const {
    return state_->delivered_B();
}
const std::set<HostId>& Controller::partners() const {
    return state_->partners();
}

Controller::State::State(const ControllerConfig& config)
    : job_{config.self,   config.host_count, config.salt,     config.automatic,
           config.proves, config.learns,     config.settings, config.proves ? config.ways : 0},
      random_(config.seed),
      paths_(job_, config.base, config.sharing),
      traffic_(job_, paths_, config.link_bps),
      peers_(job_),
      relay_role_(job_, paths_, relay_budget_bps(config), config.can_relay),
      load_reports_(job_),
      notices_(job_, paths_, peers_),
      learning_(job_, paths_, traffic_, peers_),
      reroutes_({job_, paths_, traffic_, peers_, relay_role_, load_reports_}, traffic_, peers_, notices_, learning_,
                random_, out_) {}

std::vector<Action> Controller::State::on(const Event& event, Time now) {
    if (std::isfinite(now)) now_ = started_ ? std::max(now_, now) : now;
    reroutes_.at(now_);
    std::visit([this](const auto& e) { handle(e); }, event);
    next_.reset();
    if (now_ >= next_wakeup()) {
        advance();
        next_.reset();
    }
    started_ = true;
    return out_.take();
}

void Controller::State::handle(const SocketSample& sample) {
    if (!job_.other(sample.peer) || !plausible(sample.srtt_s)) return;
    if (!plausible(sample.min_rtt_s) || !plausible(sample.rto_s)) return;
    const bool in_use = traffic_.active(sample.peer, now_);
    reroutes_.on_sample(sample);
    if (!in_use && traffic_.active(sample.peer, now_)) paths_.probes().meet_now(sample.peer, now_);
}

void Controller::State::handle(const ProbeResult& result) {
    if (!job_.other(result.peer)) return;
    if (const auto done = paths_.probes().on_result(plausible_result(result), now_)) on_burst(*done);
    reroutes_.progress();
}

void Controller::State::handle(const Received& received) {
    const HostId from = received.from;
    if (!job_.other(from)) return;
    if (!std::holds_alternative<wire::Goodbye>(received.message)) peers_.heard_from(from);
    if (std::holds_alternative<wire::Hello>(received.message) && peers_.meet(from, received.boot_id)) {
        relay_role_.forget(from);
        reroutes_.replace_host(from);
        paths_.probes().meet_again(from, now_);
    }
    std::visit(
        [&](const auto& message) {
            if constexpr (std::is_same_v<decltype(message), const wire::EchoReply&>) {
                answer(from, message, received.free_departure);
            } else {
                answer(from, message);
            }
        },
        received.message);
    reroutes_.progress();
}

void Controller::State::handle(const ClockStepped& step) {
    if (job_.other(step.peer)) paths_.probes().meet_again(step.peer, now_);
}

void Controller::State::handle(const Tick& tick) {
    paths_.probes().on_run_delay(plausible(tick.run_delay_s) ? tick.run_delay_s : 0.0);
    traffic_.on_tick(now_);
    reroutes_.set_spare(tick.spare);
    answer_loads(true);
    advance();
}

void Controller::State::handle(const EchoLeft& left) {
    if (job_.other(left.destination)) reroutes_.on_echo_left(left);
}

void Controller::State::handle(const ManualReroute& reroute) {
    const bool way = is_way(reroute.relay) && way_number(reroute.relay) < job_.ways;
    if (!job_.other(reroute.destination) || !(way || job_.other(reroute.relay))) return;
    if (reroute.relay == reroute.destination || stopping_ || !relay_role_.able()) return;
    reroutes_.request_manually(reroute.destination, reroute.relay);
}

void Controller::State::handle(const ManualRestore& back) {
    if (job_.other(back.destination) && !stopping_) reroutes_.request_manually(back.destination, kNoHost);
}

void Controller::State::handle(const Pause& pause) {
    if (plausible(pause.for_s) && !stopping_) reroutes_.pause(now_ + pause.for_s);
}

void Controller::State::handle(const PairMix& mix) {
    if (!job_.other(mix.peer)) return;
    std::vector<SizeShare> sizes;
    for (const SizeShare& share : mix.sizes) {
        if (std::isfinite(share.weight) && share.weight > 0.0 && share.weight <= kLargestWeight) sizes.push_back(share);
    }
    traffic_.set_mix(mix.peer, std::move(sizes));
}

void Controller::State::handle(const MessageTime& time) {
    if (!job_.other(time.source) || !plausible(time.latency_s) || !plausible(time.error_s)) return;
    notices_.on_message(time, now_, out_);
}

void Controller::State::handle(const InterfaceBusy& busy) {
    if (std::isfinite(busy.rate_bps)) relay_role_.on_interface(std::max(busy.rate_bps, 0.0));
}

void Controller::State::handle(const PlaneLost&) {
    relay_role_.disable();
    reroutes_.lose_plane();
}

void Controller::State::handle(const Stop&) {
    if (stopping_) return;
    stopping_ = true;
    for (HostId host = 0; host < job_.hosts; ++host) {
        learning_.finish(host, out_);
        reroutes_.stop(host);
    }
    notices_.stop();
    relay_role_.stop(out_);
    for (HostId host = 0; host < job_.hosts; ++host) {
        if (job_.other(host) && peers_.heard(host)) out_.send(host, wire::Goodbye{});
    }
}

void Controller::State::answer(HostId from, const wire::Hello& hello) {
    peers_.on_hello(from, hello, relay_role_.able(), out_);
    if (peers_.lacks_plane(from)) reroutes_.lose_host(from);
}

void Controller::State::answer(HostId from, const wire::Goodbye&) {
    peers_.lose(from);
    relay_role_.forget(from);
    reroutes_.lose_host(from, true);
}

void Controller::State::answer(HostId from, const wire::LoadQuery& query) {
    if (query.fresh) return load_reports_.ask(from, query.token, now_, out_);
    out_.send(from, wire::LoadReport{query.token, traffic_.load_entries(now_)});
}

void Controller::State::answer(HostId from, const wire::PathReport& report) {
    if (!job_.other(report.destination)) return;
    learning_.on_report(from, report, now_, out_);
    reroutes_.on_report(from, report);
}

void Controller::State::answer(HostId from, const wire::Notice& notice) {
    if (notice.source != job_.self) return notices_.hand_on(from, notice, out_);
    if (!job_.other(notice.destination)) return;
    out_.emit(Noticed{from, Pair{notice.source, notice.destination}, notice.congestion_level, notice.queue_delay_s});
    if (notice.congestion_level != CongestionLevel::low) reroutes_.on_notice(notice);
}

void Controller::State::answer(HostId from, const wire::LoadReport& report) {
    peers_.on_load(from);
    reroutes_.on_load(from, report.token, report.entries);
}

void Controller::State::answer(HostId from, const wire::RelayGrant& grant) {
    if (job_.other(grant.destination)) reroutes_.on_grant(from, grant);
}

void Controller::State::answer(HostId from, const wire::RelayRefuse& refuse) {
    if (job_.other(refuse.destination)) reroutes_.on_refusal(from, refuse);
}

void Controller::State::answer(HostId from, const wire::Heartbeat& beat) {
    if (beat.reply) return peers_.on_beat(from, now_);
    relay_role_.answer_beat(from, beat.uses, now_, out_);
}

void Controller::State::answer(HostId from, const wire::EchoReply& reply, std::optional<Time> free_departure) {
    if (relay_role_.hand_on(from, reply, out_) || reply.source != job_.self) return;
    if (free_departure && !std::isfinite(*free_departure)) free_departure.reset();
    reroutes_.on_echo(reply, free_departure);
}

void Controller::State::advance() {
    for (const Burst& burst : paths_.probes().expire(now_)) on_burst(burst);
    relay_role_.expire(now_);
    answer_loads(false);
    if (!stopping_) {
        peers_.greet(relay_role_.able(), paths_.probes().host_share(), now_, out_);
        if (job_.automatic) paths_.probes().background(now_, out_.actions());
        learning_.advance(now_, random_, out_);
    }
    reroutes_.advance();
}

/// A burst is done: what it says about the paths to and from its peer, and who waits for it.
void Controller::State::on_burst(const Burst& burst) {
    learning_.on_burst(burst, now_, out_);
    paths_.judge(burst, now_, out_);
    notices_.on_burst(burst, now_, out_);
    relay_role_.on_burst(burst, out_);
    reroutes_.on_burst(burst);
}

void Controller::State::answer_loads(bool sampled) {
    if (!load_reports_.any()) return;
    const std::vector<wire::LoadEntry> entries = traffic_.load_entries(now_);
    for (const std::uint32_t token : load_reports_.answer(sampled, entries, now_, out_)) {
        reroutes_.on_load(job_.self, token, entries);
    }
}

Time Controller::State::next_wakeup() const {
    if (!next_) next_ = next_due();
    return *next_;
}

Time Controller::State::next_due() const {
    const bool probing = job_.automatic && !stopping_;
    const Time next = std::min({paths_.probes().next_deadline(probing), relay_role_.next_deadline(),
                                load_reports_.next_deadline(), reroutes_.next_due()});
    return stopping_ ? next : std::min({next, learning_.next_due(), peers_.next_hello()});
}

PathView Controller::State::view(HostId peer) const {
    PathView view;
    if (!job_.other(peer)) return view;
    view.congestion_level = paths_.congestion_level(peer);
    view.queue_delay_s = paths_.probes().forward(peer, now_ - job_.settings.probes.background_period_s).typical_s;
    view.relay = traffic_.relay(peer);
    view.in_use = traffic_.active(peer, now_);
    view.rate_bps = traffic_.rate_bps(peer, now_);
    return view;
}

}  // namespace fairlead::core
