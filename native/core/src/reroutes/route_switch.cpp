// SPDX-License-Identifier: Apache-2.0
#include "reroutes/route_switch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead::core {

namespace {
constexpr double kFirstRetry_s = 0.01;  // settings allow no shorter pause
}  // namespace

void RouteSwitch::reroute(const Rerouted& decision, Outbox& out) {
    moving_ = decision;
    out.emit(Reroute{decision.destination, decision.relay});
}

void RouteSwitch::restore(HostId destination, HostId relay, RestoreReason reason, Outbox& out) {
    if (moving_) {
        must_return_ = reason;
        return;
    }
    if (returning_) return;  // it serves this reason as well
    must_return_.reset();
    if (relay == kNoHost) return;
    returning_ = reason;
    out.emit(Restore{destination});
}

std::optional<RestoreReason> RouteSwitch::due_return(Time now) const {
    return pending() || now < retry_at_ ? std::nullopt : must_return_;
}

Time RouteSwitch::next_return() const {
    return must_return_ && !pending() ? retry_at_ : HUGE_VAL;
}

std::optional<Rerouted> RouteSwitch::move_answered(HostId relay) {
    if (!moves_over(relay)) return std::nullopt;
    return std::exchange(moving_, std::nullopt);
}

std::optional<RestoreReason> RouteSwitch::restored() {
    if (returning_) backoff_s_ = 0.0;
    return std::exchange(returning_, std::nullopt);
}

std::optional<RestoreReason> RouteSwitch::return_failed(Time now) {
    if (!returning_) return std::nullopt;
    must_return_ = returning_;
    backoff_s_ = std::clamp(2.0 * backoff_s_, kFirstRetry_s, settings_.failed_backoff_s);
    retry_at_ = now + backoff_s_;
    return std::exchange(returning_, std::nullopt);
}

}  // namespace fairlead::core
