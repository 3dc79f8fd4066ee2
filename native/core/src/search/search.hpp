// SPDX-License-Identifier: Apache-2.0
// From a suspicion to a choice: look at the path, measure candidates, equal-cost paths and own load side by side,
// judge, choose, ask. What follows from each step is for the caller to do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fairlead/core/choice.hpp"
#include "search/candidate_queries.hpp"
#include "search/leg_load.hpp"
#include "search/load_count.hpp"
#include "search/relay_ask.hpp"
#include "search/search_parts.hpp"
#include "search/way_trials.hpp"
#include "traffic/socket_watch.hpp"

namespace fairlead::core {

class Search {
  public:
    Search(const SearchParts& parts, HostId destination, Suspicion why, Time now);

    /// Asks the relay or way that carried the pair until a pause. What spoke for it is not judged again.
    void resume(HostId relay, Time now, Outbox& out);
    /// A burst on the direct path: is there a standing queue? Where that is likely, the job's own load is counted from
    /// here on: on a congested path each question takes as long as the queue.
    void begin(Time now, Outbox& out);
    /// Measures candidates, the job's own load, and the direct path once more.
    void query(std::size_t turn, const AvoidedRelays& avoided, Time now, Random& random, Outbox& out);
    /// Where probes see no queue and the connections do: measures the equal-cost paths alone. Whether there are any.
    bool query_ways(const AvoidedRelays& avoided, Time now, Outbox& out);

    enum class Step : std::uint8_t {
        waiting,
        no_queue,  ///< a false alarm, unless query_ways()
        queue,     ///< there is one: query()
        measured,  ///< judge() or judge_detour()
        refused    ///< the relay did not answer in time: drop_relay()
    };
    Step advance(Time now, Outbox& out);

    enum class Verdict : std::uint8_t {
        no_queue,
        no_answer,       ///< bytes of hosts that did not answer may explain the queue
        own_load,        ///< the job's own bytes explain it
        maybe_own_load,  ///< they may
        congested,       ///< others do, or the detour is slow: measure() and choose()
        not_slow,        ///< the detour is not, or it is not known
        direct_better    ///< than the detour and all others
    };
    Verdict judge(Time now);
    /// After query_ways(): no_queue where the connections meet none any more, or nothing shows that they take another
    /// path than the probes.
    Verdict judge_unseen(Time now);
    /// The detour itself got slow: the direct path and the other candidates compete with it. `direct_low`: that has
    /// been seen low for long enough.
    Verdict judge_detour(bool direct_low, Time now);

    void measure();
    void take_load(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries, Time now) {
        const bool counted = count_.take(source, token, entries, now);
        leg_load_.take(source, token, counted, entries, now);
    }
    /// Ways come before relays: they cost no host anything.
    Choice choose(std::size_t turn, Random& random) const;
    /// Asks the relay chosen for its grant.
    void ask_relay(const Choice& choice, Time now, Outbox& out);
    /// It said no, or nothing: among the others, then.
    void drop_relay(Outbox& out);

    void take_report(HostId relay, const wire::PathReport& report, Time now) { candidates_.take(relay, report, now); }
    /// An echo that may be one of this search's ways.
    void note_left(const EchoLeft& left, Time now) { ways_.note_left(left, now); }
    /// Whether it is the answer to an echo of this search's ways.
    bool take_echo(const wire::EchoReply& reply, Time now, std::optional<Time> free_departure = {}) {
        return ways_.take(reply, now, free_departure);
    }
    const WayTrials& ways() const { return ways_; }
    LoadCount& count() { return count_; }
    const LoadCount& count() const { return count_; }
    const Evidence& found() const { return found_; }
    /// The question under way; null: none.
    RelayAsk* asked() { return ask_ ? &*ask_ : nullptr; }
    const RelayAsk* asked() const { return ask_ ? &*ask_ : nullptr; }
    HostId relay() const { return decision_.relay; }
    /// The way over the relay that was asked last carries nothing.
    bool relay_broken() const { return ask_ && ask_->broken(); }
    /// What a report says of it.
    const Rerouted& decision() const { return decision_; }
    Time next_due(Time now) const;

  private:
    enum class Phase : std::uint8_t { look, query, ask };
    void look_directly(Time now, Outbox& out);
    Step look(Time now, Outbox& out);
    Step wait_for_answers(Time now, Outbox& out);
    void keep_probing(Time now, Outbox& out);
    bool direct_ready(Time now) const;
    bool extend(Time now);
    DelayWindow::Summary seen() const { return parts_->paths.probes().forward(destination_, found_.since); }
    bool enough(const DelayWindow::Summary& seen) const;
    double needed_share(const DelayWindow::Summary& seen) const;
    double least_bps() const;
    void tell_of_ways(const Choice& way, Choice& choice) const;

    const SearchParts* parts_;
    HostId destination_;
    Suspicion why_;
    Phase phase_ = Phase::look;
    Evidence found_;
    std::uint32_t direct_burst_ = 0;
    int extensions_ = 0;  ///< bursts added because the window was thin or noisy
    Time extended_until_ = 0.0;
    CandidateQueries candidates_;
    WayTrials ways_;
    LoadCount count_;
    LegLoad leg_load_;
    std::vector<MeasuredCandidate> measured_;
    std::vector<MeasuredCandidate> measured_ways_;
    PresentPath present_;
    std::optional<RelayAsk> ask_;
    bool any_refused_ = false;
    bool any_broken_ = false;
    Rerouted decision_;
};

}  // namespace fairlead::core
