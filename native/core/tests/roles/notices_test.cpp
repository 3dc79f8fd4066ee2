// SPDX-License-Identifier: Apache-2.0
#include "roles/notices.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class NoticesOf : public testing::Test {
  protected:
    NoticesOf() { rig.greet(); }

    /// Probes to the peer whose answers queued on their way back.
    Burst slow_answers(HostId peer) {
        const std::uint32_t id = rig.paths.probes().burst(peer, rig.now, rig.out.actions());
        std::optional<Burst> done;
        for (int i = 0; i < 3; ++i) {
            done = rig.paths.probes().on_result({peer, id, rig.now + 0.003 * i, false, 6e-3, 0.0, 5e-3, 0.0}, rig.now);
        }
        rig.now += 0.02;
        rig.out.take();
        return *done;
    }
    PartsRig rig;
    Notices notices{rig.job, rig.paths, rig.peers};
};

TEST_F(NoticesOf, TellTheSourceOfASlowPath) {
    notices.on_burst(slow_answers(2), rig.now, rig.out);
    const auto sent = messages<wire::Notice>(rig.out.take());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 2);
    EXPECT_EQ(sent[0].second.source, 2);
    EXPECT_EQ(sent[0].second.destination, 0);
    EXPECT_EQ(sent[0].second.congestion_level, CongestionLevel::high);
    notices.on_burst(slow_answers(2), rig.now, rig.out);
    EXPECT_TRUE(rig.out.take().empty()) << "so often is enough";
    rig.now += rig.job.settings.report.notice_period_s;
    notices.on_burst(slow_answers(2), rig.now, rig.out);
    EXPECT_EQ(messages<wire::Notice>(rig.out.take()).size(), 1U);
    notices.stop();
    rig.now += 1.0;
    notices.on_burst(slow_answers(2), rig.now, rig.out);
    EXPECT_TRUE(rig.out.take().empty());
}

TEST_F(NoticesOf, GoOverAThirdHostAsWellWhereThePathToTheSourceIsSlow) {
    const std::uint32_t id = rig.paths.probes().burst(2, rig.now, rig.out.actions());
    rig.paths.judge(*rig.probe(2, 20e-3, id), rig.now, rig.out);
    ASSERT_EQ(rig.paths.congestion_level(2), CongestionLevel::high);
    notices.on_burst(slow_answers(2), rig.now, rig.out);
    const auto sent = messages<wire::Notice>(rig.out.take());
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].first, 2);
    EXPECT_EQ(sent[1].first, 1);
}

TEST_F(NoticesOf, OfOthersAreHandedOnOnce) {
    const wire::Notice notice{4, 1, CongestionLevel::high, 5e-3, 0.0};
    notices.hand_on(1, notice, rig.out);
    ASSERT_EQ(messages<wire::Notice>(rig.out.take()).size(), 1U);
    notices.hand_on(2, notice, rig.out);
    EXPECT_TRUE(rig.out.take().empty()) << "not from the path's destination";
}

TEST_F(NoticesOf, MessagesThatTookLongAreASign) {
    for (int i = 0; i < 8; ++i) notices.on_message({2, 4096, 400e-6, 1e-6}, rig.now += 0.1, rig.out);
    EXPECT_TRUE(rig.out.take().empty());
    for (int i = 0; i < 4; ++i) notices.on_message({2, 4096, 20e-3, 1e-6}, rig.now += 0.1, rig.out);
    const auto sent = messages<wire::Notice>(rig.out.take());
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent[0].first, 2);
    EXPECT_GT(sent[0].second.queue_delay_s, 15e-3);
    EXPECT_LE(sent[0].second.queue_delay_s, 20e-3);
}

TEST_F(NoticesOf, TellHostsWhosePairsShareTheBottleneck) {
    SharingRelation sharing = rig_sharing();
    sharing.set_hurts({0, 1}, {2, 3});
    rig.paths.set_sharing(sharing);
    const std::vector<LoadSnapshot::Source> loads{
        {0, rig.now, {{1, kNoHost, 9000, 0, 0}}},
        {2, rig.now, {{3, kNoHost, 9000, 0, 0}, {1, kNoHost, 9000, 0, 0}}},
        {4, rig.now, {{3, kNoHost, 9000, 0, 0}}},
    };
    notices.tell_sharing({0, 1, CongestionLevel::high, 5e-3, 0.4}, loads, rig.now, rig.out);
    const auto sent = messages<wire::Notice>(rig.out.take());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].second, (wire::Notice{2, 3, CongestionLevel::high, 5e-3, 0.4}));
    notices.tell_sharing({0, 1, CongestionLevel::high, 5e-3, 0.4}, loads, rig.now, rig.out);
    EXPECT_TRUE(rig.out.take().empty());
}

}  // namespace
}  // namespace fairlead::core
