// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmark/requests/request.hpp"

namespace fairlead::benchmark {

// Round trips whose ranks watch, while they wait, for what takes the processor from them: noise and latency on the same
// core at once. Waiting is a loop of some readings of the clock and one MPI_Test; a detour is
//  - a reading that came later than nine times the least one after the one before (kind 0), or
//  - an MPI_Test that found nothing and took longer than nine times the least such one (kind 1), or
//  - an MPI_Test that found its message (kind 2), or an MPI_Send (kind 3), that took longer than nine times the least
//    such one: all messages have one size. Who is held up before he looks finds the message at once.
//
// The first rank's row is flat: least reading, least empty MPI_Test (s), numbers of messages, of own detours and of the
// peer's; of the messages start and length; of own detours start, length, kind; of the peer's detours the message that
// was under way (from its last reply to the next), length, kind. Starts are seconds since the loop began.
std::vector<double> watched_round_trips(const Request& request, int peer, bool first);

}  // namespace fairlead::benchmark
