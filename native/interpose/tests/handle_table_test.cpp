// SPDX-License-Identifier: Apache-2.0
#include "wrap/handle_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace fairlead {
namespace {

TEST(HandleTable, FindsWhatWasInserted) {
    HandleTable<int> table;
    table.insert(16, 1);
    table.insert(0, 2);
    EXPECT_EQ(*table.find(16), 1);
    EXPECT_EQ(*table.find(0), 2);
    EXPECT_EQ(table.find(32), nullptr);
    EXPECT_EQ(table.size(), 2U);
}

TEST(HandleTable, ReplacesWhatHasTheSameHandle) {
    HandleTable<int> table;
    EXPECT_FALSE(table.insert(16, 1));
    int value = 3;
    EXPECT_TRUE(table.insert(16, std::move(value)));
    EXPECT_EQ(value, 1);
    EXPECT_EQ(*table.find(16), 3);
    EXPECT_EQ(table.size(), 1U);
}

TEST(HandleTable, ForgetsWhatIsErased) {
    HandleTable<int> table;
    table.insert(16, 1);
    EXPECT_TRUE(table.erase(16));
    EXPECT_FALSE(table.erase(16));
    EXPECT_EQ(table.find(16), nullptr);
    EXPECT_TRUE(table.empty());
}

TEST(HandleTable, GivesAwayWhatIsTaken) {
    HandleTable<std::vector<int>> table;
    table.insert(16, {1, 2});
    table.insert(32, {3});
    std::vector<int> taken;
    table.take(table.find(16), taken);
    EXPECT_EQ(taken, (std::vector{1, 2}));
    EXPECT_EQ(table.find(16), nullptr);
    EXPECT_EQ(*table.find(32), std::vector{3});
    table.insert(16, {4});
    EXPECT_EQ(*table.find(16), std::vector{4});
    EXPECT_EQ(table.size(), 2U);
}

// As the standard's map does, with keys that collide: gaps are closed and no search ends too early.
TEST(HandleTable, AgreesWithAMapOverManyRandomSteps) {
    HandleTable<int> table;
    std::map<std::uintptr_t, int> map;
    std::mt19937 random(7);
    for (int step = 0; step < 200'000; ++step) {
        const std::uintptr_t key = std::uintptr_t{random() % 700} << 5;
        if (random() % 2 == 0) {
            table.insert(key, int{step});
            map[key] = step;
        } else {
            EXPECT_EQ(table.erase(key), map.erase(key) == 1);
        }
        const std::uintptr_t asked = std::uintptr_t{random() % 700} << 5;
        const auto known = map.find(asked);
        const int* found = table.find(asked);
        ASSERT_EQ(found != nullptr, known != map.end());
        if (found != nullptr) {
            ASSERT_EQ(*found, known->second);
        }
        ASSERT_EQ(table.size(), map.size());
    }
}

}  // namespace
}  // namespace fairlead
