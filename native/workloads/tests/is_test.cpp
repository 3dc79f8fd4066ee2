// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

TEST(IsProblem, HasThePublishedClasses) {
    struct Expected {
        const char* name;
        std::int64_t keys;
        std::int64_t key_range;
        int buckets;
        int least_ranks;
        std::int64_t first_index;
        std::int64_t last_rank;
    };
    constexpr std::array kExpected = {
        Expected{"S", 65'536, 2'048, 512, 1, 48'427, 65'463},
        Expected{"W", 1'048'576, 65'536, 1024, 1, 357'773, 1'048'018},
        Expected{"A", 8'388'608, 524'288, 1024, 1, 2'112'377, 8'388'264},
        Expected{"B", 33'554'432, 2'097'152, 1024, 1, 41'869, 99},
        Expected{"C", 134'217'728, 8'388'608, 1024, 1, 44'172'927, 133'525'895},
        Expected{"D", 2'147'483'648, 134'217'728, 1024, 4, 1'317'351'170, 2'147'425'337},
        Expected{"E", 34'359'738'368, 2'147'483'648, 1024, 64, 21'492'309'536, 31'485'259'697}};
    ASSERT_EQ(problems().size(), kExpected.size());
    for (const Expected& expected : kExpected) {
        const Problem& problem = find_class(problems(), expected.name);
        EXPECT_EQ(problem.keys(), expected.keys) << expected.name;
        EXPECT_EQ(problem.key_range(), expected.key_range) << expected.name;
        EXPECT_EQ(problem.buckets(), expected.buckets) << expected.name;
        EXPECT_EQ(problem.first_key(problem.buckets()), expected.key_range) << expected.name;
        EXPECT_EQ(problem.least_ranks(), expected.least_ranks) << expected.name;
        EXPECT_EQ(problem.test_index.front(), expected.first_index) << expected.name;
        EXPECT_EQ(problem.test_rank.back(), expected.last_rank) << expected.name;
    }
}

// Share of the sums of four random numbers that are less than `sum` (the Irwin-Hall distribution).
double share_below(double sum) {
    const auto term = [&](double from) { return std::pow(std::max(sum - from, 0.0), 4); };
    return (term(0) - 4 * term(1) + 6 * term(2) - 4 * term(3) + term(4)) / 24;
}

TEST(IsProblem, PublishedRanksAreLikelyForTheKeys) {
    for (const Problem& problem : problems()) {
        const auto keys = static_cast<double>(problem.keys());
        for (std::size_t test = 0; test < kTestKeys; ++test) {
            const Key key = draw_keys(problem, problem.test_index[test], 1).front();
            const double share = share_below(4.0 * key / static_cast<double>(problem.key_range()));
            EXPECT_NEAR(static_cast<double>(problem.test_rank[test]), keys * share,
                        20 + 5 * std::sqrt(keys * share * (1 - share)))
                << problem.name << ", test key " << test;
        }
    }
}

TEST(IsProblem, PublishedRanksMoveAsTheChangedKeysDo) {
    for (const Problem& problem : problems()) {
        const std::vector<Key> before = draw_keys(problem, 0, 2 * Problem::kIterations + 1);
        std::vector<Key> after = before;
        for (std::size_t test = 0; test < kTestKeys; ++test) {
            const Key key = draw_keys(problem, problem.test_index[test], 1).front();
            const auto below = [&](const std::vector<Key>& keys) {
                return std::ranges::count_if(keys, [&](Key other) { return other < key; });
            };
            after = before;
            change_keys(problem, 1, after);
            const std::int64_t unchanged = problem.published_rank(test, 1) - below(after);
            for (int iteration = 2; iteration <= Problem::kIterations; ++iteration) {
                change_keys(problem, iteration, after);
                EXPECT_EQ(problem.published_rank(test, iteration), unchanged + below(after))
                    << problem.name << ", test key " << test << ", iteration " << iteration;
            }
        }
    }
}

TEST(DrawKeys, OfTheLargestClassAreInItsRange) {
    const Problem& problem = find_class(problems(), "E");
    const std::vector<Key> keys = draw_keys(problem, problem.keys() - 1000, 1000);
    EXPECT_TRUE(std::ranges::all_of(keys, [](Key key) { return key >= 0; }));
    EXPECT_GT(*std::ranges::max_element(keys), 1 << 30);
    std::vector<Key> first(21, 0);
    change_keys(problem, 1, first);
    EXPECT_EQ(first[11], 2'147'483'647);
}

TEST(IsProblem, PublishedRanksDrift) {
    const Problem& problem = find_class(problems(), "W");
    EXPECT_EQ(problem.published_rank(0, 1), 1248);
    EXPECT_EQ(problem.published_rank(2, 1), 1039986);
    EXPECT_EQ(problem.published_rank(2, 10), 1039977);
    EXPECT_EQ(problem.published_rank(2, 500), 1039977);
    const Problem& largest = find_class(problems(), "E");
    EXPECT_EQ(largest.published_rank(2, 2), 3248475153);
    EXPECT_EQ(largest.published_rank(2, 3), 3248475153);  // one up by drift, one down
    EXPECT_EQ(largest.published_rank(2, 5), 3248475154);
    EXPECT_EQ(largest.published_rank(2, 10), 3248475159);
    EXPECT_THROW(find_class(problems(), "F"), UsageError);
    EXPECT_THROW(require_power_of_two("is", 2, 1024, 4), UsageError);
    EXPECT_NO_THROW(require_power_of_two("is", 4, 1024, 4));
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
