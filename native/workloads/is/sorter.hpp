// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "is/keys.hpp"

namespace fairlead::is {

// The distributed bucket sort. This rank draws the same share of the sequence as every other one; an iteration counts
// the keys of all ranks by bucket (one all-reduce), deals the buckets out, sends every key to the owner of its bucket
// (all-to-all, first of lengths, then of keys) and ranks the keys that came.
class Sorter {
  public:
    // `perturbation` is added to one test key, on the rank that draws it.
    Sorter(const Problem& problem, int ranks, int rank, Key perturbation);

    // One ranking of all keys. Returns how many test keys came to this rank and have their published rank.
    int rank_keys(int iteration);

    // Puts this rank's keys of the last iteration in order, and looks at all of it. `outcome.ranks_right` and
    // `outcome.iterations` are left alone. To be called by all ranks.
    void judge_order(Outcome& outcome) const;

  private:
    std::vector<std::int32_t> count_all_ranks(std::vector<std::int32_t> counts);
    void send_to_owners(const std::vector<std::int32_t>& counts);

    const Problem& problem_;
    int ranks_;
    int rank_;
    std::int64_t first_index_;  // of this rank's share in the sequence
    std::vector<Key> keys_;
    std::vector<Key> ordered_;   // by bucket, ready to be sent
    std::vector<Key> received_;  // keys of this rank's buckets
    std::vector<int> first_bucket_;
    std::vector<Key> test_keys_;
    std::vector<std::int32_t> below_;
};

}  // namespace fairlead::is
