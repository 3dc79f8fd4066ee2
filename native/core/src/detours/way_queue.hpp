// SPDX-License-Identifier: Apache-2.0
// How long packets queue on an equal-cost path, by an echo that took it.
#pragma once

#include "detours/echo_watch.hpp"
#include "paths/paths.hpp"

namespace fairlead::core {

/// By its arrival, where that is known. Otherwise by its round trip: its answer comes back as answers to probes do, so
/// what it took longer than the fastest probe, less the longest queue that answers have met, is the least that it
/// queued on its way there. `from`: since when answers count.
double way_queue_s(const Paths& paths, HostId destination, const EchoTime& echo, Time from);

}  // namespace fairlead::core
