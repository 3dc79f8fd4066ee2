// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/replay_window.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fairlead/core/random.hpp"

namespace fairlead::core {
namespace {

TEST(ReplayWindow, TakesEachCounterOnce) {
    ReplayWindow window(2);
    EXPECT_EQ(window.accept(0, 5, 10), Freshness::fresh);
    EXPECT_EQ(window.accept(0, 5, 10), Freshness::repeated);
    EXPECT_EQ(window.accept(0, 5, 9), Freshness::fresh) << "out of order";
    EXPECT_EQ(window.accept(0, 5, 9), Freshness::repeated);
    EXPECT_EQ(window.accept(1, 5, 10), Freshness::fresh) << "another sender";
    EXPECT_EQ(window.accept(2, 5, 10), Freshness::bad_sender);
}

TEST(ReplayWindow, ForgetsWhatIsBehindTheWindow) {
    ReplayWindow window(1);
    const std::uint64_t newest = 10 * ReplayWindow::kWindow;
    EXPECT_EQ(window.accept(0, 1, newest), Freshness::fresh);
    EXPECT_EQ(window.accept(0, 1, newest - ReplayWindow::kWindow), Freshness::too_old);
    EXPECT_EQ(window.accept(0, 1, newest - ReplayWindow::kWindow + 1), Freshness::fresh);
    EXPECT_EQ(window.accept(0, 1, UINT64_MAX), Freshness::fresh);
    EXPECT_EQ(window.accept(0, 1, UINT64_MAX), Freshness::repeated);
    EXPECT_EQ(window.accept(0, 1, newest), Freshness::too_old);
}

TEST(ReplayWindow, AnEarlierStartIsRefused) {
    ReplayWindow window(1);
    EXPECT_EQ(window.accept(0, 7, 100), Freshness::fresh);
    EXPECT_EQ(window.accept(0, 8, 100), Freshness::fresh) << "a new start counts anew";
    EXPECT_EQ(window.accept(0, 8, 1), Freshness::fresh);
    EXPECT_EQ(window.accept(0, 7, 101), Freshness::old_boot);
    EXPECT_EQ(window.accept(0, 8, 100), Freshness::repeated);
}

TEST(ReplayWindow, AgreesWithASetOfAllSeen) {
    ReplayWindow window(1);
    std::set<std::uint64_t> seen;
    std::uint64_t newest = 0;
    Random random(3);
    for (int i = 0; i < 100000; ++i) {
        const std::uint64_t jump = random.below(100) == 0 ? random.below(3000) : random.below(4);
        const std::uint64_t counter = newest + jump >= 800 ? newest + jump - random.below(800) : newest + jump;
        const bool old = seen.empty() ? false : newest >= counter && newest - counter >= ReplayWindow::kWindow;
        const Freshness expected = old                   ? Freshness::too_old
                                   : seen.count(counter) ? Freshness::repeated
                                                         : Freshness::fresh;
        ASSERT_EQ(window.accept(0, 1, counter), expected) << "counter " << counter << " newest " << newest;
        if (expected == Freshness::fresh) seen.insert(counter);
        newest = std::max(newest, counter);
    }
}

}  // namespace
}  // namespace fairlead::core
