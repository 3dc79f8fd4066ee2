// SPDX-License-Identifier: Apache-2.0
// The controller's reports as events for the supervisor: hosts by index, reasons in words.
#pragma once

#include "fairlead/core/actions.hpp"
#include "generated/events.hpp"

namespace fairlead::agent {

/// `self`: the source of the paths. `wall_offset_s`: wall clock minus the controller's clock, for moments.
ZoneEvent event_of(const core::ZoneChanged& change);
MovedEvent event_of(const core::Moved& moved, core::HostId self, double wall_offset_s);
ReturnedEvent event_of(const core::Returned& returned, core::HostId self);
StayedEvent event_of(const core::Stayed& stayed, core::HostId self);
NoticeEvent event_of(const core::Noticed& noticed);
BaseShiftedEvent event_of(const core::BaseShifted& shifted);
BaseLearntEvent event_of(const core::BaseLearnt& learnt);

}  // namespace fairlead::agent
