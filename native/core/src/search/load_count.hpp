// SPDX-License-Identifier: Apache-2.0
// The job's own bytes against a queue that a search has found: asked for twice, counted over the time that probes
// prove.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "fairlead/core/own_load.hpp"
#include "search/search_parts.hpp"

namespace fairlead::core {

class LoadCount {
  public:
    LoadCount(const SearchParts& parts, HostId destination) : parts_(&parts), destination_(destination) {}

    /// Asks this host's own sockets and every host whose pairs share a bottleneck with the path.
    void begin(Time now, Outbox& out);
    bool begun() const { return first_.asked; }
    /// The second question may be on its way before all answers to the first are there: on a congested path they take
    /// as long as the queue.
    void begin_second(Time now, Outbox& out);
    bool second_due(Time now) const { return !second_.asked && now >= count_at_; }
    /// An answer. Whether it is one to a question of this search.
    bool take(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries, Time now);
    /// Whether this host is asked each time.
    bool asks(HostId source) const { return std::ranges::find(first_.all, source) != first_.all.end(); }
    /// The second question is asked then, or once more.
    void count_until(Time until);

    /// All have answered both questions, or have had their time.
    bool complete(Time now) const { return second_.asked && first_.complete(now) && second_.complete(now); }
    /// Too little time to tell the job's bytes from others', or a host did not answer: then the bytes are counted for
    /// longer, while the direct path goes on being probed. Whether they are.
    bool count_again(const Evidence& found, Time now, Outbox& out);

    /// Hosts asked that are not in both snapshots.
    std::vector<HostId> missing() const;
    /// For how long the job's bytes were counted.
    double counted_s() const;
    /// What others have sent into the path's bottleneck meanwhile, at least. Without candidates nobody was asked, and
    /// there is nothing to decide either.
    double foreign_share(const Evidence& found) const;
    /// The job's own pairs on the links where the path's packets may queue.
    std::vector<OwnFlow> flows() const;
    /// Those that passed the path's own bottleneck and carried most, for the report.
    std::vector<FlowRate> largest_flows() const;
    /// The second answers.
    std::span<const LoadSnapshot::Source> loads() const { return second_.loads.sources(); }
    /// After `now`, when there may be something to do; infinite: not before the next event.
    Time next_due(Time now) const;

  private:
    /// One question to all, and its answers.
    struct Round {
        bool asked = false;
        std::uint32_t token = 0;
        std::vector<HostId> all;      ///< that were asked
        std::vector<HostId> awaited;  ///< of these, who has not answered
        Time deadline = 0.0;
        LoadSnapshot loads;

        bool complete(Time now) const { return awaited.empty() || now >= deadline; }
        bool take(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries, Time now);
    };
    Round ask(Time now, Outbox& out);
    double busy_s(const Evidence& found) const;
    bool unsure(const Evidence& found, Time now) const;

    const SearchParts* parts_;
    HostId destination_;
    Time count_at_ = HUGE_VAL;
    Time counted_from_ = 0.0;  ///< when the first question was asked
    int recounts_ = 0;
    Round first_;
    Round second_;
};

}  // namespace fairlead::core
