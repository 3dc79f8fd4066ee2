// SPDX-License-Identifier: Apache-2.0
// The relays that a search asks: which are asked, what they and this host's probes measure on the legs of a detour.
#pragma once

#include <cstdint>
#include <vector>

#include "detours/avoided_relays.hpp"
#include "fairlead/core/choice.hpp"
#include "search/search_parts.hpp"

namespace fairlead::core {

class CandidateQueries {
  public:
    CandidateQueries(const SearchParts& parts, HostId destination) : parts_(&parts), destination_(destination) {}

    /// Asks the best candidates by what is known now; `turn`: see choose(). The present relay of a detour is always
    /// among them.
    void ask(std::size_t turn, const AvoidedRelays& avoided, Time now, Random& random, Outbox& out);
    /// A relay has measured its leg to the destination.
    void take(HostId relay, const wire::PathReport& report, Time now);

    /// Those that were asked.
    std::vector<HostId> relays() const;
    bool empty() const { return asked_.empty(); }
    Time asked_at() const { return asked_at_; }
    /// Whether all that are waited for have answered.
    bool complete(Time now) const;
    /// Whether any answer is of the time while the direct path was being probed.
    bool any_in_time(const Evidence& found) const;
    /// Puts together what was measured for every candidate asked.
    std::vector<MeasuredCandidate> measure(const Evidence& found) const;

  private:
    struct Asked {
        HostId relay = kNoHost;
        std::uint32_t token = 0;
        std::uint32_t first_burst = 0;  ///< this host -> relay
        bool answered = false;          ///< the relay reported its leg
        Time answered_at = 0.0;
        LegState second;
        double load = 0.0;
    };
    std::vector<Candidate> eligible(const AvoidedRelays& avoided, Time now) const;
    void draw(std::vector<Candidate>& all, std::size_t turn, Random& random) const;
    bool in_time(const Evidence& found, const Asked& asked) const;
    MeasuredCandidate measured(const Evidence& found, const Asked& asked) const;

    const SearchParts* parts_;
    HostId destination_;
    Time asked_at_ = 0.0;
    std::vector<std::size_t> path_groups_;  ///< of detours, by relay
    std::vector<Asked> asked_;
};

}  // namespace fairlead::core
