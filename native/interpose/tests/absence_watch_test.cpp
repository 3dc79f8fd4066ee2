// SPDX-License-Identifier: Apache-2.0
#include "relay/plane/absence_watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>

namespace fairlead::relay {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 5ms;
constexpr auto kPatience = 5s;

TEST(AbsenceWatch, TakesStepsWhileTheProgramTakesNone) {
    std::atomic<int> steps = 0;
    AbsenceWatch watch([&] { ++steps; }, kTick);
    watch.begin();
    const auto latest = std::chrono::steady_clock::now() + kPatience;
    while (steps < 3 && std::chrono::steady_clock::now() < latest) std::this_thread::sleep_for(1ms);
    EXPECT_GE(steps, 3);
}

TEST(AbsenceWatch, TakesNoneBesideTheProgram) {
    std::atomic<int> steps = 0;
    AbsenceWatch watch([&] { ++steps; }, 500ms);
    watch.begin();
    const auto until = std::chrono::steady_clock::now() + 1200ms;
    while (std::chrono::steady_clock::now() < until) watch.program_stepped();
    EXPECT_EQ(steps, 0);
}

TEST(AbsenceWatch, TakesNoneBeforeThereAreFramesAndNoneAfterTheEnd) {
    std::atomic<int> steps = 0;
    AbsenceWatch watch([&] { ++steps; }, kTick);
    std::this_thread::sleep_for(10 * kTick);
    EXPECT_EQ(steps, 0);
    watch.begin();
    watch.end();
    const int at_end = steps;
    watch.begin();
    std::this_thread::sleep_for(10 * kTick);
    EXPECT_EQ(steps, at_end);
}

TEST(AbsenceWatch, LeavesSignalsToTheProgram) {
    std::atomic<int> blocked = -1;
    AbsenceWatch watch(
        [&] {
            sigset_t now;
            pthread_sigmask(SIG_SETMASK, nullptr, &now);
            blocked = sigismember(&now, SIGTERM);
        },
        kTick);
    watch.begin();
    sigset_t here;
    pthread_sigmask(SIG_SETMASK, nullptr, &here);
    EXPECT_EQ(sigismember(&here, SIGTERM), 0);
    const auto latest = std::chrono::steady_clock::now() + kPatience;
    while (blocked == -1 && std::chrono::steady_clock::now() < latest) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(blocked, 1);
}

}  // namespace
}  // namespace fairlead::relay
