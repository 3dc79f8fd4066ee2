// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/patterns.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "fairlead/core/random.hpp"

namespace fairlead::sim {

namespace {

constexpr std::uint64_t kNumber_B = 8;

template <typename PerRank>
Trace every_iteration(const Pattern& pattern, const PerRank& exchange) {
    Trace trace(pattern.ranks);
    core::Random random(pattern.seed);
    for (int rank = 0; rank < pattern.ranks; ++rank) {
        for (int i = 0; i < pattern.iterations; ++i) {
            const double drawn = 1.0 + pattern.spread * (2.0 * random.uniform() - 1.0);
            if (pattern.compute_s > 0.0) trace.add(rank, Compute{pattern.compute_s * drawn});
            exchange(trace, rank);
        }
    }
    return trace;
}

/// A message each way between a rank and another, at the same time.
void swap_with(Trace& trace, int rank, int peer, std::uint64_t size_B, int tag) {
    trace.add(rank, Receive{{peer, size_B, tag, kWorld, 0}});
    trace.add(rank, Send{{peer, size_B, tag, kWorld, {}}});
    trace.add(rank, Wait{0});
}

}  // namespace

Trace ring(const Pattern& pattern) {
    return every_iteration(pattern, [&](Trace& trace, int rank) {
        trace.add(rank, Receive{{(rank + pattern.ranks - 1) % pattern.ranks, pattern.message_B, 0, kWorld, 0}});
        trace.add(rank, Send{{(rank + 1) % pattern.ranks, pattern.message_B, 0, kWorld, {}}});
        trace.add(rank, Wait{0});
    });
}

Trace halo(const Pattern& pattern) {
    int rows = static_cast<int>(std::sqrt(pattern.ranks));
    while (pattern.ranks % rows != 0) --rows;
    const int columns = pattern.ranks / rows;
    return every_iteration(pattern, [&](Trace& trace, int rank) {
        const int row = rank / columns;
        const int column = rank % columns;
        std::vector<int> peers = {row * columns + (column + 1) % columns,
                                  row * columns + (column + columns - 1) % columns};
        if (rows > 1) {
            peers.push_back((row + 1) % rows * columns + column);
            peers.push_back((row + rows - 1) % rows * columns + column);
        }
        int request = 0;
        const int sides = static_cast<int>(peers.size());
        for (int side = 0; side < sides; ++side) {  // from the opposite side of who sends it
            trace.add(rank,
                      Receive{{peers[static_cast<std::size_t>(side)], pattern.message_B, side ^ 1, kWorld, request++}});
        }
        for (int side = 0; side < sides; ++side) {
            trace.add(rank, Send{{peers[static_cast<std::size_t>(side)], pattern.message_B, side, kWorld, request++}});
        }
        trace.add(rank, Wait{});
    });
}

Trace all_to_all(const Pattern& pattern) {
    return every_iteration(pattern, [&](Trace& trace, int rank) {
        trace.add(rank, Collective{CollectiveKind::alltoall, pattern.message_B, kWorld, 0});
    });
}

Trace cg(const Pattern& pattern) {
    const auto ranks = static_cast<unsigned>(pattern.ranks);
    if (!std::has_single_bit(ranks)) throw std::invalid_argument("cg needs a power of two of ranks");
    const int log = std::countr_zero(ranks);
    const int rows = 1 << (log / 2);
    const int columns = pattern.ranks / rows;
    const auto along_row = [&](Trace& trace, int rank, std::uint64_t size_B, int tag) {
        const int first = rank / columns * columns;
        for (int distance = 1; distance < columns; distance *= 2) {
            swap_with(trace, rank, first + ((rank % columns) ^ distance), size_B, tag);
        }
    };
    return every_iteration(pattern, [&](Trace& trace, int rank) {
        along_row(trace, rank, pattern.message_B, 0);
        const int row = rank / columns;
        const int column = rank % columns;
        // Where there are twice as many columns as rows, pairs of columns stand for one of a square grid.
        const int wide = columns / rows;
        const int transpose = column / wide * columns + row * wide + column % wide;
        if (transpose != rank) swap_with(trace, rank, transpose, pattern.message_B, 1);
        along_row(trace, rank, kNumber_B, 2);
        along_row(trace, rank, kNumber_B, 3);
    });
}

std::optional<Trace> make(std::string_view name, const Pattern& pattern) {
    if (pattern.ranks < 2 || pattern.ranks > kMaxRanks || pattern.iterations < 1) {
        throw std::invalid_argument("a pattern needs 2 to " + std::to_string(kMaxRanks) + " ranks and an iteration");
    }
    if (!(pattern.spread >= 0.0 && pattern.spread <= 1.0)) throw std::invalid_argument("a spread is from 0 to 1");
    if (!(pattern.compute_s >= 0.0 && pattern.compute_s * (1.0 + pattern.spread) <= kMaxCompute_s)) {
        throw std::invalid_argument("ranks compute from 0 to 1000000 s, the spread among it");
    }
    if (pattern.message_B > kMaxSize_B) throw std::invalid_argument("a message has at most 2^40 B");
    if (name == "ring") return ring(pattern);
    if (name == "halo") return halo(pattern);
    if (name == "alltoall") return all_to_all(pattern);
    if (name == "cg") return cg(pattern);
    return std::nullopt;
}

}  // namespace fairlead::sim
