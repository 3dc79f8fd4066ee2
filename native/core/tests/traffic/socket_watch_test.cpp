// SPDX-License-Identifier: Apache-2.0
#include "traffic/socket_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fairlead::core {
namespace {

constexpr double kBase_s = 300e-6;  // the round trip; from 1 ms above it on it is slow
constexpr double kBase_bps = 200e6;

/// Sockets to one peer that are read every 40 ms.
class Sockets : public testing::Test {
  protected:
    Suspicion sample() { return watch.on_sample(next, kBase_s, kBase_bps, settings, now += 0.04); }
    /// So many more bytes were acknowledged.
    Suspicion deliver(std::uint64_t size_B) {
        next.delivered_B += size_B;
        return sample();
    }
    /// In use, and nothing is wrong.
    void use() {
        sample();
        deliver(2000);
    }
    /// A false alarm.
    void clear_delay() {
        next.srtt_s = 5e-3;
        ASSERT_EQ(deliver(2000), Suspicion::delay);
        watch.cleared(settings.suspicion, now);
    }
    Settings settings;
    SocketWatch watch;
    Time now = 100.0;
    SocketSample next{1, kBase_s, kBase_s, 20000, 5000, 0, 0, false, 0.2, 0.0};
};

TEST_F(Sockets, ThatAreFineAreNotSuspected) {
    use();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(deliver(2000), Suspicion::none);
}

TEST_F(Sockets, ARoundTripFarAboveItsBaseIsASign) {
    use();
    next.srtt_s = kBase_s + 0.9e-3;
    EXPECT_EQ(deliver(2000), Suspicion::none);
    next.srtt_s = kBase_s + 1.1e-3;
    EXPECT_EQ(deliver(2000), Suspicion::delay);
    next.in_flight_B = 0;
    EXPECT_EQ(sample(), Suspicion::none) << "nothing moves: what it tells is old";
    EXPECT_EQ(deliver(1), Suspicion::delay);
}

TEST_F(Sockets, TheyTellForHowLongAndByHowMuchTheyAreSlow) {
    use();
    EXPECT_DOUBLE_EQ(watch.slow_for_s(now), 0.0);
    next.srtt_s = kBase_s + 5e-3;
    deliver(2000);
    const Time since = now;
    for (int i = 0; i < 5; ++i) deliver(2000);
    EXPECT_NEAR(watch.slow_for_s(now), now - since, 1e-9);
    EXPECT_NEAR(watch.excess_s(), 5e-3, 1e-9);
    watch.begin_anew(now);
    EXPECT_DOUBLE_EQ(watch.slow_for_s(now), 0.0) << "of another path";
    deliver(2000);
    deliver(2000);
    EXPECT_NEAR(watch.slow_for_s(now), 0.04, 1e-9);
    next.srtt_s = kBase_s + 0.5e-3;
    deliver(2000);
    EXPECT_DOUBLE_EQ(watch.slow_for_s(now), 0.0);
}

TEST_F(Sockets, APauseIsNoTimeForWhichTheyAreSlow) {
    use();
    next.srtt_s = kBase_s + 5e-3;
    deliver(2000);
    next.in_flight_B = 0;
    for (int i = 0; i < 150; ++i) sample();
    const Time since = now;
    deliver(2000);
    EXPECT_LE(watch.slow_for_s(now), now - since) << "what was measured before the pause is old";
}

TEST_F(Sockets, TheBaseIsTheLessOfWhatIsKnown) {
    next.min_rtt_s = 10e-3;  // of a connection that never saw the path free
    next.srtt_s = 12e-3;
    use();
    EXPECT_EQ(deliver(2000), Suspicion::delay);
    EXPECT_EQ(watch.on_sample(next, 0.0, 0.0, settings, now + 0.02), Suspicion::none) << "unknown: its own smallest";
    next.min_rtt_s = 0.0;
    EXPECT_EQ(watch.on_sample(next, 0.0, 0.0, settings, now + 0.04), Suspicion::none) << "nothing is known";
    EXPECT_EQ(watch.on_sample(next, kBase_s, 0.0, settings, now + 0.045), Suspicion::delay) << "its base alone";
}

TEST_F(Sockets, SegmentsSentAgainAreASign) {
    use();
    next.retransmits = 1;
    EXPECT_EQ(deliver(2000), Suspicion::loss);
    EXPECT_EQ(deliver(2000), Suspicion::none) << "since the last sample";
    settings.suspicion.retransmits = 3;
    next.retransmits = 3;
    EXPECT_EQ(deliver(2000), Suspicion::none);
    next.retransmits = 6;
    EXPECT_EQ(deliver(2000), Suspicion::loss);
    EXPECT_EQ(watch.retransmits(now, 0.03), 3U);
    EXPECT_EQ(watch.retransmits(now, 0.05), 5U);
    EXPECT_EQ(watch.retransmits(now, 10.0), 6U);
}

TEST_F(Sockets, BytesThatAreNotAcknowledgedStall) {
    use();
    EXPECT_EQ(sample(), Suspicion::none);
    EXPECT_FALSE(watch.stalled());
    EXPECT_EQ(sample(), Suspicion::stall) << "for 80 ms";
    EXPECT_TRUE(watch.stalled());
    EXPECT_EQ(deliver(1), Suspicion::none);
    EXPECT_FALSE(watch.stalled());
    next.in_flight_B = 0;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(sample(), Suspicion::none) << "nothing is under way";
    next.in_flight_B = 1000;
    EXPECT_EQ(sample(), Suspicion::none) << "it is under way for one period at most";
}

TEST_F(Sockets, AStallIsMoreThanALossAndALossMoreThanADelay) {
    use();
    next.srtt_s = 20e-3;
    next.retransmits = 1;
    EXPECT_EQ(deliver(2000), Suspicion::loss);
    next.retransmits = 2;
    sample();
    next.retransmits = 3;
    EXPECT_EQ(sample(), Suspicion::stall);
}

TEST_F(Sockets, TheNetworksLimitFarBelowTheBaseThroughputIsASignAfterAWhile) {
    use();
    next.network_limited = true;  // 100 Mbit/s of 200
    EXPECT_EQ(deliver(500000), Suspicion::none);
    EXPECT_EQ(deliver(500000), Suspicion::none);
    EXPECT_EQ(deliver(500000), Suspicion::shortfall) << "three in a row";
    EXPECT_EQ(deliver(500000), Suspicion::shortfall);
    next.network_limited = false;
    EXPECT_EQ(deliver(500000), Suspicion::none);
    next.network_limited = true;
    EXPECT_EQ(deliver(500000), Suspicion::none) << "they are counted anew";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(deliver(800000), Suspicion::none) << "160 Mbit/s are enough";
}

TEST_F(Sockets, WithoutABaseThroughputThereIsNoShortfall) {
    next.network_limited = true;
    for (int i = 0; i < 10; ++i) {
        next.delivered_B += 1000;
        EXPECT_EQ(watch.on_sample(next, kBase_s, 0.0, settings, now += 0.04), Suspicion::none);
    }
}

TEST_F(Sockets, AFalseAlarmIsFollowedByAPauseThatDoubles) {
    use();
    double wanted_s = settings.suspicion.backoff_min_s;
    for (int alarm = 0; alarm < 7; ++alarm) {
        clear_delay();
        const Time cleared = now;
        now = cleared + wanted_s - 0.04 - 1e-6;
        EXPECT_EQ(deliver(2000), Suspicion::none) << alarm;
        now = cleared + wanted_s - 0.04 + 1e-6;
        EXPECT_EQ(deliver(2000), Suspicion::delay) << alarm;
        wanted_s = std::min(2.0 * wanted_s, settings.suspicion.backoff_max_s);
    }
}

TEST_F(Sockets, ThePausesAreForgottenWhenItWasCongestionOrLongAgo) {
    use();
    for (int alarm = 0; alarm < 4; ++alarm) {
        clear_delay();
        now += settings.suspicion.backoff_max_s;
    }
    watch.confirmed();
    clear_delay();
    now += settings.suspicion.backoff_min_s;
    EXPECT_EQ(deliver(2000), Suspicion::delay) << "confirmed: the shortest again";
    for (int alarm = 0; alarm < 4; ++alarm) {
        clear_delay();
        now += settings.suspicion.backoff_max_s;
    }
    now += 2.0 * settings.suspicion.backoff_max_s;
    clear_delay();
    now += settings.suspicion.backoff_min_s;
    EXPECT_EQ(deliver(2000), Suspicion::delay) << "long ago: as well";
}

TEST_F(Sockets, AnotherSignOrAMuchLongerRoundTripEndsThePause) {
    use();
    clear_delay();  // at 5 ms
    next.srtt_s = 1.5 * 5e-3 + 0.9e-3;
    EXPECT_EQ(deliver(2000), Suspicion::none) << "not yet";
    next.srtt_s = 1.5 * 5e-3 + 1.1e-3;
    now -= 0.03;
    EXPECT_EQ(deliver(2000), Suspicion::delay);
    watch.cleared(settings.suspicion, now);
    next.srtt_s = 5e-3;
    next.retransmits = 1;
    EXPECT_EQ(deliver(2000), Suspicion::loss) << "another sign";
    watch.cleared(settings.suspicion, now);
    next.retransmits = 2;
    EXPECT_EQ(deliver(2000), Suspicion::none) << "that led to nothing, too";
    EXPECT_EQ(deliver(2000), Suspicion::none) << "nor is the first forgotten";
    next.retransmits = 3;
    next.srtt_s = 50e-3;
    EXPECT_EQ(deliver(2000), Suspicion::none) << "a longer round trip makes no more of a loss";
}

TEST_F(Sockets, APauseEndsOnlyForARoundTripLongerThanThoseOfTheLastTwoFalseAlarms) {
    use();
    next.srtt_s = 20e-3;
    ASSERT_EQ(deliver(2000), Suspicion::delay);
    watch.cleared(settings.suspicion, now);
    now += settings.suspicion.backoff_min_s;
    clear_delay();  // at 5 ms
    next.srtt_s = 25e-3;
    EXPECT_EQ(deliver(2000), Suspicion::none);
    next.srtt_s = 32e-3;
    EXPECT_EQ(deliver(2000), Suspicion::delay);
    for (int i = 0; i < 2; ++i) {
        now += settings.suspicion.backoff_max_s;
        clear_delay();
    }
    next.srtt_s = 20e-3;
    EXPECT_EQ(deliver(2000), Suspicion::delay) << "what was longer is long past";
    watch.confirmed();
    clear_delay();
    next.srtt_s = 15e-3;
    EXPECT_EQ(deliver(2000), Suspicion::delay) << "it was congestion in between";
}

TEST_F(Sockets, AreActiveForAWhileAfterTheyMovedSomething) {
    EXPECT_FALSE(watch.active(now, settings.suspicion)) << "never";
    next.in_flight_B = 0;
    next.received_B = 500;
    sample();
    EXPECT_FALSE(watch.active(now, settings.suspicion)) << "what they moved before is of the past";
    deliver(1);
    const Time used = now;
    EXPECT_DOUBLE_EQ(watch.last_active(), used);
    sample();
    EXPECT_TRUE(watch.active(used + 0.49, settings.suspicion));
    EXPECT_FALSE(watch.active(used + 0.51, settings.suspicion));
    next.in_flight_B = 1;
    sample();
    EXPECT_DOUBLE_EQ(watch.last_active(), now) << "bytes under way are a use";
    next.in_flight_B = 0;
    sample();
    next.received_B = 1000;
    sample();
    EXPECT_DOUBLE_EQ(watch.last_active(), now) << "so are acknowledgements of what the peer sends";
    next.received_B = 0;
    const Time received = now;
    sample();
    next.received_B = 1000;
    sample();
    EXPECT_DOUBLE_EQ(watch.last_active(), received) << "a total that fell and came back is none";
}

TEST_F(Sockets, AreStuckWhenSegmentsAreSentAgainAndNothingIsAcknowledgedForLong) {
    next.rto_s = 0.3;  // twice that
    use();
    next.retransmits = 2;
    const Time since = now;
    sample();
    EXPECT_EQ(watch.in_flight_B(), 20000U);
    EXPECT_FALSE(watch.stuck(settings.suspicion, since + 0.59));
    EXPECT_TRUE(watch.stuck(settings.suspicion, since + 0.61));
    watch.begin_anew(now);
    EXPECT_FALSE(watch.stuck(settings.suspicion, now + 10.0)) << "what was lost before says nothing of this path";
    next.retransmits = 3;
    sample();
    EXPECT_FALSE(watch.stuck(settings.suspicion, now + 10.0)) << "one may be an accident";
    next.retransmits = 4;
    sample();
    EXPECT_TRUE(watch.stuck(settings.suspicion, now + 10.0));
    deliver(1);
    next.retransmits = 5;
    sample();
    EXPECT_FALSE(watch.stuck(settings.suspicion, now + 10.0)) << "something was acknowledged";
    next.retransmits = 9;
    next.in_flight_B = 0;
    sample();
    EXPECT_FALSE(watch.stuck(settings.suspicion, now + 10.0)) << "the peer's window is closed";
}

/// A link of a bundle that loses everything takes single connections with it.
TEST_F(Sockets, OneOfThemIsStuckWhileOthersGoOn) {
    next.rto_s = 0.1;
    use();
    const auto waits = [&](double stuck_s, std::uint64_t retransmits) {
        next.stuck_s = stuck_s;
        next.stuck_retransmits = retransmits;
        deliver(20000);
        return watch.stuck(settings.suspicion, now);
    };
    EXPECT_FALSE(waits(0.19, 2));
    EXPECT_FALSE(waits(0.3, 1)) << "one may be an accident";
    EXPECT_TRUE(waits(0.21, 2));
    watch.begin_anew(now);
    EXPECT_FALSE(watch.stuck(settings.suspicion, now + 10.0)) << "what was lost before says nothing of this path";
    EXPECT_FALSE(waits(0.25, 4)) << "not so long on this path";
    now += 0.2;
    EXPECT_FALSE(waits(0.5, 3)) << "once on this path";
    EXPECT_TRUE(waits(0.5, 4));
    EXPECT_FALSE(waits(0.0, 0));
    EXPECT_FALSE(waits(0.19, 2));
}

TEST_F(Sockets, AreNotStuckBeforeTheShortestTimeOrWithoutATimeOut) {
    next.rto_s = 0.01;
    use();
    const Time since = now;
    next.retransmits = 2;
    sample();
    EXPECT_FALSE(watch.stuck(settings.suspicion, since + 0.19));
    EXPECT_TRUE(watch.stuck(settings.suspicion, since + 0.21));
    next.rto_s = 0.0;
    sample();
    EXPECT_FALSE(watch.stuck(settings.suspicion, since + 10.0));
}

TEST_F(Sockets, RatesAreOfTheSamplesSinceTheWindowsBeginning) {
    EXPECT_DOUBLE_EQ(watch.rate_bps(now, 1.0), 0.0);
    sample();
    EXPECT_DOUBLE_EQ(watch.rate_bps(now, 1.0), 0.0) << "one sample makes no rate";
    deliver(100000);
    deliver(300000);
    EXPECT_NEAR(watch.rate_bps(now, 0.03), 8 * 300000 / 0.04, 1.0);
    EXPECT_NEAR(watch.rate_bps(now, 0.05), 8 * 400000 / 0.08, 1.0) << "the sample before the window's beginning";
    EXPECT_NEAR(watch.rate_bps(now, 10.0), 8 * 400000 / 0.08, 1.0) << "the oldest";
    EXPECT_NEAR(watch.rate_bps(now + 0.04, 0.05), 8 * 300000 / 0.08, 1.0) << "nothing since";
    EXPECT_EQ(watch.last_delivered_B(), 405000U);
    EXPECT_EQ(watch.delivered_before_B(now, 0.0), 405000U);
    EXPECT_EQ(watch.delivered_before_B(now, 0.01), 105000U);
    EXPECT_EQ(watch.delivered_before_B(now + 0.02, 0.01), 405000U);
    EXPECT_EQ(watch.delivered_before_B(now, 1.0), 5000U);
}

TEST_F(Sockets, TheHighestRateStaysAndThePeakFades) {
    sample();
    for (int i = 0; i < 3; ++i) deliver(500000);
    EXPECT_NEAR(watch.best_rate_bps(), 100e6, 1.0);
    EXPECT_NEAR(watch.peak_rate_bps(), 100e6, 1.0);
    now += 2.46;
    deliver(0);  // 2.5 s later, of 10
    EXPECT_NEAR(watch.best_rate_bps(), 100e6, 1.0);
    EXPECT_NEAR(watch.peak_rate_bps(), 75e6, 1.0);
    now += 20.0;
    deliver(0);
    EXPECT_NEAR(watch.best_rate_bps(), 100e6, 1.0);
    EXPECT_DOUBLE_EQ(watch.peak_rate_bps(), 0.0);
}

TEST_F(Sockets, TotalsNeverFallAndTimeDoesNotGoBack) {
    next.delivered_B = 10000;
    next.retransmits = 4;
    sample();
    next.delivered_B = 8000;
    next.retransmits = 1;
    EXPECT_EQ(sample(), Suspicion::none);
    EXPECT_EQ(watch.last_delivered_B(), 10000U);
    EXPECT_EQ(watch.retransmits(now, 1.0), 0U);
    next.delivered_B = 20000;
    next.retransmits = 9;
    EXPECT_EQ(watch.on_sample(next, kBase_s, kBase_bps, settings, now), Suspicion::none);
    EXPECT_EQ(watch.last_delivered_B(), 10000U) << "of the same moment as the last one";
}

TEST_F(Sockets, SamplesInARowDoNotShortenTheHistory) {
    sample();
    for (int i = 0; i < 3; ++i) deliver(1000);
    const Time before = now;
    now += 0.002;
    for (int i = 0; i < 100; ++i) {
        ++next.delivered_B;
        watch.on_sample(next, kBase_s, kBase_bps, settings, now += 1e-5);
    }
    EXPECT_EQ(watch.delivered_before_B(now, 0.0), 8100U);
    EXPECT_EQ(watch.delivered_before_B(before, 0.0), 8000U);
    EXPECT_EQ(watch.delivered_before_B(before - 0.01, 0.0), 7000U);
    EXPECT_EQ(watch.delivered_before_B(before - 0.09, 0.0), 5000U);
    for (int i = 0; i < 64; ++i) deliver(1000);
    EXPECT_EQ(watch.delivered_before_B(before, 0.0), 9100U) << "64 are kept";
}

/// A message of 150 kB takes 60 ms on a link of 20 Mbit/s, whose queue holds a third of it; then 100 ms of rest.
TEST(SocketWatch, ABurstIsAllThatIsSentWithoutABreak) {
    SocketWatch watch;
    const Settings settings;
    SocketSample sample;
    Time now = 1.0;
    const auto go_on = [&](double for_s, std::uint64_t sent_B, std::uint64_t in_flight_B) {
        sample.delivered_B += sent_B;
        sample.in_flight_B = in_flight_B;
        sample.busy_s += sent_B > 0 ? for_s : 0.0;
        watch.on_sample(sample, 0.0, 0.0, settings, now += for_s);
    };
    EXPECT_EQ(watch.burst_B(), 0U);
    for (int message = 0; message < 3; ++message) {
        go_on(0.02, 10'000, 50'000);
        go_on(0.02, 50'000, 50'000);
        go_on(0.02, 50'000, 40'000);
        EXPECT_EQ(watch.burst_B(), 140'000U) << "what went before the first look at it is not known";
        go_on(0.10, 40'000, 0);
    }
}

/// 40 kB in each of 50 samples 40 ms apart, without a break.
TEST(SocketWatch, ABurstIsOfTheLastHalfSecond) {
    SocketWatch watch;
    const Settings settings;
    SocketSample sample;
    sample.in_flight_B = 20'000;
    for (int i = 1; i <= 50; ++i) {
        sample.delivered_B += 40'000;
        sample.busy_s += 0.04;
        watch.on_sample(sample, 0.0, 0.0, settings, 1.0 + 0.04 * i);
    }
    EXPECT_EQ(watch.burst_B(), 13 * 40'000U + 20'000U) << "since the last sample before it";
}

TEST_F(Sockets, AreWatchedSinceTheFirstSample) {
    EXPECT_DOUBLE_EQ(watch.watched_s(now), 0.0);
    sample();
    const Time first = now;
    for (int i = 0; i < 100; ++i) deliver(1000);
    EXPECT_DOUBLE_EQ(watch.watched_s(now), now - first);
}

/// 50 kB in each of ten samples 40 ms apart, for which the sockets were busy 10 ms.
TEST(SocketWatch, TheServiceIsOfTheTimeInWhichItSends) {
    SocketWatch watch;
    const Settings settings;
    EXPECT_DOUBLE_EQ(watch.service_of_late_bps(1.0), 0.0);
    for (int i = 1; i <= 10; ++i) {
        SocketSample sample;
        sample.delivered_B = static_cast<std::uint64_t>(50000 * i);
        sample.busy_s = 0.01 * i;
        watch.on_sample(sample, 0.0, 0.0, settings, 1.0 + 0.04 * i);
    }
    EXPECT_NEAR(watch.service_of_late_bps(1.4), 40e6, 1.0);
    EXPECT_NEAR(watch.rate_of_late_kBps(1.4), 1250.0, 1e-6);
}

}  // namespace
}  // namespace fairlead::core
