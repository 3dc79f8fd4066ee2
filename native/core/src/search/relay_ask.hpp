// SPDX-License-Identifier: Apache-2.0
// The question to the relay that was chosen: may the traffic pass over you? And at the same time the proof that the way
// over it carries packets. Of an equal-cost path the proof alone: nobody has to be asked.
#pragma once

#include <cstdint>

#include "detours/path_proof.hpp"
#include "job.hpp"
#include "outbox.hpp"

namespace fairlead::core {

/// What a pair with this rate asks a relay for.
double requested_bps(const RelaySettings& settings, double peak_rate_bps);

class RelayAsk {
  public:
    /// Asks for the rate that the pair wants when nothing holds it back, or for its share if that is at least
    /// `least_bps` (0: for no less).
    RelayAsk(const Job& job, HostId destination, HostId relay, double peak_rate_bps, double least_bps, Time now,
             Outbox& out);

    /// Only the detour that was chosen is tried: echoes are as large as rerouted packets, and over all candidates of
    /// every search they would be a queue of their own on narrow links.
    void advance(Time now, Outbox& out);
    /// Whether an answer is to this question.
    bool answered_by(HostId from, std::uint32_t token) const { return token == token_ && from == trial_.relay(); }
    void grant(Time now);
    bool answered(const wire::EchoReply& reply) { return trial_.answered(reply); }

    /// Granted, and proved where that can be: the traffic may go there.
    bool ready() const { return granted_ && (!job_->proves || trial_.carries()); }
    bool overdue(Time now) const { return now >= deadline_; }
    /// Granted, but nothing comes back over it.
    bool broken() const;
    Time next_due() const;

  private:
    const Job* job_;
    PathProof trial_;
    std::uint32_t token_;
    Time deadline_;
    bool granted_ = false;
};

}  // namespace fairlead::core
