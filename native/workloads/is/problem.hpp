// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/verdict.hpp"

namespace fairlead::is {

using Key = std::int32_t;  // the largest range, 2^31, fits; numbers of keys and their ranks need 64 bits

inline constexpr std::size_t kTestKeys = 5;

// A problem class of the IS kernel (NAS report RNR-94-007, section 2.5, and the NPB 2 and 3 class tables).
struct Problem {
    char name;
    int keys_log2;
    int key_range_log2;  // keys are in [0, 2^key_range_log2)
    int buckets_log2;
    // Partial verification: the rank of the key drawn at test_index[i] is, in iteration n,
    // test_rank[i] + drift[i] * (n - drift_start[i]), for every iteration changes two keys. Where a changed key was
    // on the other side of the test key before, that iteration moves its rank by one more: see `setbacks`.
    std::array<std::int64_t, kTestKeys> test_index;
    std::array<std::int64_t, kTestKeys> test_rank;
    std::array<int, kTestKeys> drift;
    std::array<int, kTestKeys> drift_start;
    std::array<int, 2> setbacks{};  // iterations from which on the rank of test key 2 is one less; 0: none
    static constexpr int kIterations = 10;
    static constexpr int kRankKeysLog2 = 29;

    std::int64_t keys() const { return std::int64_t{1} << keys_log2; }
    std::int64_t key_range() const { return std::int64_t{1} << key_range_log2; }
    int buckets() const { return 1 << buckets_log2; }
    int bucket_of(Key key) const { return key >> (key_range_log2 - buckets_log2); }
    std::int64_t first_key(int bucket) const { return std::int64_t{bucket} << (key_range_log2 - buckets_log2); }
    // With fewer ranks, one would have more keys than an MPI message takes (2^29 is the limit of NPB 3, too).
    int least_ranks() const { return keys_log2 > kRankKeysLog2 ? 1 << (keys_log2 - kRankKeysLog2) : 1; }

    // The published rank of test key `test` in iteration `iteration` (from 1; beyond the tenth as in the tenth).
    std::int64_t published_rank(std::size_t test, int iteration) const;
};

// The classes S, W and A to E.
std::span<const Problem> problems();

// What a run computed, as far as verification needs it; all ranks' parts added up.
struct Outcome {
    int iterations;            // made
    std::int64_t ranks_right;  // test keys with the published rank, over all iterations
    std::int64_t disorder;     // neighbouring keys in descending order at the end
    std::int64_t keys;         // at the end
    double key_sum_error;      // sum of the keys drawn less the sum of those at the end, modulo 2^64
};

// Judges a run: every test key has its published rank in every iteration, and at the end the keys are in order, as many
// and of the same sum as were drawn.
Verdict verify(const Problem& problem, const Outcome& outcome);

}  // namespace fairlead::is
