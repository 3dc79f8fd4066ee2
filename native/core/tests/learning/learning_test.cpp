// SPDX-License-Identifier: Apache-2.0
#include "learning/learning.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

Job learning_job() {
    Job job = rig_job();
    job.learns = true;
    return job;
}

class LearningOf : public testing::Test {
  protected:
    LearningOf() { rig.greet(); }

    /// What is due from now on for so long, its bursts answered with this queue.
    void run(double for_s, double queue_s) {
        for (const Time end = rig.now + for_s; rig.now < end; rig.now += 0.05) {
            learning.advance(rig.now, random, rig.out);
            for (const Action& action : rig.out.take()) {
                all.push_back(action);
                const auto* probes = std::get_if<SendProbes>(&action);
                if (probes == nullptr) continue;
                if (const auto done = rig.probe(probes->peer, queue_s, probes->burst))
                    learning.on_burst(*done, rig.now, rig.out);
            }
        }
        for (const Action& action : rig.out.take()) all.push_back(action);
    }
    PartsRig rig{learning_job(), BaseTable(kRigHosts), SharingRelation(kRigHosts)};
    Random random{1};
    Learning learning{rig.job, rig.paths, rig.traffic, rig.peers};
    std::vector<Action> all;
};

TEST_F(LearningOf, AllBaselinesBeforeTheProgramBegins) {
    for (HostId host = 1; host < kRigHosts; ++host) EXPECT_FALSE(learning.known(host));
    run(10.0, 0.0);
    for (HostId host = 1; host < kRigHosts; ++host) {
        EXPECT_TRUE(learning.known(host)) << host;
        EXPECT_NEAR(rig.paths.base_latency_s({0, host}), 150e-6, 1e-12) << host;
    }
    const auto reports = only<BaseLearnt>(all);
    ASSERT_EQ(reports.size(), 4U) << "each once";
    EXPECT_NEAR(reports[0].latency_s, 150e-6, 1e-12);
    EXPECT_FALSE(messages<wire::PathQuery>(all).empty()) << "a relay measures the second leg of a detour";
    all.clear();
    run(30.0, 0.0);
    EXPECT_TRUE(only<SendProbes>(all).empty()) << "a path that is not used is known well enough";
}

TEST_F(LearningOf, WhatADetourTakesLessIsHidden) {
    run(10.0, 6e-3);
    EXPECT_NEAR(rig.paths.base_latency_s({0, 1}), 3.15e-3, 1e-9) << "half a round trip that always queues";
    // The path to relay 2 has become free, and so have the legs of detours over it.
    rig.probe(2, 0.0);
    std::uint32_t token = 0;
    for (const auto& [relay, query] : messages<wire::PathQuery>(all)) {
        if (query.destination == 1) token = query.token;
    }
    learning.on_report(2, {token, 1, 3, 3, 0.0, 150e-6, 0.0}, rig.now, rig.out);
    EXPECT_NEAR(rig.paths.base_latency_s({0, 1}), 360e-6, 1e-9) << "both legs and the relay";
    EXPECT_NEAR(rig.paths.probes().forward(1, rig.now - 20.0).typical_s, 6e-3 + 2.79e-3, 1e-9);
}

TEST_F(LearningOf, ReportsOfOtherQuestionsSayNothing) {
    run(10.0, 6e-3);
    rig.probe(2, 0.0);
    learning.on_report(2, {9999, 1, 3, 3, 0.0, 150e-6, 0.0}, rig.now, rig.out);
    EXPECT_NEAR(rig.paths.base_latency_s({0, 1}), 3.15e-3, 1e-9);
}

TEST_F(LearningOf, OnlyPathsInUseOnceTheProgramRuns) {
    for (int i = 0; i < 3; ++i) rig.sample(1, 2000);
    for (const Time end = rig.now + 5.0; rig.now < end; rig.now += 0.05) {
        rig.traffic.on_sample({1, 3e-4, 3e-4, 0, rig.delivered_B[1] += 100, 0, 0, false, 0.0, 0.0}, rig.now);
        learning.advance(rig.now, random, rig.out);
    }
    const auto probes = only<SendProbes>(rig.out.take());
    ASSERT_FALSE(probes.empty());
    for (const SendProbes& burst : probes) EXPECT_EQ(burst.peer, 1);
}

TEST_F(LearningOf, TheEndReportsWhatIsNotReportedYet) {
    run(10.0, 0.0);
    learning.finish(1, rig.out);
    EXPECT_TRUE(rig.out.take().empty());
    learning.finish(0, rig.out);
    EXPECT_TRUE(rig.out.take().empty()) << "itself";
}

TEST(Learning, WhereAllIsKnownItDoesNothing) {
    PartsRig rig;
    rig.greet();
    Random random(1);
    Learning learning(rig.job, rig.paths, rig.traffic, rig.peers);
    learning.advance(rig.now, random, rig.out);
    EXPECT_TRUE(rig.out.take().empty());
    EXPECT_TRUE(learning.known(1));
    EXPECT_EQ(learning.next_due(), HUGE_VAL);
}

}  // namespace
}  // namespace fairlead::core
