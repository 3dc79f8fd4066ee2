// SPDX-License-Identifier: Apache-2.0
#include "measure/prober.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/station.hpp"

namespace fairlead::agent {
namespace {

/// One end of an exchange of probes.
struct End {
    Clock clock{{}};
    Station station;
    Prober prober;
    std::vector<core::HostId> stepped;

    End(EventLoop& loop, core::HostId self)
        : station(loop, clock, self), prober(loop, station.channel, clock, station.config.host_count()) {
        prober.on_step([this](core::HostId peer) { stepped.push_back(peer); });
        station.channel.on_message([this](const Opened& opened, std::int64_t received_ns) {
            if (const auto* probe = std::get_if<core::wire::Probe>(&opened.message)) {
                prober.on_probe(opened.sender, *probe, received_ns);
            } else if (const auto* reply = std::get_if<core::wire::ProbeReply>(&opened.message)) {
                prober.on_reply(opened.sender, *reply, received_ns);
            }
        });
    }
    /// Sends a probe and returns how it ended.
    ProbeOutcome probe(EventLoop& loop, core::HostId peer) {
        ProbeOutcome outcome;
        prober.burst(peer, 1, 0.0, 2.0, [&](const ProbeOutcome& got) {
            outcome = got;
            loop.stop();
        });
        loop.run();
        return outcome;
    }
};

/// The host that did not step learns of it from the first probe that it gets, and from its own next one the new offset.
TEST(Prober, APeersProbeShowsThatItsClockStepped) {
    for (const double step_s : {100.0, -100.0}) {
        EventLoop loop;
        End here(loop, 0);
        End there(loop, 1);
        for (int i = 0; i < 5; ++i) {
            ASSERT_FALSE(here.probe(loop, 1).lost);
            ASSERT_FALSE(there.probe(loop, 0).lost);
        }
        EXPECT_TRUE(here.stepped.empty());
        there.clock.step(step_s);
        ASSERT_FALSE(there.probe(loop, 0).lost);
        EXPECT_EQ(here.stepped, std::vector<core::HostId>{1}) << step_s;
        ASSERT_FALSE(here.probe(loop, 1).lost);
        EXPECT_NEAR(here.prober.peer_clock(1).at(here.clock.now_ns())->offset_s, step_s, 0.1);
        ASSERT_FALSE(there.probe(loop, 0).lost);
        EXPECT_EQ(here.stepped.size(), 1U) << "known now";
    }
}

TEST(Prober, WhatArrivesNowWouldHaveLeftAMomentAgo) {
    EventLoop loop;
    End here(loop, 0);
    End there(loop, 1);
    there.clock.step(100.0);
    EXPECT_FALSE(here.prober.free_departure_s(1, there.clock.now_ns()).has_value());
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(here.probe(loop, 1).lost);
    const std::int64_t arrived_ns = there.clock.now_ns();
    const double now_s = monotonic_s();
    ASSERT_TRUE(here.prober.free_departure_s(1, arrived_ns).has_value());
    EXPECT_NEAR(*here.prober.free_departure_s(1, arrived_ns), now_s, 0.1);
    EXPECT_NEAR(*here.prober.free_departure_s(1, arrived_ns + 1'000'000'000), now_s + 1.0, 0.1);
}

TEST(Clock, TellsOnceThatItWasSet) {
    Clock clock({});
    EXPECT_FALSE(clock.take_step());
    for (const double step_s : {0.5, -0.5}) {
        clock.step(step_s);
        EXPECT_TRUE(clock.take_step()) << step_s;
        EXPECT_FALSE(clock.take_step()) << step_s;
    }
}

}  // namespace
}  // namespace fairlead::agent
