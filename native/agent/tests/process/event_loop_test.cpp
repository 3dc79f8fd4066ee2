// SPDX-License-Identifier: Apache-2.0
#include "process/event_loop.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <string>
#include <thread>
#include <vector>

#include "process/clock.hpp"

namespace fairlead::agent {
namespace {

TEST(EventLoop, TimersInOrderAndCancelled) {
    EventLoop loop;
    std::string order;
    loop.after(0.02, [&] {
        order += 'b';
        loop.stop();
    });
    loop.after(0.01, [&] { order += 'a'; });
    const auto never = loop.after(0.005, [&] { order += 'x'; });
    loop.cancel(never);
    loop.cancel(never);
    loop.run();
    EXPECT_EQ(order, "ab");
}

/// One wake for what is due together: a timer that can wait runs when the loop is awake for another one.
TEST(EventLoop, ATimerWithSlackWaitsForAnother) {
    EventLoop loop;
    const double begin = monotonic_s();
    std::string order;
    double ran_s = 0.0;
    loop.at(
        begin + 0.01,
        [&] {
            order += 's';
            ran_s = monotonic_s();
        },
        10.0);
    loop.at(begin + 0.03, [&] { order += 't'; });
    loop.at(begin + 0.05, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(order, "ts") << "those that must run come first";
    EXPECT_GE(ran_s, begin + 0.03);
}

TEST(EventLoop, ATimerWithSlackRunsWhenThatIsOver) {
    EventLoop loop;
    const double begin = monotonic_s();
    double ran_s = 0.0;
    loop.after(
        0.0,
        [&] {
            ran_s = monotonic_s();
            loop.stop();
        },
        0.02);
    // Due before, and cancelled: the timer that it armed tells nobody.
    loop.cancel(loop.after(0.015, [] { FAIL(); }));
    loop.post([] {});
    loop.run();
    EXPECT_GE(ran_s, begin) << "awake for what was posted";
    loop.after(0.0, [&] {
        loop.after(
            0.005, [&] { loop.stop(); }, 0.02);
    });
    const double again = monotonic_s();
    loop.run();
    EXPECT_GE(monotonic_s(), again + 0.025);
}

TEST(EventLoop, TakesWorkFromThreads) {
    EventLoop loop;
    int sum = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 250; ++i) {
                loop.post([&] {
                    if (++sum == 1000) loop.stop();
                });
            }
        });
    }
    loop.run();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(sum, 1000);
}

TEST(EventLoop, TimersOfThePastDoNotStarveDescriptors) {
    constexpr int kMany = 1000;
    EventLoop loop;
    const UniqueFd ready(eventfd(1, EFD_CLOEXEC));
    int rounds = 0;
    int rounds_before_descriptor = -1;
    const std::function<void()> again = [&] {
        if (++rounds == kMany) return loop.stop();
        loop.at(monotonic_s() - 1.0, again);
    };
    loop.watch(ready.get(), EPOLLIN, [&](std::uint32_t) {
        rounds_before_descriptor = rounds;
        loop.stop();
    });
    loop.at(0.0, again);
    loop.run();
    EXPECT_EQ(rounds_before_descriptor, 1);
}

TEST(EventLoop, ATimerThatIsDueCanBeCancelledByAnEarlierOne) {
    EventLoop loop;
    std::vector<int> ran;
    const double now = monotonic_s();
    EventLoop::TimerId third = 0;
    loop.at(now - 1.0, [&] { ran.push_back(2); });
    loop.at(now - 2.0, [&] {
        ran.push_back(1);
        loop.cancel(third);
    });
    third = loop.at(now - 0.5, [&] { ran.push_back(3); });
    loop.at(now - 0.1, [&] {
        ran.push_back(4);
        loop.stop();
    });
    loop.run();
    EXPECT_EQ(ran, (std::vector<int>{1, 2, 4}));
}

}  // namespace
}  // namespace fairlead::agent
