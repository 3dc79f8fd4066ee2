// SPDX-License-Identifier: Apache-2.0
// The controller's reports as events for the supervisor: hosts by index, reasons in words.
#pragma once

#include "fairlead/core/actions.hpp"
#include "generated/events.hpp"

namespace fairlead::agent {

/// As events name it: of another equal-cost path the destination itself.
core::HostId told_relay(core::HostId relay, core::HostId destination);

/// `self`: the source of the paths. `wall_offset_s`: wall clock minus the controller's clock, for moments.
LevelChangedEvent event_of(const core::LevelChanged& change);
ReroutedEvent event_of(const core::Rerouted& rerouted, core::HostId self, double wall_offset_s);
RestoredEvent event_of(const core::Restored& restored, core::HostId self);
KeptEvent event_of(const core::Kept& kept, core::HostId self);
NoticeEvent event_of(const core::Noticed& noticed);
BaseShiftedEvent event_of(const core::BaseShifted& shifted);
BaseLearntEvent event_of(const core::BaseLearnt& learnt);

}  // namespace fairlead::agent
