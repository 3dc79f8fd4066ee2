// SPDX-License-Identifier: Apache-2.0
// What was asked of the guardian for one destination and is not answered yet, and a return that has to wait for that.
#pragma once

#include <optional>

#include "fairlead/core/settings.hpp"
#include "outbox.hpp"

namespace fairlead::core {

class RouteSwitch {
  public:
    explicit RouteSwitch(const DetourSettings& settings) : settings_(settings) {}

    void reroute(const Rerouted& decision, Outbox& out);
    /// From the detour over `relay` (kNoHost: there is none); waits while a reroute is not answered.
    void restore(HostId destination, HostId relay, RestoreReason reason, Outbox& out);
    /// A return that waits need not wait for its next try.
    void retry_at_once(Time now) { retry_at_ = now; }
    /// No return waits any more.
    void forget_return() { must_return_.reset(); }

    bool pending() const { return moving_ || returning_; }
    /// The reroute that is not answered; null: none.
    const Rerouted* rerouting() const { return moving_ ? &*moving_ : nullptr; }
    /// Whether a return waits or is not answered.
    bool leaving() const { return returning_ || must_return_; }
    bool moves_over(HostId relay) const { return moving_ && moving_->relay == relay; }
    /// The return that waits; nothing: none does.
    std::optional<RestoreReason> must_restore() const { return must_return_; }
    /// The same if its time has come.
    std::optional<RestoreReason> due_return(Time now) const;
    Time next_return() const;

    /// The guardian's answers; nothing if it was not asked.
    std::optional<Rerouted> move_answered(HostId relay);
    std::optional<RestoreReason> restored();
    /// It is tried again: most failures are an answer that got lost, and traffic may be lost meanwhile.
    std::optional<RestoreReason> return_failed(Time now);

  private:
    const DetourSettings& settings_;
    std::optional<Rerouted> moving_;
    std::optional<RestoreReason> returning_;
    std::optional<RestoreReason> must_return_;
    Time retry_at_ = 0.0;
    double backoff_s_ = 0.0;
};

}  // namespace fairlead::core
