// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "is/problem.hpp"

namespace fairlead::is {

// `count` keys of the benchmark's sequence from key `first` on: each a quarter of the range times the sum of four
// random numbers (NAS report RNR-94-007, section 2.5).
std::vector<Key> draw_keys(const Problem& problem, std::int64_t first, std::int64_t count);

// Changes the two keys that iteration `iteration` (from 1) changes. `keys` are the first of the sequence. The places
// are those of ten iterations: beyond the tenth nothing changes any more.
void change_keys(const Problem& problem, int iteration, std::span<Key> keys);

// Number of keys in each bucket.
std::vector<std::int32_t> count_by_bucket(const Problem& problem, std::span<const Key> keys);

// The keys in the order of their buckets, of which bucket b has counts[b].
void order_by_bucket(const Problem& problem, std::span<const Key> keys, std::span<const std::int32_t> counts,
                     std::span<Key> ordered);

// Deals the buckets out to the ranks, in order, so that rank r's last bucket is the first with which the ranks up to r
// have (r + 1) / ranks of all keys. Returns each rank's first bucket, and at the end the number of buckets.
std::vector<int> deal_buckets(std::span<const std::int32_t> counts, int ranks);

// below[k]: how many of `keys` are less than first + k, for k up to end - first. All keys are in [first, end).
void count_below(std::span<const Key> keys, std::int64_t first, std::int64_t end, std::vector<std::int32_t>& below);

// The keys in ascending order, each put at the place that count_below() gives it.
std::vector<Key> place(std::span<const Key> keys, std::int64_t first, std::vector<std::int32_t> below);

}  // namespace fairlead::is
