// SPDX-License-Identifier: Apache-2.0
#include "random-traffic/partners.hpp"

#include <gtest/gtest.h>

#include <set>

namespace fairlead::random_traffic {
namespace {

TEST(DrawPartners, IsAPairingFromTheSeedAndTheRound) {
    for (const int ranks : {2, 8, 9, 64}) {
        for (std::uint64_t round = 0; round < 50; ++round) {
            const std::vector<int> partners = draw_partners(ranks, 5, round);
            EXPECT_EQ(partners, draw_partners(ranks, 5, round));
            int resting = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const int partner = partners[static_cast<std::size_t>(rank)];
                ASSERT_EQ(partners[static_cast<std::size_t>(partner)], rank);
                resting += partner == rank ? 1 : 0;
            }
            EXPECT_EQ(resting, ranks % 2);
        }
    }
}

TEST(DrawPartners, MeetsEverybodyInTime) {
    std::set<int> met;
    for (std::uint64_t round = 0; round < 100; ++round) {
        met.insert(draw_partners(8, 5, round)[0]);
    }
    EXPECT_EQ(met, (std::set<int>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_NE(draw_partners(64, 5, 0), draw_partners(64, 6, 0));
    EXPECT_NE(draw_partners(64, 5, 0), draw_partners(64, 5, 1));
}

}  // namespace
}  // namespace fairlead::random_traffic
