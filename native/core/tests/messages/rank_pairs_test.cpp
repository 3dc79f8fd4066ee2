// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/rank_pairs.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(RankPairs, ThoseWithMostBytesAreTakenFirstAndTheOthersStay) {
    RankPairs pairs;
    for (std::uint32_t rank = 1; rank <= 3; ++rank) {
        RankPairTimes& times = pairs.at(1, 0, rank);
        ++times.messages;
        times.size_B += 100 * rank;
    }
    pairs.at(1, 0, 1).size_B += 50;
    const auto first = pairs.take(2);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].rank, 3U);
    EXPECT_EQ(first[1].rank, 2U);
    pairs.at(1, 0, 1).messages += 4;
    const auto rest = pairs.take(2);
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].rank, 1U);
    EXPECT_EQ(rest[0].messages, 5U);
    EXPECT_EQ(rest[0].size_B, 150U);
    EXPECT_TRUE(pairs.take(2).empty());
}

TEST(RankPairs, NoMoreAreKeptThanThereIsRoomFor) {
    RankPairs pairs;
    for (std::uint32_t rank = 0; rank < RankPairs::kMost; ++rank) pairs.at(1, 0, rank).messages = 1;
    pairs.at(1, 1, 0).messages = 7;
    pairs.at(1, 0, 5).messages += 1;
    const auto all = pairs.take(2 * RankPairs::kMost);
    ASSERT_EQ(all.size(), RankPairs::kMost);
    EXPECT_EQ(all[5].messages, 2U);
    EXPECT_EQ(all[5].source_rank, 0U);
}

}  // namespace
}  // namespace fairlead::core
