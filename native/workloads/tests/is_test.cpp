// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/problem_class.hpp"
#include "common/rank_count.hpp"
#include "is/keys.hpp"

namespace fairlead::is {
namespace {

constexpr Problem kSmall{.name = '-',
                         .keys_log2 = 10,
                         .key_range_log2 = 8,
                         .buckets_log2 = 4,
                         .test_index = {},
                         .test_rank = {},
                         .drift = {},
                         .drift_start = {}};

TEST(DrawKeys, DoesNotDependOnTheShare) {
    const std::vector<Key> whole = draw_keys(kSmall, 0, kSmall.keys());
    std::vector<Key> shares;
    for (std::int64_t first = 0; first < kSmall.keys(); first += kSmall.keys() / 8) {
        const std::vector<Key> share = draw_keys(kSmall, first, kSmall.keys() / 8);
        shares.insert(shares.end(), share.begin(), share.end());
    }
    EXPECT_EQ(shares, whole);
    EXPECT_TRUE(std::ranges::all_of(whole, [](Key key) { return key >= 0 && key < kSmall.key_range(); }));
}

TEST(DrawKeys, TestKeysOfClassSHaveThePublishedRanks) {
    const Problem& problem = find_class(problems(), "S");
    std::vector<Key> keys = draw_keys(problem, 0, problem.keys());
    for (int iteration = 1; iteration <= 12; ++iteration) {
        change_keys(problem, iteration, keys);
        for (std::size_t test = 0; test < kTestKeys; ++test) {
            const Key key = keys[static_cast<std::size_t>(problem.test_index[test])];
            EXPECT_EQ(std::ranges::count_if(keys, [&](Key other) { return other < key; }),
                      problem.published_rank(test, iteration))
                << "test key " << test << ", iteration " << iteration;
        }
    }
}

TEST(ChangeKeys, ChangesTwoPlacesAnIterationUpToTheTenth) {
    std::vector<Key> keys(30, 100);
    change_keys(kSmall, 3, keys);
    EXPECT_EQ(keys[3], 3);
    EXPECT_EQ(keys[13], 253);
    EXPECT_EQ(std::ranges::count(keys, 100), 28);
    const std::vector<Key> before = keys;
    change_keys(kSmall, 11, keys);
    EXPECT_EQ(keys, before);
}

TEST(Buckets, OrderKeepsAllKeysAndPutsThemByBucket) {
    const std::vector<Key> keys = draw_keys(kSmall, 0, kSmall.keys());
    const std::vector<std::int32_t> counts = count_by_bucket(kSmall, keys);
    EXPECT_EQ(counts.size(), 16U);
    EXPECT_EQ(counts[5], std::ranges::count_if(keys, [](Key key) { return key / 16 == 5; }));
    std::vector<Key> ordered(keys.size());
    order_by_bucket(kSmall, keys, counts, ordered);
    EXPECT_TRUE(std::ranges::is_sorted(ordered, {}, [](Key key) { return key / 16; }));
    EXPECT_TRUE(std::ranges::is_permutation(ordered, keys));
}

TEST(DealBuckets, GivesEveryBucketOnceAndEvenShares) {
    const std::vector<std::int32_t> even = {10, 10, 10, 10, 10, 10, 10, 10};
    EXPECT_EQ(deal_buckets(even, 1), (std::vector<int>{0, 8}));
    EXPECT_EQ(deal_buckets(even, 4), (std::vector<int>{0, 2, 4, 6, 8}));
    const std::vector<std::int32_t> uneven = {1, 1, 6, 50, 6, 1, 1, 14};
    EXPECT_EQ(deal_buckets(uneven, 2), (std::vector<int>{0, 4, 8}));
    EXPECT_EQ(deal_buckets(uneven, 4), (std::vector<int>{0, 4, 4, 5, 8}));  // bucket 3 is two ranks' share
    EXPECT_EQ(deal_buckets(std::vector<std::int32_t>{0, 0, 5, 0}, 4), (std::vector<int>{0, 3, 3, 3, 4}));
}

TEST(CountBelow, AndPlaceSort) {
    const std::vector<Key> keys = {12, 10, 15, 12, 10, 12};
    std::vector<std::int32_t> below;
    count_below(keys, 10, 16, below);
    EXPECT_EQ(below, (std::vector<std::int32_t>{0, 2, 2, 5, 5, 5, 6}));
    EXPECT_EQ(place(keys, 10, below), (std::vector<Key>{10, 10, 12, 12, 12, 15}));
}

TEST(IsProblem, PublishedRanksDrift) {
    const Problem& problem = find_class(problems(), "W");
    EXPECT_EQ(problem.published_rank(0, 1), 1248);
    EXPECT_EQ(problem.published_rank(2, 1), 1039986);
    EXPECT_EQ(problem.published_rank(2, 10), 1039977);
    EXPECT_EQ(problem.published_rank(2, 500), 1039977);
    EXPECT_THROW(find_class(problems(), "D"), UsageError);
    EXPECT_THROW(require_power_of_two("is", 3, 512), UsageError);
    EXPECT_THROW(require_power_of_two("is", 1024, 512), UsageError);
    EXPECT_NO_THROW(require_power_of_two("is", 512, 512));
}

TEST(IsVerify, RejectsEachViolation) {
    const Problem& problem = find_class(problems(), "S");
    const Outcome good{.iterations = 10, .ranks_right = 50, .disorder = 0, .keys = 65536, .key_sum_error = 0.0};
    EXPECT_TRUE(verify(problem, good).verified);
    Outcome bad = good;
    bad.ranks_right = 49;
    EXPECT_FALSE(verify(problem, bad).verified);
    bad = good;
    bad.disorder = 1;
    EXPECT_FALSE(verify(problem, bad).verified);
    bad = good;
    bad.keys = 65537;
    EXPECT_FALSE(verify(problem, bad).verified);
    bad = good;
    bad.key_sum_error = -1.0;
    EXPECT_FALSE(verify(problem, bad).verified);
}

}  // namespace
}  // namespace fairlead::is
