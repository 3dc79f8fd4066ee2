// SPDX-License-Identifier: Apache-2.0
#include "traffic/service.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace fairlead::core {
namespace {

using Verdict = ChangeJudge::Verdict;

/// A pair's sockets, sampled every 40 ms.
class Pair40 {
  public:
    explicit Pair40(ChangeJudge& judge) : judge_(judge) {}

    /// The last verdict of `samples` samples at this rate and round trip; `busy`: with bytes under way.
    Verdict run(int samples, double rate_bps, double round_trip_s, bool busy = true) {
        Verdict last = Verdict::none;
        for (int i = 0; i < samples; ++i) {
            now += 0.04;
            delivered_B += busy ? rate_bps * 0.04 / 8.0 : 0.0;
            SocketSample sample;
            sample.peer = 1;
            sample.srtt_s = round_trip_s;
            sample.in_flight_B = busy ? 1000 : 0;
            sample.delivered_B = static_cast<std::uint64_t>(delivered_B);
            if (const Verdict verdict = judge_.add(sample, now); verdict != Verdict::none) last = verdict;
        }
        return last;
    }

    double now = 10.0;
    double delivered_B = 0.0;

  private:
    ChangeJudge& judge_;
};

TEST(ServiceMeter, CountsTheTimeInWhichThereWasSomethingToSend) {
    ServiceMeter meter(4);
    SocketSample sample;
    sample.srtt_s = 2e-3;
    std::optional<Service> got;
    for (int i = 0; i <= 8 && !got; ++i) {
        const bool busy = i % 2 == 0;
        if (busy) sample.delivered_B += 5000;
        got = meter.add(sample, 0.04 * i);
        EXPECT_EQ(got.has_value(), i == 8) << "four busy samples, the first one being where it begins";
    }
    ASSERT_TRUE(got);
    EXPECT_NEAR(got->rate_bps, 1e6, 1.0);
    EXPECT_NEAR(got->round_trip_s, 2e-3, 1e-9);
}

TEST(ChangeJudge, AChangeThatImprovesNothingIsInVain) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    EXPECT_EQ(pair.run(30, 50e6, 10e-3), Verdict::none) << "nothing was changed";
    judge.changed(true, pair.now);
    EXPECT_EQ(pair.run(30, 52e6, 9.5e-3), Verdict::in_vain);
}

TEST(ChangeJudge, ThroughputOrRoundTripMayImprove) {
    const ServiceSettings settings;
    for (const Service after : {Service{60e6, 10e-3}, Service{50e6, 8e-3}}) {
        ChangeJudge judge(settings);
        Pair40 pair(judge);
        pair.run(30, 50e6, 10e-3);
        judge.changed(true, pair.now);
        EXPECT_EQ(pair.run(60, after.rate_bps, after.round_trip_s), Verdict::none);
    }
}

/// Agents carry more than the sockets, before or after: then throughput alone decides.
TEST(ChangeJudge, RoundTripsThatAreUnknownAreNoImprovement) {
    const ServiceSettings settings;
    for (const auto& [before_s, after_s] : {std::pair(10e-3, 0.0), std::pair(0.0, 5e-3), std::pair(0.0, 0.0)}) {
        ChangeJudge judge(settings);
        Pair40 pair(judge);
        pair.run(30, 50e6, before_s);
        judge.changed(true, pair.now);
        EXPECT_EQ(pair.run(30, 52e6, after_s), Verdict::in_vain);
        pair.run(30, 50e6, before_s);
        judge.changed(true, pair.now);
        EXPECT_EQ(pair.run(60, 60e6, after_s), Verdict::none);
    }
}

TEST(ChangeJudge, PausesOfTheProgramAreNoLoss) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    pair.run(30, 50e6, 10e-3);
    judge.changed(true, pair.now);
    pair.run(200, 0.0, 10e-3, false);
    EXPECT_EQ(pair.run(30, 80e6, 10e-3), Verdict::none);
}

TEST(ChangeJudge, ATrialLosesWhenThePairGetsLessThanTheShare) {
    const ServiceSettings settings;
    for (const double after_bps : {24e6, 26e6}) {
        ChangeJudge judge(settings);
        Pair40 pair(judge);
        pair.run(30, 50e6, 10e-3);
        judge.changed(false, pair.now, 0.5);
        EXPECT_EQ(pair.run(30, after_bps, 5e-3), after_bps < 25e6 ? Verdict::lost : Verdict::none);
        EXPECT_EQ(pair.run(30, 1e6, 5e-3), Verdict::none) << "told once";
    }
}

TEST(ChangeJudge, ATrialIsNotLostByASingleWindow) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    pair.run(30, 50e6, 10e-3);
    judge.changed(false, pair.now, 0.5);
    EXPECT_EQ(pair.run(10, 1e6, 10e-3), Verdict::none) << "no large message was under way";
    EXPECT_EQ(pair.run(30, 50e6, 10e-3), Verdict::none);
}

TEST(ChangeJudge, TheDirectPathOnTrialIsComparedWithTheMeanOfTheDetour) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    judge.changed(false, pair.now, 0.0, 100e6);
    pair.run(60, 40e6, 10e-3);
    pair.run(10, 12e6, 10e-3);
    judge.changed(false, pair.now, 0.87);
    EXPECT_EQ(pair.run(30, 20e6, 10e-3), Verdict::lost) << "more than in the detour's last window, less than in all";
}

TEST(ChangeJudge, ATrialBeforeAnythingWasMeasuredIsNotJudged) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    judge.changed(false, pair.now, 0.5);
    EXPECT_EQ(pair.run(30, 1e6, 10e-3), Verdict::none);
}

TEST(ChangeJudge, SeesWhenAPairGetsLittleOfTheFreePathsThroughputForLong) {
    const ServiceSettings settings;
    constexpr double kFree_bps = 50e6;
    for (const double rate_bps : {4e6, 24e6, 26e6}) {
        ChangeJudge judge(settings);
        Pair40 pair(judge);
        judge.changed(false, pair.now, 0.5, kFree_bps);
        EXPECT_EQ(pair.run(15, rate_bps, 10e-3), Verdict::none);
        EXPECT_FALSE(judge.gets_little()) << "a single window";
        pair.run(30, rate_bps, 10e-3);
        EXPECT_EQ(judge.gets_little(), rate_bps == 24e6) << "not where it only waits for round trips";
        judge.changed(false, pair.now);
        pair.run(60, rate_bps, 10e-3);
        EXPECT_FALSE(judge.gets_little()) << "nothing is expected of this route";
    }
}

TEST(ChangeJudge, AForcedChangeIsNotJudged) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    pair.run(30, 50e6, 10e-3);
    judge.changed(false, pair.now);
    EXPECT_EQ(pair.run(60, 10e6, 50e-3), Verdict::none);
}

TEST(ChangeJudge, WhenTheServiceCollapsesAfterwardsTheVerdictIsOutOfDate) {
    const ServiceSettings settings;
    ChangeJudge judge(settings);
    Pair40 pair(judge);
    pair.run(30, 50e6, 10e-3);
    judge.changed(true, pair.now);
    EXPECT_EQ(pair.run(30, 50e6, 10e-3), Verdict::in_vain);
    EXPECT_EQ(pair.run(60, 40e6, 12e-3), Verdict::none) << "a little worse";
    EXPECT_EQ(pair.run(30, 20e6, 25e-3), Verdict::worse);
    EXPECT_EQ(pair.run(60, 5e6, 60e-3), Verdict::none) << "told once";
}

}  // namespace
}  // namespace fairlead::core
