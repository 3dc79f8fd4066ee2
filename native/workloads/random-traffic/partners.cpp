// SPDX-License-Identifier: Apache-2.0
#include "random-traffic/partners.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace fairlead::random_traffic {

std::vector<int> draw_partners(int ranks, std::uint64_t seed, std::uint64_t round) {
    // Only what the C++ standard fixes is used (seed_seq, mt19937_64): every host draws the same.
    std::seed_seq sequence{seed & 0xffffffff, seed >> 32, round & 0xffffffff, round >> 32};
    std::mt19937_64 random(sequence);
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {  // Fisher and Yates
        std::swap(order[i - 1], order[random() % i]);
    }
    std::vector<int> partners(order.size());
    std::iota(partners.begin(), partners.end(), 0);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
        partners[static_cast<std::size_t>(order[i])] = order[i + 1];
        partners[static_cast<std::size_t>(order[i + 1])] = order[i];
    }
    return partners;
}

}  // namespace fairlead::random_traffic
