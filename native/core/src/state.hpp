// SPDX-License-Identifier: Apache-2.0
// The controller's state and its parts: dispatch (controller.cpp), search for a better path (search.cpp), its end
// where nothing is rerouted (outcome.cpp), the job's own share of a queue (accounting.cpp), life of a detour
// (detour.cpp), the proof that it carries packets (echoes.cpp), answers to peers (answers.cpp), baselines that are
// learnt (learning.cpp).
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "echo_watch.hpp"
#include "fairlead/core/controller.hpp"
#include "fairlead/core/message_level.hpp"
#include "fairlead/core/own_load.hpp"
#include "fairlead/core/random.hpp"
#include "fairlead/core/recurrence.hpp"
#include "learnt_bases.hpp"
#include "probe_desk.hpp"
#include "relay_desk.hpp"
#include "service.hpp"
#include "socket_watch.hpp"

namespace fairlead::core {

/// The proof that a detour carries packets, before anything is rerouted there.
struct PathProof {
    bool carries = false;
    std::uint32_t first_echo = 0;
    std::uint32_t end_echo = 0;  ///< behind the last one's token
    int echoes = 0;
    Time next_echo = 0.0;
};

/// A manual reroute whose detour is tried.
struct ManualTrial {
    HostId relay = kNoHost;
    Time deadline = 0.0;
    PathProof proof;
};

/// A candidate under measurement.
struct Asked {
    HostId relay = kNoHost;
    std::uint32_t token = 0;
    std::uint32_t first_burst = 0;  ///< this host -> relay
    bool answered = false;          ///< the relay reported its leg
    Time answered_at = 0.0;
    LegState second;
    double load = 0.0;
};

/// A time that can be.
inline bool plausible(double delay_s) {
    constexpr double kLongest_s = 3600.0;
    return std::isfinite(delay_s) && delay_s >= 0.0 && delay_s <= kLongest_s;
}

/// From a suspicion to a decision.
struct Search {
    enum class Phase : std::uint8_t {
        look,   ///< a burst on the direct path: is there a standing queue?
        query,  ///< candidates, own load, and the direct path once more
        ask  ///< decided; the relay is asked for its grant, and an echo for the proof that the detour carries packets
    };
    Phase phase = Phase::look;
    Suspicion why = Suspicion::none;
    Time started = 0.0;
    Time queried_at = 0.0;
    std::uint32_t direct_burst = 0;
    double run_delay_s = 0.0;
    int extensions = 0;            ///< bursts added because the window was thin or noisy
    int recounts = 0;              ///< looks at the job's own bytes after the second
    Time count_at = 0.0;           ///< when the next is due
    bool silent = false;           ///< no probe came back, and the sockets stand still
    bool by_rate = false;          ///< no queue, but lost segments and too little throughput
    std::uint32_t load_token = 0;  ///< of the round of load queries under way
    std::vector<HostId> loads_awaited;
    Time loads_deadline = 0.0;
    Time counted_from = 0.0;  ///< when the first round was asked
    bool second_round = false;
    LoadSnapshot loads_first;
    LoadSnapshot loads_second;
    std::vector<std::size_t> path_groups;  ///< of detours, by relay
    std::vector<Asked> asked;
    std::vector<MeasuredCandidate> measured;
    PresentPath present;
    std::uint32_t ask_token = 0;
    Time ask_deadline = 0.0;
    bool granted = false;
    PathProof proof;              ///< over the relay that is asked
    bool broken_detours = false;  ///< one that was granted carried nothing
    Rerouted decision;            ///< what the report will say
};

/// What was asked of the guardian and is not answered yet.
struct Pending {
    bool reroute = false;  ///< else a restoration
    HostId relay = kNoHost;
    RestoreReason reason = RestoreReason::manual;
    Rerouted decision;
};

/// Traffic away from the direct path.
struct Detour {
    HostId relay = kNoHost;
    bool manual = false;
    Time since = 0.0;
    Time next_direct = 0.0;  ///< burst on the direct path
    Time next_legs = 0.0;    ///< check of the two legs
    bool legs_awaited = false;
    std::uint32_t legs_token = 0;
    std::optional<LegState> second;  ///< relay -> destination, as last reported
    EchoWatch echoes;
    std::optional<Time> asked_directly;  ///< since when the destination is, too
};

/// A relay over which a destination was not reached.
struct Avoided {
    HostId relay = kNoHost;
    Time until = 0.0;
};

/// This host's traffic to one destination.
struct Destination {
    explicit Destination(const Settings& settings) : judge(settings.service) {}

    SocketWatch sockets;
    ChangeJudge judge;
    Recurrence uses;
    Time looked_ahead = -1e9;
    std::vector<SizeShare> mix;
    std::optional<Search> search;
    std::optional<Pending> pending;
    std::optional<Detour> detour;
    std::optional<RestoreReason> must_restore;  ///< as soon as nothing is pending
    Time retry_restore = 0.0;
    double restore_backoff_s = 0.0;
    std::vector<Avoided> avoided;
    std::optional<ManualTrial> trial;
    std::optional<HostId>
        manual_request;  ///< reroute (or, kNoHost, restoration) asked for manually while something was pending
    Time next_search = 0.0;
    Time next_relook = 0.0;  ///< of a path that is not low, without any sign from the sockets
    double keep_backoff_s = 0.0;
    double explained_share = 0.0;  ///< own_share when the job's bytes last explained the path's queue
    double told_foreign = 0.0;     ///< others' share on the path's bottleneck, as another pair's search counted it
    Time told_foreign_at = -1e9;
    std::vector<Pair> gave_way_to;  ///< of late: each pair is waited for once
    Time gave_way_at = -1e9;
    double failed_backoff_s = 0.0;
    double dwell_s = 0.0;
    double hold_s = 0.0;
    Time hold_until = 0.0;
    Time last_change = -1e9;  ///< of the route, by the controller itself
    Time last_restore = -1e9;
    Time congested_at = -1e9;       ///< when a search last found a reason to reroute
    bool on_trial = false;          ///< the last change was from the direct path, and bottlenecks are not known
    double vain_hold_s = 0.0;       ///< after the last trial in vain; 0: none since a detour paid
    double delivery_bps = 0.0;      ///< highest delivery rate of a connection on the direct path
    double used_base_s = 0.0;       ///< the learnt baseline that is in the table; 0: none
    std::uint32_t learn_token = 0;  ///< of the last queries about detours' legs that were to learn them
    std::optional<KeepReason> last_keep;
    Time last_keep_report = -1e9;
};

/// What is known of another host's agent.
struct Peer {
    bool heard = false;
    bool down = false;
    bool can_relay = false;
    std::uint64_t boot_id = 0;
    Time next_hello = 0.0;
    Time shunned_until = -1e9;
    Time next_notice = -1e9;
    MessageLevel messages;     ///< from its ranks
    int loads_unanswered = 0;  ///< in a row: after a few it is no longer waited for
    int beats_missed = 0;
    Time next_beat = 0.0;
    Time last_beat = -1e9;  ///< answered
};

/// A load query that waits for fresh samples of the sockets.
struct LoadWaiting {
    HostId from = kNoHost;  ///< this host itself for a search of its own
    std::uint32_t token = 0;
    Time deadline = 0.0;
};

/// A leg that another host asked this one to measure.
struct LegQuery {
    HostId from = kNoHost;
    std::uint32_t token = 0;
    HostId destination = kNoHost;
    std::uint32_t burst = 0;
};

class Controller::State {
  public:
    explicit State(ControllerConfig config);

    std::vector<Action> on(const Event& event, Time now);
    Time next_wakeup() const;
    PathView view(HostId peer) const;
    int pairs_in_use() const;

  private:
    // controller.cpp: events
    void handle(const SocketSample& sample);
    void handle(const ProbeResult& result);
    void handle(const Received& received);
    void handle(const RerouteDone& done);
    void handle(const RerouteFailed& failed);
    void handle(const RestoreDone& done);
    void handle(const RestoreFailed& failed);
    void handle(const ClockStepped& step);
    void handle(const Tick& tick);
    void handle(const ManualReroute& reroute);
    void handle(const ManualRestore& back);
    void handle(const PairMix& mix);
    void handle(const SharingChanged& change);
    void handle(const MessageTime& time);
    void handle(const InterfaceBusy& busy);
    void handle(const PlaneLost&);
    void handle(const Stop&);
    void advance();
    void greet();
    void on_burst(const Burst& burst);
    void judge_path(const Burst& burst);
    // Built in place: gcc 12 takes the moved-from alternatives of a temporary variant for uninitialised.
    template <typename T>
    void emit(const T& action) {
        out_->emplace_back(std::in_place_type<T>, action);
    }
    template <typename T>
    void send(HostId to, const T& message) {
        Send& action = std::get<Send>(out_->emplace_back(std::in_place_type<Send>));
        action.to = to;
        action.message.template emplace<T>(message);
    }
    bool other(HostId host) const { return host < hosts_ && host != self_; }
    Pair path_to(HostId destination) const { return Pair{self_, destination}; }

    // answers.cpp: messages of peers
    void answer(HostId from, const wire::Hello& hello);
    void meet(HostId from, std::uint64_t boot_id);
    void answer(HostId from, const wire::Goodbye&);
    void answer(HostId from, const wire::PathQuery& query);
    void answer(HostId from, const wire::PathReport& report);
    void answer(HostId from, const wire::Notice& notice);
    void answer(HostId from, const wire::LoadQuery& query);
    void answer(HostId from, const wire::LoadReport& report);
    void answer(HostId from, const wire::RelayRequest& request);
    void answer(HostId from, const wire::RelayGrant& grant);
    void answer(HostId from, const wire::RelayRefuse& refuse);
    void answer(HostId from, const wire::RelayRelease& release);
    void answer(HostId from, const wire::Heartbeat& beat);
    void answer(HostId from, const wire::Echo& echo);
    void answer(HostId from, const wire::EchoReply& reply);
    void answer(HostId, const wire::Probe&) {}       // the agent's
    void answer(HostId, const wire::ProbeReply&) {}  // the agent's
    void answer(HostId, const wire::SendQuery&) {}   // the message monitor's
    void answer(HostId, const wire::SendReport&) {}  // the message monitor's
    void answer(HostId, const wire::RanksHere&) {}   // the message monitor's
    void report_leg(const LegQuery& query, const Burst& burst);
    void notify_source(const Burst& burst);
    void send_notice(const wire::Notice& notice);
    void answer_loads(bool sampled);
    std::vector<wire::LoadEntry> own_entries() const;

    // search.cpp
    void suspect(HostId destination, Suspicion why);
    std::optional<Time> ahead_of_use(HostId destination) const;
    void look_ahead(HostId destination);
    double own_share(HostId destination) const;
    bool fills_path(HostId destination) const;
    std::size_t turn(HostId destination) const;
    bool gets_less(HostId destination) const;
    void start_search(HostId destination, Suspicion why);
    void progress(HostId destination);
    void look(HostId destination, Search& search);
    void keep_probing(HostId destination, Search& search);
    void begin_query(HostId destination, Search& search);
    void pick_candidates(HostId destination, Search& search);
    bool answers_complete(const Search& search) const;
    bool direct_ready(HostId destination, const Search& search) const;
    bool extend(HostId destination, Search& search);
    bool same_time(HostId destination, const Search& search, const Asked& asked) const;
    void decide(HostId destination, Search& search);
    void decide_detour(HostId destination, Search& search);
    void measure(HostId destination, Search& search) const;
    void take_or_keep(HostId destination, Search& search);
    void ask_relay(HostId destination, Search& search, HostId relay);
    void take(HostId destination, Search& search);
    void refused(HostId destination, Search& search);
    void avoid_broken(HostId destination, Search& search);
    double base_latency_s(Pair path) const;
    double threshold_s(HostId destination) const;
    double leave_threshold_s(HostId destination) const;
    double bottleneck_bps(HostId destination) const;
    void query(HostId destination, Search& search);
    std::span<const SizeShare> mix_of(HostId destination) const;

    // outcome.cpp
    bool gives_way(HostId destination, const Search& search);
    void keep(HostId destination, KeepReason reason, HostId best, double best_s, std::string detail);
    void clear(HostId destination);
    void tell_siblings(HostId destination, const Search& search, CongestionLevel congestion_level);

    // accounting.cpp
    void ask_loads(HostId destination, Search& search);
    void take_load(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries);
    bool loads_complete(const Search& search) const;
    std::vector<HostId> loads_missing(const Search& search) const;
    bool count_again(HostId destination, Search& search);
    double counted_s(const Search& search) const;
    double busy_s(HostId destination, const Search& search) const;
    std::optional<double> shared_bps(HostId destination, Pair pair) const;
    std::vector<OwnFlow> sharing_flows(HostId destination, const Search& search) const;
    std::vector<FlowRate> largest_flows(HostId destination, const Search& search) const;
    std::optional<Pair> first_to_leave(HostId destination, const Search& search) const;
    double foreign_part(HostId destination, const Search& search) const;
    void hear_foreign(Destination& destination, double share) const;
    double told_foreign(HostId destination) const;

    // detour.cpp
    void reroute(HostId destination, HostId relay, const Rerouted& decision);
    void start_restore(HostId destination, RestoreReason reason);
    void rerouted(HostId destination, const Pending& pending);
    void hold(Destination& destination);
    void heed(Destination& destination, ChangeJudge::Verdict verdict);
    void restored(HostId destination, RestoreReason reason);
    void request_manually(HostId destination, HostId relay);
    void reroute_manually(HostId destination, HostId relay);
    void settle(HostId destination);
    void lose_host(HostId host, bool stopped = false);
    bool reachable(HostId host) const;
    void beat();
    void watch_detour(HostId destination);
    bool ready_to_restore(HostId destination) const;
    double low_for_s(HostId destination) const;
    void check_legs(HostId destination);
    void judge_legs(HostId destination);
    bool fills_detour(HostId destination) const;
    std::optional<double> present_detour_s(HostId destination) const;
    static bool uses(const Destination& destination, HostId relay);
    bool relays_for_us(HostId relay) const;

    // echoes.cpp
    static bool echoes_wanted(const Destination& destination);
    Time next_echo(const Destination& destination) const;
    void watch_echoes(HostId destination);
    void send_echo(HostId destination);
    void lose_detour(HostId destination);
    void watch_sockets(HostId destination);
    void avoid(Destination& destination, HostId relay) const;
    bool avoids(const Destination& destination, HostId relay) const;
    void try_detour(HostId destination, HostId relay, PathProof& proof);
    void try_chosen(HostId destination, Search& search);
    Time next_trial(const Search& search) const;
    void try_manually(HostId destination);

    // learning.cpp
    void learn_paths();
    void learn_path(HostId destination);
    void learn(const Burst& burst);
    void learn(HostId relay, const wire::PathReport& report);
    void use_learnt(HostId destination);
    void tell_learnt(HostId destination, bool end);
    void learn_rate(Destination& destination, const SocketSample& sample);
    void learn_link();
    bool waits_for_trial(HostId destination, const Choice& choice);
    void end_trial(HostId destination, ChangeJudge::Verdict verdict);

    Settings settings_;
    HostId self_;
    HostId hosts_;
    BaseTable base_;
    SharingRelation sharing_;
    Random random_;
    std::size_t salt_;
    bool automatic_;
    bool can_relay_;
    bool proves_;
    bool learns_;
    double link_bps_;  ///< the highest rate that was seen to leave this host; 0: unknown
    bool stopping_ = false;

    ProbeDesk probes_;
    LearntBases learnt_;
    RelayDesk relay_desk_;
    std::vector<Destination> destinations_;
    std::vector<Peer> peers_;
    std::vector<LegQuery> leg_queries_;
    std::vector<LoadWaiting> load_queries_;
    std::uint32_t next_token_ = 1;
    Time now_ = 0.0;
    bool started_ = false;
    std::vector<Action>* out_ = nullptr;
};

}  // namespace fairlead::core
