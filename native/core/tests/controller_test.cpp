// SPDX-License-Identifier: Apache-2.0
// The course of a search, relay and destination roles, on one controller driven by hand.
#include "fairlead/core/controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/controller_rig.hpp"
#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(Controller, RefusesABadConfiguration) {
    ControllerConfig config(5, 5);
    EXPECT_THROW(Controller{config}, std::invalid_argument);
    config = config_of(0);
    config.settings.congestion_level.medium_factor = 0.5;
    EXPECT_THROW(Controller{config}, std::invalid_argument);
    config = config_of(0);
    config.base = BaseTable(3);
    EXPECT_THROW(Controller{config}, std::invalid_argument);
}

TEST(Controller, GreetsAndProbesInTheBackground) {
    Rig rig;
    rig.on(Tick{});
    for (HostId host = 1; host < kHosts; ++host) EXPECT_EQ(rig.sent<wire::Hello>(host), 1);
    for (int i = 0; i < 60; ++i) rig.on(Tick{}, 0.02);
    std::vector<int> probes(kHosts, 0);
    for (const SendProbes& burst : rig.seen<SendProbes>()) probes[burst.peer] += burst.count;
    EXPECT_EQ(probes[0], 0);
    for (HostId host = 1; host < kHosts; ++host) EXPECT_GE(probes[host], 3) << "a burst at first contact";
    EXPECT_GE(rig.controller.next_wakeup(), rig.now);
    EXPECT_LE(rig.controller.next_wakeup(), rig.now + 1.0);
}

TEST(Controller, ReroutesAroundForeignCongestionAndSaysWhy) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    const auto reroutes = rig.seen<Reroute>();
    ASSERT_EQ(reroutes.size(), 1U);
    EXPECT_EQ(reroutes[0].destination, 1);
    EXPECT_GE(reroutes[0].relay, 2);
    const auto rerouted = rig.seen<Rerouted>();
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_NEAR(rerouted[0].queue_delay_s, 10e-3, 1e-6);
    EXPECT_GT(rerouted[0].foreign_share, 0.5);
    EXPECT_GT(rerouted[0].present_latency_s, 10e-3);
    EXPECT_LT(rerouted[0].detour_latency_s, 3e-3);
    EXPECT_LE(rerouted[0].suspected_at, rerouted[0].confirmed_at);
    EXPECT_EQ(rig.controller.view(1).relay, reroutes[0].relay);
    EXPECT_EQ(rig.controller.view(1).congestion_level, CongestionLevel::high);
    EXPECT_TRUE(rig.controller.view(1).in_use);
    EXPECT_EQ(rig.controller.pairs_in_use(), 1);
    const auto beats = messages<wire::Heartbeat>(rig.on(Tick{}, 0.1));
    ASSERT_EQ(beats.size(), 1U);
    EXPECT_EQ(beats[0].first, reroutes[0].relay);
    ASSERT_EQ(beats[0].second.uses.size(), 1U);
    EXPECT_EQ(beats[0].second.uses[0].destination, 1);
    EXPECT_GT(beats[0].second.uses[0].rate_bps, 0.0);
}

TEST(Controller, BeginsNoSearchWithoutProcessorTimeToSpare) {
    Rig rig;
    rig.greet_all();
    rig.on(Tick{0.0, false}, 0.02);
    rig.on(rig.sample(300e-6), 0.02);
    // For longer nobody answers the probes of the first contact, and they are repeated.
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(looks_at(1, rig.on(rig.sample(20e-3), 0.02)));
    rig.on(Tick{}, 0.02);
    EXPECT_TRUE(looks_at(1, rig.on(rig.sample(20e-3), 0.02))) << "as soon as there is some";
}

/// Jobs know nothing of each other. Sources that choose among equal relays begin at their job's salt.
TEST(Controller, JobsOfOneSourceBeginAtDifferentRelays) {
    std::set<HostId> relays;
    for (std::size_t salt = 0; salt < 3; ++salt) {
        ControllerConfig config = config_of(0);
        config.salt = salt;
        Rig rig(std::move(config));
        rig.greet_all();
        rig.congestion(20e-3, 0.0);
        const auto rerouted = rig.seen<Rerouted>();
        ASSERT_EQ(rerouted.size(), 1U) << "salt " << salt;
        relays.insert(rerouted[0].relay);
    }
    EXPECT_EQ(relays, (std::set<HostId>{2, 3, 4}));
}

TEST(Controller, OneSlowProbeReroutesNothing) {
    Rig rig;
    rig.greet_all();
    rig.on(rig.sample(300e-6), 0.02);
    for (const Action& action : rig.on(rig.sample(20e-3), 0.02)) {
        const auto* probes = std::get_if<SendProbes>(&action);
        if (probes == nullptr || probes->peer != 1) continue;
        for (int i = 0; i < probes->count; ++i) {
            const double queue_s = i == 0 ? 30e-3 : 0.0;
            rig.on(ProbeResult{1, probes->burst, rig.now + 0.003 * i, false, 300e-6, queue_s, 0.0, 0.0});
        }
    }
    rig.on(Tick{}, 0.1);
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    for (HostId host = 1; host < kHosts; ++host) EXPECT_EQ(rig.sent<wire::PathQuery>(host), 0);
}

struct Keep {
    const char* name;
    double direct_s, leg_s;
    bool grant, reroute_works;
    KeepReason reason;
};
class ControllerKeeps : public testing::TestWithParam<Keep> {};
TEST_P(ControllerKeeps, WithReason) {
    Rig rig;
    rig.greet_all();
    rig.grant = GetParam().grant;
    rig.reroute_works = GetParam().reroute_works;
    rig.congestion(GetParam().direct_s, GetParam().leg_s);
    EXPECT_TRUE(rig.seen<Rerouted>().empty());
    const auto kept = rig.seen<Kept>();
    ASSERT_FALSE(kept.empty());
    EXPECT_EQ(kept.back().reason, GetParam().reason) << name(kept.back().reason);
    EXPECT_EQ(kept.back().destination, 1);
}
INSTANTIATE_TEST_SUITE_P(Reasons, ControllerKeeps,
                         testing::Values(Keep{"AllPathsSlow", 10e-3, 9e-3, true, true,
                                              KeepReason::destination_congested},
                                         Keep{"LegsSilent", 10e-3, -1.0, true, true, KeepReason::no_answer},
                                         Keep{"Refused", 10e-3, 0.0, false, true, KeepReason::refused},
                                         Keep{"GuardianFails", 10e-3, 0.0, true, false, KeepReason::reroute_failed}),
                         [](const auto& stay) { return std::string(stay.param.name); });

constexpr std::uint64_t kOwnBulk_B = 330000;  // in 20 ms two thirds of the bottleneck: not enough to call it filled

/// What becomes of two pairs of one host on one bottleneck with a queue of 5 ms, of which each carries 10 % or next to
/// nothing. `drains`: the queue is gone when the first of them has left.
/// `late`: that they share it is told when the run has begun.
std::pair<std::size_t, bool> reroutes_of_two(std::uint64_t sample_B, bool drains, bool possible = true,
                                             bool late = false) {
    ControllerConfig config = config_of(0);
    SharingRelation sharing = config.sharing;
    sharing.set_hurts({0, 1}, {0, 2});
    sharing.set_hurts({0, 2}, {0, 1});
    if (late) {
        config.sharing.set_hurts({2, 3}, {2, 1});
    } else {
        config.sharing = sharing;
    }
    Rig rig(config);
    if (late) {
        rig.on(SharingChanged{sharing});
        rig.on(SharingChanged{SharingRelation(2)});  // of another number of hosts: ignored
    }
    rig.second = 2;
    rig.sample_B = sample_B;
    rig.grant = possible;
    rig.greet_all();
    for (int i = 0; i < 5; ++i) {
        rig.on(rig.sample(300e-6), 0.02);
        rig.on(rig.second_sample(300e-6));
    }
    for (int i = 0; i < 100; ++i) {
        const double queue_s = drains && !rig.seen<Rerouted>().empty() ? 0.0 : 5e-3;
        rig.step(rig.sample(300e-6 + queue_s), 0.003, queue_s, 0.0);
        rig.step(rig.second_sample(300e-6 + queue_s), 0.003, queue_s, 0.0);
        rig.step(Tick{}, 0.003, queue_s, 0.0);
    }
    const auto stays = rig.seen<Kept>();
    return {rig.seen<Rerouted>().size(),
            std::ranges::any_of(stays, [](const Kept& kept) { return kept.reason == KeepReason::gives_way; })};
}

TEST(Controller, ReroutesOnlyAsManyPairsAsItTakes) {
    EXPECT_EQ(reroutes_of_two(20000, true), std::pair(std::size_t{1}, true)) << "the queue was gone when one had left";
    EXPECT_EQ(reroutes_of_two(20000, false), std::pair(std::size_t{2}, true)) << "it was not";
    EXPECT_EQ(reroutes_of_two(200, false), std::pair(std::size_t{2}, false)) << "others fill the link";
    EXPECT_EQ(reroutes_of_two(20000, false, false), std::pair(std::size_t{0}, true)) << "no relay has room for either";
}

TEST(Controller, TakesWhatIsSharedAsItIsToldLast) {
    EXPECT_EQ(reroutes_of_two(20000, true, true, true), std::pair(std::size_t{1}, true));
}

TEST(Controller, BelievesWhatAnotherPairsSearchCounted) {
    for (const double told : {0.0, 0.8}) {
        Rig rig;
        rig.greet_all();
        rig.sample_B = kOwnBulk_B;
        rig.on(rig.sample(300e-6), 0.02);
        rig.on(rig.sample(300e-6), 0.02);
        rig.surroundings(rig.on(Received{2, wire::Notice{0, 1, CongestionLevel::high, 20e-3, told}}), 20e-3, 0.0);
        const auto stays = rig.seen<Kept>();
        EXPECT_EQ(rig.seen<Rerouted>().size(), told > 0.0 ? 1U : 0U);
        EXPECT_EQ(!stays.empty() && stays.front().reason == KeepReason::own_load, told == 0.0);
    }
}

TEST(Controller, AcknowledgementsAreTrafficToo) {
    for (const std::uint64_t received_B : {0U, 60000U}) {
        Rig rig;
        rig.greet_all();
        rig.on(SocketSample{1, 0.0, 0.0, 0, 0, 1000, 0, false}, 0.02);
        rig.on(SocketSample{1, 0.0, 0.0, 0, 0, 1000 + received_B, 0, false}, 0.02);
        rig.surroundings(rig.on(Received{2, wire::Notice{0, 1, CongestionLevel::high, 20e-3, 0.0}}), 20e-3, 0.0);
        EXPECT_EQ(rig.seen<Rerouted>().size(), received_B > 0 ? 1U : 0U) << received_B;
    }
}

TEST(Controller, AsksThoseWhoseDetoursItCarries) {
    Rig rig;
    rig.greet_all();
    rig.on(Received{3, wire::RelayRequest{1, 1, 50e6}});  // 3 -> 1 over this host: its second leg is the path 0 -> 1
    rig.on(Received{4, wire::RelayRequest{2, 2, 50e6}});  // 4 -> 2 loads none of it
    rig.congestion(20e-3, 0.0);
    EXPECT_GE(rig.sent<wire::LoadQuery>(3), 1);
    EXPECT_EQ(rig.sent<wire::LoadQuery>(4), 0);
}

TEST(Controller, AHostThatDoesNotReportIsWaitedForAgainAfterItsHello) {
    for (const bool greets : {false, true}) {
        ControllerConfig config = config_of(0);
        config.sharing.set_hurts({2, 1}, {0, 1});  // what host 2 sends may explain the queue; it never says
        Rig rig(config);
        rig.greet_all();
        for (int i = 0; i < 400; ++i) {
            rig.step(rig.sample(20e-3), 0.02, 20e-3, 0.0);
            if (greets && i % 10 == 0) rig.on(Received{2, wire::Hello{kHosts, true}});
        }
        ASSERT_FALSE(rig.seen<Kept>().empty());
        EXPECT_EQ(rig.seen<Kept>().front().reason, KeepReason::no_answer);
        EXPECT_EQ(rig.seen<Rerouted>().size(), greets ? 0U : 1U);
    }
}

TEST(Controller, ARateThatFallsEndsThePauseAfterOwnLoad) {
    for (int phase = 0; phase < 16; ++phase) {
        Rig rig;
        rig.greet_all();
        rig.sample_B = 330000;
        // The job's own bytes explain the queue again and again, and the pause between two searches grows.
        bool looked = false;
        const auto step = [&] { looked = looks_at(1, rig.step(rig.sample(20e-3), 0.02, 20e-3, 0.0)); };
        for (int i = 0; i < 200 + 5 * phase; ++i) step();
        ASSERT_FALSE(rig.seen<Kept>().empty());
        EXPECT_EQ(rig.seen<Kept>().front().reason, KeepReason::own_load);
        const std::vector<FlowRate> flows = rig.seen<Kept>().front().flows;
        ASSERT_EQ(flows.size(), 1U) << "the job's own on that bottleneck: this pair's";
        EXPECT_EQ(flows[0].pair, (Pair{0, 1}));
        EXPECT_EQ(flows[0].relay, kNoHost);
        EXPECT_GT(flows[0].rate_bps, 100e6);
        rig.sample_B = 80000;
        int steps = 0;
        do step();
        while (!looked && ++steps < 100);
        EXPECT_LE(steps, 30) << "without it up to 75; phase " << phase;
    }
}

TEST(Controller, AnUnknownPlaneIsNoCandidate) {
    Rig rig;
    rig.on(Tick{});
    for (HostId host = 1; host < kHosts; ++host) {
        rig.on(Received{host, wire::Hello{kHosts, host == rig.destination}});
    }
    rig.congestion(10e-3, 0.0);
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    ASSERT_FALSE(rig.seen<Kept>().empty());
    EXPECT_EQ(rig.seen<Kept>().front().reason, KeepReason::no_candidate);
}

TEST(Controller, AHostWithoutAPlaneRefusesAndDoesNotAnswerHeartbeats) {
    ControllerConfig config = config_of(0);
    config.can_relay = false;
    Rig rig(config);
    rig.greet_all();
    rig.on(Received{1, wire::RelayRequest{7, 2, 0.0}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(1), 0);
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(1), 1);
    rig.on(Received{1, wire::Heartbeat{false}});
    EXPECT_EQ(rig.sent<wire::Heartbeat>(1), 0) << "the source shall return even if the refusal was lost";
}

TEST(Controller, WhatPassesTheRelaysInterfaceCountsAgainstItsBudget) {
    ControllerConfig config = config_of(0);
    config.settings.relay.budget_bps = 100e6;
    Rig rig(config);
    rig.greet_all();
    const auto load_told = [&rig] {
        double load = -1.0;
        for (const Send& send : rig.seen<Send>()) {
            if (const auto* report = std::get_if<wire::PathReport>(&send.message)) load = report->load;
        }
        return load;
    };
    rig.on(InterfaceBusy{70e6});  // of another job, or of this host's own programs
    rig.surroundings(rig.on(Received{1, wire::PathQuery{9, 2}}), 0.0, 0.0);
    EXPECT_NEAR(load_told(), 0.7, 1e-9);
    rig.on(Received{1, wire::RelayRequest{1, 2, 60e6}});
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(1), 1);
    rig.on(Received{2, wire::RelayRequest{2, 3, 20e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(2), 1);
    rig.on(InterfaceBusy{90e6});  // 20 of them are the grant's own
    rig.on(Received{2, wire::RelayRequest{3, 3, 30e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(2), 2) << "its own bytes do not count twice";
    rig.on(Received{2, wire::RelayRelease{3}});
    rig.on(InterfaceBusy{40e6});  // its ranks communicate, too
    rig.on(Received{1, wire::RelayRequest{4, 2, 150e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(1), 1) << "half of a relay is better than a congested path";
    rig.on(InterfaceBusy{95e6});  // 40 of its own, and what it relays
    rig.on(Received{1, wire::RelayRequest{5, 2, 170e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(1), 2) << "it is there already";
}

/// The budget is that of one connection to one host; a fast interface carries many at once.
TEST(Controller, AnInterfaceThatHasCarriedMoreThanItsBudgetHasRoomForMore) {
    ControllerConfig config = config_of(0);
    config.settings.relay.budget_bps = 100e6;
    Rig rig(config);
    rig.greet_all();
    rig.on(InterfaceBusy{400e6});
    rig.on(Received{1, wire::RelayRequest{1, 2, 60e6}});
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(1), 1) << "it is as busy as it was ever seen";
    rig.on(InterfaceBusy{180e6});  // above the budget, and less than half of what it carried
    rig.on(Received{1, wire::RelayRequest{2, 2, 60e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(1), 1);
    rig.on(Received{2, wire::RelayRequest{3, 3, 60e6}});
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(2), 1) << "what was granted counts against the budget all the same";
}

TEST(Controller, RelaysWithinItsBudget) {
    ControllerConfig config = config_of(0);
    config.settings.relay.budget_bps = 100e6;
    Rig rig(config);
    rig.greet_all();
    rig.on(Received{1, wire::RelayRequest{1, 2, 60e6}});
    rig.on(Received{2, wire::RelayRequest{2, 3, 60e6}});
    rig.on(Received{3, wire::RelayRequest{3, 2, 30e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(1), 1);
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(2), 1);
    EXPECT_EQ(rig.sent<wire::RelayGrant>(3), 1);
    rig.on(Received{1, wire::Heartbeat{false, {{2, 60e6}}}}, 1.5);
    EXPECT_EQ(rig.sent<wire::Heartbeat>(1), 1);
    rig.on(Tick{}, 1.0);  // host 3's lease is over
    rig.on(Received{2, wire::RelayRequest{5, 3, 35e6}});
    EXPECT_EQ(rig.sent<wire::RelayGrant>(2), 1);
    rig.on(Stop{});
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(1), 1) << "taken back";
    EXPECT_EQ(rig.sent<wire::Goodbye>(4), 1);
    rig.on(Received{1, wire::Heartbeat{false}});
    EXPECT_EQ(rig.sent<wire::Heartbeat>(1), 1) << "a stopping relay does not answer";
}

/// Two reports of a pair make a rate. One that had paused would come up as new, and all it ever sent count as just
/// sent.
TEST(Controller, ReportsTheLoadOfAPairThatPauses) {
    Rig rig;
    rig.greet_all();
    rig.on(rig.sample(300e-6), 0.02);
    rig.on(rig.sample(300e-6), 0.04);
    rig.on(Tick{}, 60.0);
    rig.all.clear();
    rig.on(Received{3, wire::LoadQuery{77}});
    rig.on(Tick{});
    ASSERT_EQ(rig.sent<wire::LoadReport>(3), 1);
    const auto sends = rig.seen<Send>();
    const auto found = std::ranges::find_if(
        sends, [](const Send& send) { return std::holds_alternative<wire::LoadReport>(send.message); });
    const wire::LoadReport expected{77, {{1, kNoHost, 4000, 4000, 0, 0, 20000}}};
    EXPECT_EQ(std::get<wire::LoadReport>(found->message), expected);
}

TEST(Controller, KeepsTheHistoryOfSocketsUnderManyQueries) {
    Rig rig;
    rig.greet_all();
    rig.sample_B = 100000;
    for (int i = 0; i < 3; ++i) rig.on(rig.sample(300e-6), 0.040);
    rig.sample_B = 0;
    for (int i = 0; i < 24; ++i) rig.on(rig.sample(300e-6), 0.001);
    EXPECT_NEAR(rig.controller.view(1).rate_bps, 8 * 100000 / 0.064, 1.0) << "since the second sample, 64 ms ago";
}

TEST(Controller, MeasuresALegForAnother) {
    Rig rig;
    rig.greet_all();
    rig.all.clear();
    const auto actions = rig.on(Received{3, wire::PathQuery{77, 1}});
    rig.surroundings(actions, 4e-3, 0.0);
    wire::PathReport report;
    for (const Action& action : rig.all) {
        const Send* send = std::get_if<Send>(&action);
        if (send != nullptr && send->to == 3 && std::holds_alternative<wire::PathReport>(send->message)) {
            report = std::get<wire::PathReport>(send->message);
        }
    }
    EXPECT_EQ(report.token, 77U);
    EXPECT_EQ(report.received, 3);
    EXPECT_NEAR(report.queue_delay_s, 4e-3, 1e-9);
}

TEST(Controller, TellsTheSourceOfASlowReversePath) {
    Rig rig;
    rig.greet_all();
    const auto actions = rig.on(Received{3, wire::PathQuery{1, 2}});
    for (const Action& action : actions) {
        const auto* probes = std::get_if<SendProbes>(&action);
        if (probes == nullptr) continue;
        for (int i = 0; i < 3; ++i) {
            rig.on(ProbeResult{2, probes->burst, rig.now + 0.003 * i, false, 6e-3, 0.0, 5e-3, 0.0});
        }
    }
    EXPECT_EQ(rig.sent<wire::Notice>(2), 1);
    rig.on(Received{1, wire::Notice{4, 1, CongestionLevel::high, 5e-3}});
    EXPECT_EQ(rig.sent<wire::Notice>(4), 1) << "handed on for the destination";
    rig.on(Received{2, wire::Notice{4, 1, CongestionLevel::high, 5e-3}});
    EXPECT_EQ(rig.sent<wire::Notice>(4), 1) << "but only once";
    rig.on(Received{1, wire::Notice{0, 1, CongestionLevel::high, 5e-3}});
    ASSERT_EQ(rig.seen<Noticed>().size(), 1U);
    EXPECT_EQ(rig.seen<Noticed>()[0].path, (Pair{0, 1}));
}

TEST(Controller, TellsTheSourceOfSlowMessagesAtMostOnceAPeriod) {
    Rig rig;
    rig.greet_all();
    for (int i = 0; i < 2; ++i) rig.on(MessageTime{2, 4096, 30e-3, 1e-5}, 0.01);
    EXPECT_EQ(rig.sent<wire::Notice>(2), 0);
    for (int i = 0; i < 5; ++i) rig.on(MessageTime{2, 4096, 30e-3, 1e-5}, 0.01);
    EXPECT_EQ(rig.sent<wire::Notice>(2), 1);
    rig.on(MessageTime{2, 4096, 300e-3, 1e-5}, 0.1);
    EXPECT_EQ(rig.sent<wire::Notice>(2), 2);
    rig.on(MessageTime{kHosts, 4096, 1.0, 0.0});
    rig.on(MessageTime{0, 4096, 1.0, 0.0});
    rig.on(MessageTime{3, 4096, -1.0, 0.0});
    EXPECT_EQ(rig.sent<wire::Notice>(3), 0);
}

TEST(Controller, IgnoresStrangers) {
    Rig rig;
    rig.greet_all();
    rig.all.clear();
    rig.on(Received{99, wire::LoadQuery{1}});
    rig.on(Received{0, wire::LoadQuery{1}});
    rig.on(ProbeResult{99, 1, 0.0, false, 1.0, 1.0, 1.0, 0.0});
    rig.on(SocketSample{99, 1.0, 1.0, 1, 1, 0, 1, true});
    rig.on(RerouteDone{1, 2});
    rig.on(RestoreDone{1});
    rig.on(Received{2, wire::RelayGrant{123, 1, 0}});
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    EXPECT_TRUE(rig.seen<Rerouted>().empty());
    EXPECT_EQ(rig.sent<wire::RelayRelease>(2), 1) << "a grant that nobody waits for is given back";
}

/// Nothing but its own wake-up brings the look ahead: hosts that rest look at their sockets more rarely than that.
TEST(Controller, WakesAheadOfAUse) {
    Rig rig;
    rig.greet_all();
    Time begun = 0.0;
    for (int use = 0; use < 4; ++use) {
        if (use > 0) rig.now = begun + 9.98;
        rig.on(rig.sample(300e-6), 0.02);
        begun = rig.now;
    }
    const wire::Notice notice{0, 1, CongestionLevel::high, 20e-3, 0.0};
    rig.surroundings(rig.on(Received{1, notice}), 0.0, 0.0);  // a false alarm
    Time looked = 0.0;
    while (looked == 0.0 && rig.now < begun + 9.9) {
        const auto actions = rig.on(Tick{}, std::max(0.0, rig.controller.next_wakeup() - rig.now));
        if (looks_at(1, actions)) looked = rig.now;
        for (const Action& action : actions) {
            for (const Event& answer : rig.answers(action, 0.0, 0.0)) rig.on(answer);
        }
    }
    EXPECT_NEAR(looked, begun + 10.0 - Settings().pattern.lead_s, 1e-6);
}

TEST(Controller, MeetsAPeerWhoseClockSteppedAsAtTheFirstContact) {
    Rig rig;
    rig.greet_all();
    for (int i = 0; i < 600; ++i) rig.surroundings(rig.on(Tick{}, 0.1), 0.0, 0.0);
    EXPECT_TRUE(looks_at(2, rig.on(ClockStepped{2})));
    EXPECT_FALSE(looks_at(2, rig.on(ClockStepped{2}, 0.1))) << "it is";
    rig.on(ClockStepped{0});
    rig.on(ClockStepped{kHosts});
}

}  // namespace
}  // namespace fairlead::core
