// SPDX-License-Identifier: Apache-2.0
#include "process/precedence.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <thread>

#include "process/clock.hpp"
#include "process/privileges.hpp"
#include "process/usage.hpp"

namespace fairlead::agent {
namespace {

void work(double for_s) {
    const double end_s = thread_time_s() + for_s;
    while (thread_time_s() < end_s) {
    }
}

int policy() {
    return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

/// Without CAP_SYS_RESOURCE, which some containers lack, the limit stays as it is.
bool may_take_it_again() {
    rlimit limit{};
    return getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur >= 1;
}

/// In a thread of its own, as an agent that has given up its privileges: other tests are scheduled as before.
template <typename Check>
void as_agent(Check check) {
    bool realtime = true;
    std::thread([&] {
        realtime = raise_scheduling() == Scheduling::realtime;
        if (!realtime) return;
        drop_privileges();
        check();
    }).join();
    if (!realtime) GTEST_SKIP() << "this user has no real-time priority";
}

TEST(Precedence, IsGivenBackByWhoWorksMuchAndTakenAgainLater) {
    as_agent([] {
        Precedence precedence(Scheduling::realtime, 0.02);
        precedence.look(monotonic_s(), 0.0);
        EXPECT_EQ(policy(), SCHED_FIFO);
        work(0.15);
        const double now_s = monotonic_s();
        precedence.look(now_s, 0.0);
        EXPECT_FALSE(precedence.kept());
        EXPECT_EQ(policy(), SCHED_OTHER);
        precedence.look(now_s + 1.0, 0.0);
        EXPECT_FALSE(precedence.kept());
        precedence.look(now_s + 20.0, 15.0);  // behind, it may wait for whoever
        EXPECT_EQ(precedence.kept(), may_take_it_again());
        EXPECT_EQ(policy(), may_take_it_again() ? SCHED_FIFO : SCHED_OTHER);
    });
}

TEST(Precedence, IsGivenBackByWhoWaitsNevertheless) {
    as_agent([] {
        Precedence precedence(Scheduling::realtime, 0.02);
        precedence.look(monotonic_s(), 0.2);
        EXPECT_FALSE(precedence.kept());
        EXPECT_EQ(policy(), SCHED_OTHER);
    });
}

TEST(Precedence, OfAnOrdinaryThreadIsLeftAlone) {
    Precedence precedence(Scheduling::normal, 0.02);
    const int before = sched_getscheduler(0);
    work(0.15);
    precedence.look(monotonic_s(), 1.0);
    EXPECT_TRUE(precedence.kept());
    EXPECT_EQ(sched_getscheduler(0), before);
}

TEST(Precedence, LeavesTimeToSpareUnlessItWorksMuchAndWaitsForIt) {
    Precedence precedence(Scheduling::normal, 0.02);
    const double now_s = monotonic_s();
    precedence.look(now_s, 0.0);
    work(0.15);
    precedence.look(now_s + 0.1, 0.01);
    EXPECT_TRUE(precedence.spare()) << "it takes much, but finds a processor";
    precedence.look(now_s + 0.2, 0.5);
    EXPECT_FALSE(precedence.spare());
    precedence.look(now_s + 30.0, 0.0);
    EXPECT_TRUE(precedence.spare());
    precedence.look(now_s + 31.0, 0.9);
    EXPECT_TRUE(precedence.spare()) << "it waits, but takes little";
}

}  // namespace
}  // namespace fairlead::agent
