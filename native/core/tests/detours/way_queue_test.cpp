// SPDX-License-Identifier: Apache-2.0
#include "detours/way_queue.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(WayQueue, IsWhatAnEchoTakesLongerThanTheFastestProbeLessWhatItsAnswerQueuesFor) {
    PartsRig rig;
    rig.probe(1, 0.0);
    const EchoTime echo{300e-6 + 7e-3, {}};
    EXPECT_NEAR(way_queue_s(rig.paths, 1, echo, rig.now), 7e-3, 1e-9);
    EXPECT_DOUBLE_EQ(way_queue_s(rig.paths, 1, {200e-6, {}}, rig.now), 0.0) << "faster than any probe";
    for (int i = 0; i < 3; ++i) {
        rig.paths.probes().on_result({1, 0, rig.now + 0.001 * i, false, 4.3e-3, 0.0, 4e-3, 0.0}, rig.now);
    }
    EXPECT_NEAR(way_queue_s(rig.paths, 1, echo, rig.now), 3e-3, 1e-9);
    EXPECT_NEAR(way_queue_s(rig.paths, 1, echo, rig.now + 1.0), 7e-3, 1e-9) << "nothing is known of then";
}

TEST(WayQueue, IsHowLateAnEchoArrivesWhereThatIsTold) {
    PartsRig rig;
    rig.probe(1, 0.0);
    for (int i = 0; i < 3; ++i) {
        rig.paths.probes().on_result({1, 0, rig.now + 0.001 * i, false, 20.3e-3, 0.0, 20e-3, 0.0}, rig.now);
    }
    EXPECT_NEAR(way_queue_s(rig.paths, 1, {300e-6 + 16e-3, 6e-3}, rig.now), 6e-3, 1e-9)
        << "the rest was on its way back";
    EXPECT_DOUBLE_EQ(way_queue_s(rig.paths, 1, {300e-6 + 16e-3, -1e-3}, rig.now), 0.0);
    EXPECT_NEAR(way_queue_s(rig.paths, 1, {300e-6 + 16e-3, 100.0}, rig.now), 16e-3, 1e-9) << "a clock was set";
}

}  // namespace
}  // namespace fairlead::core
