// SPDX-License-Identifier: Apache-2.0
// Gets the agent a CPU soon after it wakes. It uses less than a percent of one, but MPI ranks poll without end, and an
// agent that waits behind them sees congestion late, and answers late as a relay.
#pragma once

#include "generated/enums.hpp"

namespace fairlead::agent {

/// The best that is permitted, for this thread and what it starts.
Scheduling raise_scheduling();

/// This thread has this from now on, and what it starts is scheduled as usual (measurements shall be treated as MPI
/// ranks are). Whether the kernel agreed: it does to what raise_scheduling() returned, and to less.
bool keep_for_this_thread(Scheduling scheduling);

}  // namespace fairlead::agent
