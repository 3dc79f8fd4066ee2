// SPDX-License-Identifier: Apache-2.0
// How long packets queue on an equal-cost path, by the round trip of an echo that took it.
#pragma once

#include "paths/paths.hpp"

namespace fairlead::core {

/// Its answer comes back as answers to probes do: what it took longer than the fastest probe, less the longest queue
/// that answers have met, is the least that it queued on its way there. `from`: since when answers count.
double way_queue_s(const Paths& paths, HostId destination, double round_trip_s, Time from);

}  // namespace fairlead::core
