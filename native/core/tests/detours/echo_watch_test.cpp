// SPDX-License-Identifier: Apache-2.0
#include "detours/echo_watch.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

const EchoSettings kSettings;

TEST(EchoWatch, TheFirstIsDueAtOnceAndTheOthersAsUsual) {
    EchoWatch echoes;
    EXPECT_LT(echoes.next(0.1, kSettings), 0.0);
    echoes.sent(1, 5.0);
    EXPECT_TRUE(echoes.answered(1, 5.001));
    EXPECT_DOUBLE_EQ(echoes.next(0.1, kSettings), 5.1);
    EXPECT_DOUBLE_EQ(echoes.next(0.5, kSettings), 5.5) << "the pair is not in use any more";
}

TEST(EchoWatch, OneIsMissingAfterItsPatienceAndThenTheyComeFaster) {
    EchoWatch echoes;
    echoes.sent(1, 0.0);
    EXPECT_TRUE(echoes.answered(1, 0.001));
    EXPECT_DOUBLE_EQ(echoes.patience_s(kSettings), kSettings.patience_min_s);
    echoes.sent(2, 0.1);
    EXPECT_EQ(echoes.missing(kSettings, 0.149), 0);
    EXPECT_EQ(echoes.missing(kSettings, 0.151), 1);
    EXPECT_DOUBLE_EQ(echoes.next(0.1, kSettings), 0.1 + kSettings.patience_min_s);
    echoes.sent(3, 0.15);
    EXPECT_DOUBLE_EQ(echoes.next(0.1, kSettings), 0.15 + kSettings.quick_s);
    EXPECT_EQ(echoes.missing(kSettings, 0.201), 2);
}

TEST(EchoWatch, AnAnswerClearsTheOlderOnesOnly) {
    EchoWatch echoes;
    for (std::uint32_t token = 1; token <= 4; ++token) echoes.sent(token, token * 0.1);
    EXPECT_TRUE(echoes.answered(3, 0.41));
    EXPECT_FALSE(echoes.answered(3, 0.42)) << "it comes back by two path_groups";
    EXPECT_FALSE(echoes.answered(2, 0.42)) << "older";
    EXPECT_FALSE(echoes.answered(9, 0.42)) << "never sent";
    EXPECT_EQ(echoes.missing(kSettings, 10.0), 1);
}

TEST(EchoWatch, PatienceFollowsTheRoundTripsAsTcpsTimeOutDoes) {
    EchoWatch echoes;
    EXPECT_DOUBLE_EQ(echoes.patience_s(kSettings), kSettings.patience_first_s);
    echoes.sent(1, 0.0);
    echoes.answered(1, 0.1);
    EXPECT_DOUBLE_EQ(echoes.patience_s(kSettings), 0.1 + 4.0 * 0.05);  // RFC 6298, 2.2
    echoes.sent(2, 1.0);
    echoes.answered(2, 1.18);  // 2.3: deviation 3/4 0.05 + 1/4 0.08, then smoothed 7/8 0.1 + 1/8 0.18
    EXPECT_NEAR(echoes.patience_s(kSettings), 0.11 + 4.0 * 0.0575, 1e-12);
    echoes.sent(3, 2.0);
    echoes.answered(3, 9.0);
    EXPECT_DOUBLE_EQ(echoes.patience_s(kSettings), kSettings.patience_max_s);
}

TEST(EchoWatch, AnAgentThatDidNotRunMissesNoneButWhatItSent) {
    EchoWatch echoes;
    echoes.sent(1, 0.0);
    EXPECT_EQ(echoes.missing(kSettings, 100.0), 1);
}

TEST(EchoWatch, KeepsWhatTheLastAnswersTold) {
    EchoWatch watch;
    for (std::uint32_t token = 1; token <= 10; ++token) {
        watch.sent(token, token);
        const std::optional<Time> free_departure = token == 10 ? std::optional(10.005) : std::nullopt;
        watch.answered(token, token + 0.02 + 0.001 * token, free_departure);
    }
    ASSERT_EQ(watch.recent().size(), EchoWatch::kRecent);
    EXPECT_NEAR(watch.recent().front().round_trip_s, 0.023, 1e-9);
    EXPECT_FALSE(watch.recent().front().late_s.has_value());
    EXPECT_NEAR(watch.recent().back().round_trip_s, 0.030, 1e-9);
    ASSERT_TRUE(watch.recent().back().late_s.has_value());
    EXPECT_NEAR(*watch.recent().back().late_s, 0.005, 1e-9);
}

}  // namespace
}  // namespace fairlead::core
