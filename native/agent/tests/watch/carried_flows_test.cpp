// SPDX-License-Identifier: Apache-2.0
#include "watch/carried_flows.hpp"

#include <gtest/gtest.h>

namespace fairlead::agent {
namespace {

using Samples = std::vector<core::SocketSample>;

core::SocketSample of_sockets(core::HostId peer, std::uint64_t delivered_B, double busy_s = 0.0) {
    return {.peer = peer,
            .srtt_s = 0.002,
            .in_flight_B = 10,
            .delivered_B = delivered_B,
            .received_B = 77,
            .retransmits = 3,
            .network_limited = true,
            .busy_s = busy_s};
}

struct CarriedFlow : testing::Test {
    CarriedFlows flows;

    core::SocketSample look(double now, std::uint64_t by_sockets_B, const Carried& carried, double busy_s = 0.0) {
        Samples samples{of_sockets(1, by_sockets_B, busy_s)};
        flows.add_to(samples, std::vector{carried}, now);
        EXPECT_EQ(samples.size(), 1U);
        return samples.at(0);
    }
};

TEST_F(CarriedFlow, IsAddedToWhatTheSocketsDid) {
    EXPECT_EQ(look(1.0, 1000, {1, 0, 0, false}).delivered_B, 1000U);
    const auto second = look(1.1, 1500, {1, 4000, 70, false});
    EXPECT_EQ(second.delivered_B, 5500U);
    EXPECT_EQ(second.in_flight_B, 80U);
    EXPECT_EQ(look(1.2, 1500, {1, 4000, 0, false}).delivered_B, 5500U);
}

TEST_F(CarriedFlow, RoundTripsOfSocketsSayNothingOfWhatAgentsCarry) {
    look(1.0, 1000, {1, 0, 0, false});
    EXPECT_DOUBLE_EQ(look(1.1, 9000, {1, 100, 0, false}).srtt_s, 0.002) << "most went by sockets";
    EXPECT_FALSE(flows.mostly(1));
    EXPECT_DOUBLE_EQ(look(1.2, 9000, {1, 5000, 0, false}).srtt_s, 0.0);
    EXPECT_TRUE(flows.mostly(1));
    EXPECT_DOUBLE_EQ(look(1.3, 9000, {1, 5000, 400, true}).srtt_s, 0.0) << "in flight, and nothing moves";
    EXPECT_DOUBLE_EQ(look(1.4, 9000, {1, 5000, 0, false}).srtt_s, 0.002) << "at rest";
    EXPECT_FALSE(flows.mostly(1));
    EXPECT_FALSE(flows.mostly(2));
}

TEST_F(CarriedFlow, IsLimitedByTheNetworkWhileItWaits) {
    look(1.0, 0, {1, 0, 0, false});
    EXPECT_FALSE(look(1.1, 0, {1, 4000, 100, true}).network_limited) << "not at the look before";
    EXPECT_TRUE(look(1.2, 0, {1, 8000, 100, true}).network_limited);
    EXPECT_FALSE(look(1.3, 0, {1, 9000, 0, false}).network_limited);
}

TEST_F(CarriedFlow, IsBusyWhileItIsInFlight) {
    EXPECT_DOUBLE_EQ(look(1.0, 0, {1, 0, 50, false}).busy_s, 0.0);
    EXPECT_DOUBLE_EQ(look(1.25, 0, {1, 100, 50, false}).busy_s, 0.25);
    EXPECT_DOUBLE_EQ(look(1.5, 0, {1, 150, 0, false}).busy_s, 0.25);
    EXPECT_DOUBLE_EQ(look(1.75, 0, {1, 150, 0, false}).busy_s, 0.25);
    EXPECT_DOUBLE_EQ(flows.last_active_s(), 1.5);
}

TEST_F(CarriedFlow, TheTimeInWhichBothAreBusyCountsOnce) {
    look(1.0, 1000, {1, 0, 50, false}, 7.0);
    EXPECT_DOUBLE_EQ(look(1.25, 2000, {1, 100, 50, false}, 7.2).busy_s, 7.25);
    EXPECT_DOUBLE_EQ(look(1.5, 3000, {1, 100, 0, false}, 7.4).busy_s, 7.45);
}

/// The program has no connection to a host whose messages agents carried from the start.
TEST_F(CarriedFlow, ADestinationWithoutSocketsHasASampleWhileSomethingMovesAndOnceMore) {
    const auto looked = [&](double now, const Carried& carried) {
        Samples samples{of_sockets(1, 1000)};
        flows.add_to(samples, std::vector{carried}, now);
        EXPECT_EQ(samples[0].delivered_B, 1000U);
        samples.erase(samples.begin());
        return samples;
    };
    const Samples first = looked(1.0, {2, 300, 40, false});
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].peer, 2);
    EXPECT_EQ(first[0].delivered_B, 300U);
    EXPECT_EQ(first[0].in_flight_B, 40U);
    const Samples last = looked(1.1, {2, 300, 0, false});
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].in_flight_B, 0U);
    EXPECT_TRUE(looked(1.2, {2, 300, 0, false}).empty());
}

TEST_F(CarriedFlow, TotalsNeverFall) {
    look(1.0, 1000, {1, 5000, 0, false}, 2.0);
    Samples after{of_sockets(1, 1100, 2.1)};
    flows.add_to(after, {}, 1.1);
    EXPECT_EQ(after.at(0).delivered_B, 6100U) << "the plane is gone";
    EXPECT_EQ(after.at(0).in_flight_B, 10U);
    Samples without;  // nor are there sockets any more
    flows.add_to(without, std::vector<Carried>{{1, 5500, 20, false}}, 1.2);
    ASSERT_EQ(without.size(), 1U);
    EXPECT_EQ(without[0].delivered_B, 6600U);
    EXPECT_EQ(without[0].received_B, 77U);
    EXPECT_EQ(without[0].retransmits, 3U);
    EXPECT_DOUBLE_EQ(without[0].busy_s, 2.1);
}

}  // namespace
}  // namespace fairlead::agent
