// SPDX-License-Identifier: Apache-2.0
#include "roles/load_reports.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(LoadReports, AreSentOnceTheSocketsWereSampled) {
    const Job job = rig_job();
    LoadReports reports(job);
    Outbox out;
    EXPECT_FALSE(reports.any());
    EXPECT_EQ(reports.next_deadline(), HUGE_VAL);
    reports.ask(3, 77, 100.0, out);
    reports.ask(0, 5, 100.001, out);
    EXPECT_EQ(only<SampleSockets>(out.take()).size(), 2U);
    EXPECT_DOUBLE_EQ(reports.next_deadline(), 100.005);
    EXPECT_TRUE(reports.answer(false, {}, 100.004, out).empty()) << "waits for the samples";
    EXPECT_TRUE(out.take().empty());
    const std::vector<wire::LoadEntry> entries{{1, kNoHost, 4000, 2000, 0}};
    EXPECT_EQ(reports.answer(true, entries, 100.004, out), std::vector<std::uint32_t>{5});
    const auto sent = messages<wire::LoadReport>(out.take());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 3);
    EXPECT_EQ(sent[0].second, (wire::LoadReport{77, entries}));
    EXPECT_FALSE(reports.any());
}

TEST(LoadReports, AreSentWithOldSamplesToWhoWaitedTooLong) {
    const Job job = rig_job();
    LoadReports reports(job);
    Outbox out;
    reports.ask(3, 77, 100.0, out);
    reports.ask(4, 78, 100.004, out);
    out.take();
    reports.answer(false, {}, 100.006, out);
    const auto sent = messages<wire::LoadReport>(out.take());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 3);
    EXPECT_TRUE(reports.any());
}

TEST(LoadReports, TooManyQueriesAreIgnored) {
    const Job job = rig_job();
    LoadReports reports(job);
    Outbox out;
    for (std::uint32_t token = 0; token < 1000; ++token) reports.ask(3, token, 100.0, out);
    EXPECT_EQ(only<SampleSockets>(out.take()).size(), 256U);
}

}  // namespace
}  // namespace fairlead::core
