// SPDX-License-Identifier: Apache-2.0
// The equal-cost paths to one destination: an echo by each, several times, shows which carry packets and how long their
// queues are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detours/avoided_relays.hpp"
#include "detours/echo_watch.hpp"
#include "fairlead/core/choice.hpp"
#include "fairlead/core/events.hpp"
#include "search/search_parts.hpp"

namespace fairlead::core {

class WayTrials {
  public:
    WayTrials(const SearchParts& parts, HostId destination) : parts_(&parts), destination_(destination) {}

    /// Begins to try all that are not avoided, if this host and the destination have a data plane.
    void ask(const AvoidedRelays& avoided, Time now, Outbox& out);
    /// Sends the echoes that are due.
    void advance(Time now, Outbox& out);
    /// If it is one of these echoes, its time counts from now on, and no longer from when it was asked for.
    void note_left(const EchoLeft& left, Time now);
    /// Whether it is the answer to one of these echoes; if so it is taken. `free_departure`: see Received.
    bool take(const wire::EchoReply& reply, Time now, std::optional<Time> free_departure = {});

    bool empty() const { return tried_.empty(); }
    /// Whether all echoes were answered, or have had their time.
    bool complete(Time now) const;
    /// Those by which most echoes came back, by the slowest of them: a queue may be empty for a moment.
    std::vector<MeasuredCandidate> measure() const;
    /// Those by which none came back.
    std::vector<HostId> silent() const;
    /// Whether these are all that were tried.
    bool none_back() const { return !empty() && silent().size() == tried_.size(); }
    /// How many lead to the destination; 0: none, as one of the hosts has no data plane.
    int known() const { return known_; }
    /// How many of these were measured, in words.
    std::string told() const;
    /// The longest queue that every echo by one of them met; s.
    double standing_queue_s() const;
    /// After `now`, when there may be something to do; infinite: not before the next event.
    Time next_due(Time now) const;

  private:
    struct Sent {
        std::uint32_t token = 0;
        Time at = 0.0;  ///< when it left, or was asked for
        std::optional<EchoTime> answered;
    };
    struct Tried {
        HostId way = kNoHost;
        std::vector<Sent> echoes;
    };
    /// Of the answers, once all echoes were sent.
    Time deadline() const;
    bool all_sent() const { return rounds_ >= parts_->job.settings.ways.echoes; }
    /// Of the fastest and of the slowest echo; nothing: too few came back.
    struct Queue {
        double least_s = 0.0;
        double most_s = 0.0;
    };
    std::optional<Queue> queue(const Tried& tried) const;

    const SearchParts* parts_;
    HostId destination_;
    Time asked_at_ = 0.0;
    Time next_round_ = 0.0;
    int rounds_ = 0;
    int known_ = 0;
    std::vector<Tried> tried_;  ///< of those known
};

}  // namespace fairlead::core
