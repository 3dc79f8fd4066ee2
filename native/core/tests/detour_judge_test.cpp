// SPDX-License-Identifier: Apache-2.0
#include "detour_judge.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

using Verdict = DetourJudge::Verdict;

/// A pair's sockets, sampled every 40 ms, that have something to send for a tenth of the time.
class Sockets {
  public:
    explicit Sockets(DetourJudge& judge) : judge_(judge) {}

    /// The last verdict of `samples` samples; rate_bps: while there is something to send.
    Verdict run(int samples, double rate_bps, double busy_share = 0.1) {
        Verdict last = Verdict::none;
        for (int i = 0; i < samples; ++i) {
            now += kPeriod_s;
            busy_s_ += busy_share * kPeriod_s;
            delivered_B_ += rate_bps / 8.0 * busy_share * kPeriod_s;
            SocketSample sample;
            sample.peer = 1;
            sample.in_flight_B = 1000;
            sample.delivered_B = static_cast<std::uint64_t>(delivered_B_);
            sample.busy_s = busy_s_;
            if (const Verdict verdict = judge_.add(sample, now); verdict != Verdict::none) last = verdict;
        }
        return last;
    }

    double now = 10.0;

  private:
    static constexpr double kPeriod_s = 0.04;
    DetourJudge& judge_;
    double busy_s_ = 1.0;
    double delivered_B_ = 0.0;
};

constexpr int kEnough = 30;  // samples: twice what a judgement takes
constexpr double kFree_bps = 100e6;

class Judged : public testing::Test {
  protected:
    /// What the judge says of a detour, after a free direct path and two samples of a congested one.
    Verdict moved(double congested_bps, double detour_bps) {
        sockets.run(kEnough, kFree_bps);
        const double since = sockets.now;
        sockets.run(2, congested_bps, 1.0);
        judge.left_direct(since, sockets.now);
        return sockets.run(kEnough, detour_bps);
    }

    ServiceSettings settings;
    DetourJudge judge{settings};
    Sockets sockets{judge};
};

TEST_F(Judged, ADetourThatGivesWhatThePairHadIsNotDoubted) {
    EXPECT_EQ(moved(80e6, 95e6), Verdict::none);
}

TEST_F(Judged, NeitherIsOneThatGivesMuchMoreThanTheCongestedPath) {
    EXPECT_EQ(moved(10e6, 50e6), Verdict::none);
}

TEST_F(Judged, OneThatGivesAboutAsMuchIsDoubtedOnce) {
    EXPECT_EQ(moved(60e6, 70e6), Verdict::doubtful);
    EXPECT_EQ(sockets.run(4 * kEnough, 70e6), Verdict::none);
}

TEST_F(Judged, ATrialEndsForThePathThatGivesMore) {
    ASSERT_EQ(moved(60e6, 70e6), Verdict::doubtful);
    judge.returned(true, sockets.now);
    ASSERT_TRUE(judge.on_trial());
    EXPECT_EQ(sockets.run(kEnough, 50e6), Verdict::detour_pays);
    EXPECT_FALSE(judge.on_trial());
}

TEST_F(Judged, EqualPathsEndItForTheDirectOne) {
    ASSERT_EQ(moved(60e6, 70e6), Verdict::doubtful);
    judge.returned(true, sockets.now);
    EXPECT_EQ(sockets.run(kEnough, 65e6), Verdict::direct_pays);
}

TEST_F(Judged, ADirectPathThatGotMuchWorseSinceIsTold) {
    ASSERT_EQ(moved(60e6, 70e6), Verdict::doubtful);
    judge.returned(true, sockets.now);
    ASSERT_EQ(sockets.run(kEnough, 65e6), Verdict::direct_pays);
    EXPECT_EQ(sockets.run(kEnough, 50e6), Verdict::none) << "a little worse";
    EXPECT_EQ(sockets.run(kEnough, 20e6), Verdict::worse);
    EXPECT_EQ(sockets.run(kEnough, 20e6), Verdict::none) << "told once";
}

TEST_F(Judged, AReturnForAnotherReasonComparesNothing) {
    ASSERT_EQ(moved(60e6, 70e6), Verdict::doubtful);
    judge.returned(false, sockets.now);
    EXPECT_FALSE(judge.on_trial());
    EXPECT_EQ(sockets.run(kEnough, 10e6), Verdict::none);
}

TEST_F(Judged, PausesOfTheProgramAreNoLoss) {
    sockets.run(kEnough, kFree_bps, 0.5);
    judge.left_direct(sockets.now - 0.08, sockets.now);
    EXPECT_EQ(sockets.run(4 * kEnough, 95e6, 0.05), Verdict::none) << "as fast, but seldom";
}

TEST_F(Judged, APairThatSentTooLittleUnderCongestionIsNotDoubted) {
    sockets.run(kEnough, kFree_bps, 0.01);
    judge.left_direct(sockets.now - 0.08, sockets.now);
    EXPECT_EQ(sockets.run(10 * kEnough, 50e6, 0.05), Verdict::none);
}

TEST(DetourJudge, NothingIsDoubtedWhereNothingIsKnownOfTheDirectPath) {
    const ServiceSettings settings;
    DetourJudge judge(settings);
    Sockets sockets(judge);
    judge.left_direct(sockets.now, sockets.now);
    EXPECT_EQ(sockets.run(4 * kEnough, 1e6), Verdict::none);
}

}  // namespace
}  // namespace fairlead::core
