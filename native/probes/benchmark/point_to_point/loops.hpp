// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmark/requests/request.hpp"

// The timed loops of all point-to-point benchmarks: clock and transfer, nothing else.
//
// Samples follow each other without a gap: the end of one is the start of the next, so their sums are the times since
// the loop began. Each loop is run by both ranks of a pair; the first one gets the samples, in seconds. It begins when
// both have their buffers.
namespace fairlead::benchmark {

// Round trips: the first rank sends a message and waits for one of the same size.
//
// With `moments_s` also moments of MPI_Wtime: on the first rank when each round trip began, on the second when each
// message had come. That costs the second rank a reading of its clock before it answers.
std::vector<double> round_trips(const Request& request, int peer, bool first, std::vector<double>* moments_s = nullptr);

// Windows: `window` messages from the first rank to the second, and an empty one back when all are there (the scheme of
// osu_bw). With `both`, the second sends as many at the same time (osu_bibw).
std::vector<double> windows(const Request& request, int peer, bool first);

// PRTT(n, d, s) of the LogGP assessment (Hoefler, Lichei, Rehm, "Low-Overhead LogGP Parameter Assessment for Modern
// Interconnection Networks", 2007): the first rank sends `train` messages, each `pauses_s[0]` (none: 0)
// after the one before has been given away, and waits for one of the same size, which the second sends when it has all.
std::vector<double> parametrised_round_trips(const Request& request, int peer, bool first);

// Bursts: trains of round trips with a pause before each, `stop.most` trains for each of `pauses_s` in turn (the
// Hoverboard test: noise, 4.4.1). A sample is the time of a train; the pause is not in it.
std::vector<double> bursts(const Request& request, int peer, bool first);

}  // namespace fairlead::benchmark
