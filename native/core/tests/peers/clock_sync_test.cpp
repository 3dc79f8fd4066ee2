// SPDX-License-Identifier: Apache-2.0
// The estimate is held against the truth of a simulated pair of clocks, also where queues are all in one direction.
#include "fairlead/core/clock_sync.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fairlead/core/random.hpp"

namespace fairlead::core {
namespace {

struct Scenario {
    const char* name;
    double offset_s;
    double drift;
    double forward_queue_s;  ///< mean of the queueing that hits part of the probes
    double backward_queue_s;
    double busy;  ///< share of probes that meet a queue
};

class TwoClocks {
  public:
    TwoClocks(const Scenario& scenario, std::uint64_t seed) : s_(scenario), random_(seed) {}

    std::int64_t own_ns(double t) const { return static_cast<std::int64_t>(t * 1e9); }
    std::int64_t peer_ns(double t) const {
        return static_cast<std::int64_t>((t * (1.0 + s_.drift) + s_.offset_s) * 1e9);
    }
    double true_offset(double t) const { return t * s_.drift + s_.offset_s; }

    Exchange exchange(double t, double& forward_queue_s) {
        forward_queue_s = queue(s_.forward_queue_s);
        const double arrived = t + 70e-6 + 10e-6 * random_.uniform() + forward_queue_s;
        const double answered = arrived + 20e-6;
        const double back = answered + 70e-6 + 10e-6 * random_.uniform() + queue(s_.backward_queue_s);
        return Exchange{own_ns(t), peer_ns(arrived), peer_ns(answered), own_ns(back)};
    }

  private:
    double queue(double mean) { return random_.uniform() < s_.busy ? -mean * std::log(1.0 - random_.uniform()) : 0.0; }
    Scenario s_;
    Random random_;
};

class ClockSyncIn : public testing::TestWithParam<Scenario> {};

TEST_P(ClockSyncIn, BoundContainsTheTruthAndQueuesAreFound) {
    int checks = 0;
    int contained = 0;
    double worst_queue_error = 0.0;
    double last_error_s = 0.0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        TwoClocks peers(GetParam(), seed);
        ClockSync clock;
        double t = 5000.0;
        for (int i = 0; i < 700; ++i) {
            t += i % 10 < 3 ? 0.003 : 0.9;  // bursts and background
            double queued_s = 0.0;
            const Exchange exchange = peers.exchange(t, queued_s);
            const auto queueing = clock.add(exchange);
            ASSERT_TRUE(queueing.has_value());
            const auto estimate = clock.at(exchange.t4_ns);
            ASSERT_TRUE(estimate.has_value());
            ++checks;
            contained += std::abs(estimate->offset_s - peers.true_offset(t)) <= estimate->error_s + 1e-6;
            last_error_s = estimate->error_s;
            if (i > 100) worst_queue_error = std::max(worst_queue_error, std::abs(queueing->forward_s - queued_s));
        }
        EXPECT_EQ(clock.steps(), 0);
    }
    EXPECT_GE(contained, 0.99 * checks);
    EXPECT_LE(last_error_s, 200e-6) << "about half the round trip";
    EXPECT_LE(worst_queue_error, 200e-6);
}

INSTANTIATE_TEST_SUITE_P(Clocks, ClockSyncIn,
                         testing::Values(Scenario{"Same", 0.0, 0.0, 0.0, 0.0, 0.0},
                                         Scenario{"Offset", 12.5, 0.0, 1e-3, 1e-3, 0.5},
                                         Scenario{"Drift", -3600.0, 50e-6, 1e-3, 1e-3, 0.5},
                                         Scenario{"ForwardQueue", 0.004, -100e-6, 10e-3, 0.0, 0.8},
                                         Scenario{"BackwardQueue", 0.004, 200e-6, 0.0, 10e-3, 0.8}),
                         [](const auto& scenario) { return std::string(scenario.param.name); });

/// Probes of the background get rarer, up to 16 s apart: the bound holds between them, and stays about as narrow.
TEST_P(ClockSyncIn, BoundHoldsBetweenRareExchanges) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        TwoClocks peers(GetParam(), seed);
        ClockSync clock;
        double t = 5000.0;
        double ignored = 0.0;
        for (int i = 0; i < 3; ++i) clock.add(peers.exchange(t + 0.003 * i, ignored));
        double pause_s = 2.0;
        for (int exchange = 0; exchange < 60; ++exchange) {
            for (const double share : {0.25, 0.5, 0.99}) {
                const double when = t + share * pause_s;
                const auto estimate = clock.at(peers.own_ns(when));
                ASSERT_TRUE(estimate.has_value());
                EXPECT_LE(std::abs(estimate->offset_s - peers.true_offset(when)), estimate->error_s + 1e-6)
                    << exchange << ". exchange, " << share;
                if (exchange >= 10 && GetParam().busy == 0.0) {
                    EXPECT_LE(estimate->error_s, 200e-6) << exchange;
                }
            }
            t += pause_s;
            clock.add(peers.exchange(t, ignored));
            pause_s = std::min(2.0 * pause_s, 16.0);
        }
        EXPECT_EQ(clock.steps(), 0);
    }
}

TEST(ClockSync, CongestionForMinutesStaysQueueing) {
    const Scenario scenario{"", 1.0, 30e-6, 0.0, 0.0, 0.0};
    TwoClocks peers(scenario, 1);
    ClockSync clock;
    double ignored = 0.0;
    for (int i = 0; i < 60; ++i) clock.add(peers.exchange(100.0 + i, ignored));
    for (int i = 0; i < 1200; ++i) {  // five milliseconds more, one way, for twenty minutes
        Exchange exchange = peers.exchange(160.0 + i, ignored);
        exchange.t2_ns += 5000000, exchange.t3_ns += 5000000, exchange.t4_ns += 5000000;
        const auto queueing = clock.add(exchange);
        ASSERT_NEAR(queueing->forward_s, 5e-3, 0.3e-3) << "after " << i << " s";
        ASSERT_LE(queueing->backward_s, 0.3e-3);
    }
}

/// Whatever the way back is like.
TEST(ClockSync, TellsWhenAMessageWouldHaveLeftThatMetNoQueue) {
    const Scenario scenario{"", -40.0, 100e-6, 2e-3, 20e-3, 0.5};
    TwoClocks peers(scenario, 1);
    ClockSync clock;
    EXPECT_FALSE(clock.free_departure_ns(peers.peer_ns(100.0)).has_value());
    double ignored = 0.0;
    for (int i = 0; i < 200; ++i) clock.add(peers.exchange(100.0 + i, ignored));
    const double left = 300.0;
    for (const double queue_s : {0.0, 5e-3, 40e-3}) {
        const auto departure_ns = clock.free_departure_ns(peers.peer_ns(left + 75e-6 + queue_s));
        ASSERT_TRUE(departure_ns.has_value());
        EXPECT_NEAR(static_cast<double>(*departure_ns - peers.own_ns(left)) * 1e-9, queue_s, 100e-6);
    }
    EXPECT_FALSE(clock.free_departure_ns(std::numeric_limits<std::int64_t>::min()).has_value());
    EXPECT_FALSE(clock.free_departure_ns(std::numeric_limits<std::int64_t>::max()).has_value());
}

TEST(ClockSync, RecoversFromAStep) {
    const Scenario before{"", 1.0, 0.0, 0.0, 0.0, 0.0};
    const Scenario after{"", 1.5, 0.0, 0.0, 0.0, 0.0};
    TwoClocks old_clock(before, 1);
    TwoClocks new_clock(after, 2);
    ClockSync clock;
    double ignored = 0.0;
    for (int i = 0; i < 100; ++i) clock.add(old_clock.exchange(100.0 + i, ignored));
    for (int i = 0; i < 20; ++i) clock.add(new_clock.exchange(200.0 + i, ignored));
    EXPECT_GT(clock.steps(), 0);
    const auto estimate = clock.at(new_clock.own_ns(220.0));
    ASSERT_TRUE(estimate.has_value());
    EXPECT_NEAR(estimate->offset_s, 1.5, estimate->error_s + 1e-6);
}

/// A machine without a clock of its own begins in 1970, and hears the time later.
TEST(ClockSync, RecoversFromAStepOfDecades) {
    constexpr std::int64_t kDecades_ns = 1'770'000'000'000'000'000;
    for (const bool own : {false, true}) {
        TwoClocks peers(Scenario{"", 0.0, 0.0, 0.0, 0.0, 0.0}, 1);
        ClockSync clock;
        double ignored = 0.0;
        for (int i = 0; i < 100; ++i) clock.add(peers.exchange(100.0 + i, ignored));
        for (int i = 0; i < 20; ++i) {
            Exchange exchange = peers.exchange(200.0 + i, ignored);
            (own ? exchange.t1_ns : exchange.t2_ns) += kDecades_ns;
            (own ? exchange.t4_ns : exchange.t3_ns) += kDecades_ns;
            const auto queueing = clock.add(exchange);
            ASSERT_TRUE(queueing.has_value()) << own << " " << i;
            EXPECT_NEAR(queueing->round_trip_s, 150e-6, 15e-6);
            EXPECT_LT(queueing->forward_s, 20e-6);
        }
        EXPECT_EQ(clock.steps(), 1);
        const auto estimate = clock.at(peers.own_ns(220.0) + (own ? kDecades_ns : 0));
        ASSERT_TRUE(estimate.has_value());
        EXPECT_NEAR(estimate->offset_s, own ? -1.77e9 : 1.77e9, 1e-3);
    }
}

/// What a peer's message says of the clocks, without an exchange.
TEST(ClockSync, AMessageShowsAStep) {
    const Scenario scenario{"", 77.0, 20e-6, 0.0, 0.0, 0.0};
    TwoClocks peers(scenario, 4);
    ClockSync clock;
    EXPECT_FALSE(clock.contradicted_by(0, 0)) << "nothing is known yet";
    double ignored = 0.0;
    for (int i = 0; i < 20; ++i) clock.add(peers.exchange(10.0 + i, ignored));
    const auto contradicted = [&](double way_s, double step_s) {
        const double left = 45.0;
        const auto step_ns = static_cast<std::int64_t>(step_s * 1e9);
        return clock.contradicted_by(peers.peer_ns(left) + step_ns, peers.own_ns(left + way_s));
    };
    EXPECT_FALSE(contradicted(100e-6, 0.0));
    EXPECT_FALSE(contradicted(0.5, 0.0)) << "a long queue";
    EXPECT_FALSE(contradicted(100e-6, 1e-3)) << "too little to tell";
    EXPECT_TRUE(contradicted(100e-6, 0.1)) << "it left after it came";
    EXPECT_TRUE(contradicted(100e-6, -10.0)) << "ten seconds on its way";
    EXPECT_TRUE(contradicted(100e-6, 1.77e9)) << "its clock began in 1970";
    EXPECT_TRUE(clock.contradicted_by(std::numeric_limits<std::int64_t>::min(), peers.own_ns(45.0)));
}

TEST(ClockSync, OneWayTimes) {
    const Scenario scenario{"", 77.0, 20e-6, 0.0, 0.0, 0.0};
    TwoClocks peers(scenario, 4);
    ClockSync clock;
    EXPECT_FALSE(clock.at(0).has_value());
    EXPECT_FALSE(clock.forward_s(0, 0).has_value());
    double ignored = 0.0;
    for (int i = 0; i < 100; ++i) clock.add(peers.exchange(10.0 + i, ignored));
    EXPECT_NEAR(*clock.forward_s(peers.own_ns(111.0), peers.peer_ns(111.003)), 3e-3, 0.1e-3);
}

TEST(ClockSync, RefusesStampsThatCannotBe) {
    ClockSync clock;
    EXPECT_FALSE(clock.add({10, 5, 5, 9}).has_value());
    EXPECT_FALSE(clock.add({10, 5, 4, 20}).has_value());
    EXPECT_FALSE(clock.add({10, 5, 25, 20}).has_value());
    EXPECT_TRUE(clock.add({10, 5, 6, 20}).has_value());
    EXPECT_FALSE(clock.add({INT64_MIN, INT64_MIN, INT64_MIN, INT64_MAX}).has_value());
    EXPECT_FALSE(clock.add({INT64_MAX - 1, INT64_MIN, INT64_MIN, INT64_MAX}).has_value());
}

}  // namespace
}  // namespace fairlead::core
