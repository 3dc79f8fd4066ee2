// SPDX-License-Identifier: Apache-2.0
// Traces of programs whose communication is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlead/sim/trace.hpp"

namespace fairlead::sim {

struct Pattern {
    int ranks = 0;
    std::uint64_t message_B = 0;
    int iterations = 1;
    double compute_s = 0.0;  ///< of every rank, before the messages of each iteration
    double spread = 0.0;     ///< it is drawn within this share above and below. Ranks in perfect step find a rhythm
                             ///< that the least disturbance breaks
    std::uint64_t seed = 1;
};

/// Each rank sends to the next and receives from the one before it, at the same time.
Trace ring(const Pattern& pattern);
/// Ranks on a torus, as nearly square as their number permits, exchange with their four neighbours (two in a row of
/// one). A neighbour that is the same on both sides gets two messages.
Trace halo(const Pattern& pattern);
/// MPI_Alltoall, blocks of message_B.
Trace all_to_all(const Pattern& pattern);
/// The exchanges of NPB's cg: ranks in rows of a grid, as many columns as rows or twice as many, sum a vector along
/// their row in log2(columns) exchanges of message_B, exchange it with their transpose, and sum two numbers of 8 B
/// along the row. Throws std::invalid_argument where the number of ranks is no power of two.
Trace cg(const Pattern& pattern);

/// "ring", "halo", "alltoall", "cg". Nothing for another name; throws std::invalid_argument where there are fewer than
/// two ranks, more than kMaxRanks, no iterations, a spread outside [0, 1], or what a trace cannot hold, and as above.
std::optional<Trace> make(std::string_view name, const Pattern& pattern);

}  // namespace fairlead::sim
