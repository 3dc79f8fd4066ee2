// SPDX-License-Identifier: Apache-2.0
// The controller's reports as the supervisor gets them: one JSON object each, hosts by index, reasons in words.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "fairlead/core/actions.hpp"

namespace fairlead::agent {

/// `self`: the source of the paths. `wall_offset_s`: wall clock minus the controller's clock, for moments.
nlohmann::json line_of(const core::ZoneChanged& change);
nlohmann::json line_of(const core::Moved& moved, core::HostId self, double wall_offset_s);
nlohmann::json line_of(const core::Returned& returned, core::HostId self);
nlohmann::json line_of(const core::Stayed& stayed, core::HostId self);
nlohmann::json line_of(const core::Noticed& noticed);
nlohmann::json line_of(const core::BaseShifted& shifted);
nlohmann::json line_of(const core::BaseLearnt& learnt);

}  // namespace fairlead::agent
