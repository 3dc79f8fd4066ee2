// SPDX-License-Identifier: Apache-2.0
// One controller driven by hand: the course of a search, moves by hand, relay and destination roles, faults.
#include "fairlead/core/controller.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fairlead::core {
namespace {

constexpr HostId kHosts = 5;

ControllerConfig config_of(HostId self) {
    ControllerConfig config(self, kHosts);
    for (HostId a = 0; a < kHosts; ++a) {
        for (HostId b = 0; b < kHosts; ++b) {
            if (a == b) continue;
            config.base.set_latency({a, b}, 64, 150e-6, -1.0);
            config.base.set_latency({a, b}, 65536, 2.8e-3, -1.0);
            config.base.set_throughput({a, b}, 200e6, -1.0);
            config.sharing.set_hurts({a, b}, {a, b});  // known: nothing shares anything else
        }
    }
    config.seed = 5;
    return config;
}

/// Whether a burst is among them, not only a probe of the background.
bool looks_at(HostId peer, const std::vector<Action>& actions) {
    return std::ranges::any_of(actions, [peer](const Action& action) {
        const auto* probes = std::get_if<SendProbes>(&action);
        return probes != nullptr && probes->peer == peer && probes->count > 1;
    });
}

/// Host 0's controller with the answers that its surroundings would give.
class Rig {
  public:
    explicit Rig(ControllerConfig config = config_of(0)) : controller(std::move(config)) {}

    std::vector<Action> on(const Event& event, double after_s = 0.0) {
        now += after_s;
        std::vector<Action> actions = controller.on(event, now);
        all.insert(all.end(), actions.begin(), actions.end());
        return actions;
    }
    void greet_all() {
        on(Tick{});
        for (HostId host = 1; host < kHosts; ++host) on(Received{host, wire::Hello{kHosts, true}});
    }
    /// Answers every burst and query of `actions` with these queueing delays, and what that leads to in turn, for a
    /// quarter of a second.
    void surroundings(std::vector<Action> actions, double direct_queue_s, double leg_queue_s) {
        for (int round = 0; round < 40; ++round) {
            std::vector<Action> next;
            for (const Action& action : actions) {
                for (const Event& event : answers(action, direct_queue_s, leg_queue_s)) {
                    for (Action& more : on(event)) next.push_back(std::move(more));
                }
            }
            for (Action& more : on(Tick{}, 0.006)) next.push_back(std::move(more));
            actions = std::move(next);
        }
    }
    /// One event, then the answers to what the step before led to: what is asked takes as long as a step.
    std::vector<Action> step(const Event& event, double after_s, double direct_queue_s, double leg_queue_s) {
        std::vector<Action> next = on(event, after_s);
        for (const Action& action : open) {
            for (const Event& answer : answers(action, direct_queue_s, leg_queue_s)) {
                for (Action& more : on(answer)) next.push_back(std::move(more));
            }
        }
        open = next;
        return next;
    }
    std::vector<Event> answers(const Action& action, double direct_queue_s, double leg_queue_s) {
        std::vector<Event> events;
        if (const auto* probes = std::get_if<SendProbes>(&action)) {
            for (int i = 0; i < probes->count; ++i) {
                const double queue_s = probes->peer == destination ? direct_queue_s : leg_queue_s;
                events.push_back(ProbeResult{probes->peer, probes->burst, now + i * probes->spacing_s, queue_s < 0.0,
                                             300e-6 + std::max(0.0, queue_s), std::max(0.0, queue_s), 0.0, 0.0});
            }
        } else if (std::holds_alternative<SampleSockets>(action)) {
            events.push_back(sample(20e-3));
            events.push_back(Tick{});
        } else if (const auto* send = std::get_if<Send>(&action)) {
            if (std::holds_alternative<wire::Heartbeat>(send->message)) {
                events.push_back(Received{send->to, wire::Heartbeat{true}});
            } else if (const auto* query = std::get_if<wire::PathQuery>(&send->message)) {
                events.push_back(Received{
                    send->to, wire::PathReport{query->token, query->destination, 3, 3, leg_queue_s, 150e-6, 0.0}});
            } else if (const auto* request = std::get_if<wire::RelayRequest>(&send->message)) {
                if (grant)
                    events.push_back(Received{send->to, wire::RelayGrant{request->token, request->destination}});
                else
                    events.push_back(Received{
                        send->to, wire::RelayRefuse{request->token, request->destination, wire::RefuseReason::budget}});
            }
        } else if (const auto* move = std::get_if<Move>(&action)) {
            if (move_works)
                events.push_back(MoveDone{move->destination, move->relay});
            else
                events.push_back(MoveFailed{move->destination, move->relay, "no such device"});
        } else if (const auto* back = std::get_if<Return>(&action)) {
            events.push_back(ReturnDone{back->destination});
        }
        return events;
    }
    SocketSample sample(double srtt_s) {
        delivered_B += sample_B;
        return SocketSample{destination, srtt_s, 300e-6, 20000, delivered_B, 0, false};
    }
    /// A pair in use meets a queue.
    void congestion(double direct_queue_s, double leg_queue_s) {
        on(sample(300e-6), 0.02);
        surroundings(on(sample(20e-3), 0.02), direct_queue_s, leg_queue_s);
    }
    template <typename T>
    std::vector<T> seen() const {
        std::vector<T> found;
        for (const Action& action : all) {
            if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
        }
        return found;
    }
    template <typename M>
    int sent(HostId to) const {
        return static_cast<int>(std::count_if(all.begin(), all.end(), [to](const Action& action) {
            const Send* send = std::get_if<Send>(&action);
            return send != nullptr && send->to == to && std::holds_alternative<M>(send->message);
        }));
    }

    Controller controller;
    double now = 100.0;
    HostId destination = 1;
    std::uint64_t delivered_B = 0;
    std::uint64_t sample_B = 2000;  ///< acknowledged between two samples
    bool grant = true;
    bool move_works = true;
    std::vector<Action> all;
    std::vector<Action> open;  ///< not answered yet, see step()
};

TEST(Controller, RefusesABadConfiguration) {
    ControllerConfig config(5, 5);
    EXPECT_THROW(Controller{config}, std::invalid_argument);
    config = config_of(0);
    config.settings.zones.medium_factor = 0.5;
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

TEST(Controller, MovesAroundForeignCongestionAndSaysWhy) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    const auto moves = rig.seen<Move>();
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].destination, 1);
    EXPECT_GE(moves[0].relay, 2);
    const auto moved = rig.seen<Moved>();
    ASSERT_EQ(moved.size(), 1U);
    EXPECT_NEAR(moved[0].queue_delay_s, 10e-3, 1e-6);
    EXPECT_GT(moved[0].foreign_share, 0.5);
    EXPECT_GT(moved[0].present_latency_s, 10e-3);
    EXPECT_LT(moved[0].detour_latency_s, 3e-3);
    EXPECT_LE(moved[0].suspected_at, moved[0].confirmed_at);
    EXPECT_EQ(rig.controller.view(1).relay, moves[0].relay);
    EXPECT_EQ(rig.controller.view(1).zone, Zone::high);
    EXPECT_TRUE(rig.controller.view(1).in_use);
    EXPECT_EQ(rig.controller.pairs_in_use(), 1);
    rig.on(Tick{}, 0.02);
    EXPECT_GE(rig.sent<wire::Heartbeat>(moves[0].relay), 1);
}

TEST(Controller, OneSlowProbeMovesNothing) {
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
    EXPECT_TRUE(rig.seen<Move>().empty());
    for (HostId host = 1; host < kHosts; ++host) EXPECT_EQ(rig.sent<wire::PathQuery>(host), 0);
}

struct Stay {
    const char* name;
    double direct_s, leg_s;
    bool grant, move_works;
    StayReason reason;
};
class ControllerStays : public testing::TestWithParam<Stay> {};
TEST_P(ControllerStays, WithReason) {
    Rig rig;
    rig.greet_all();
    rig.grant = GetParam().grant;
    rig.move_works = GetParam().move_works;
    rig.congestion(GetParam().direct_s, GetParam().leg_s);
    EXPECT_TRUE(rig.seen<Moved>().empty());
    const auto stayed = rig.seen<Stayed>();
    ASSERT_FALSE(stayed.empty());
    EXPECT_EQ(stayed.back().reason, GetParam().reason) << name(stayed.back().reason);
    EXPECT_EQ(stayed.back().destination, 1);
}
INSTANTIATE_TEST_SUITE_P(Reasons, ControllerStays,
                         testing::Values(Stay{"AllPathsSlow", 10e-3, 9e-3, true, true,
                                              StayReason::destination_congested},
                                         Stay{"LegsSilent", 10e-3, -1.0, true, true, StayReason::no_answer},
                                         Stay{"Refused", 10e-3, 0.0, false, true, StayReason::refused},
                                         Stay{"GuardianFails", 10e-3, 0.0, true, false, StayReason::move_failed}),
                         [](const auto& stay) { return std::string(stay.param.name); });

constexpr std::uint64_t kOwnBulk_B = 250000;  // in 20 ms half of the bottleneck: not enough to call it filled

TEST(Controller, BelievesWhatAnotherPairsSearchCounted) {
    for (const double told : {0.0, 0.8}) {
        Rig rig;
        rig.greet_all();
        rig.sample_B = kOwnBulk_B;
        rig.on(rig.sample(300e-6), 0.02);
        rig.on(rig.sample(300e-6), 0.02);
        rig.surroundings(rig.on(Received{2, wire::Notice{0, 1, Zone::high, 20e-3, told}}), 20e-3, 0.0);
        const auto stays = rig.seen<Stayed>();
        EXPECT_EQ(rig.seen<Moved>().size(), told > 0.0 ? 1U : 0U);
        EXPECT_EQ(!stays.empty() && stays.front().reason == StayReason::own_load, told == 0.0);
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
        ASSERT_FALSE(rig.seen<Stayed>().empty());
        EXPECT_EQ(rig.seen<Stayed>().front().reason, StayReason::no_answer);
        EXPECT_EQ(rig.seen<Moved>().size(), greets ? 0U : 1U);
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
        ASSERT_FALSE(rig.seen<Stayed>().empty());
        EXPECT_EQ(rig.seen<Stayed>().front().reason, StayReason::own_load);
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
    for (HostId host = 1; host < kHosts; ++host) rig.on(Received{host, wire::Hello{kHosts, false}});
    rig.congestion(10e-3, 0.0);
    EXPECT_TRUE(rig.seen<Move>().empty());
    ASSERT_FALSE(rig.seen<Stayed>().empty());
    EXPECT_EQ(rig.seen<Stayed>().front().reason, StayReason::no_candidate);
}

TEST(Controller, ReturnsAfterTheDwellTime) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Moved>().size(), 1U);
    const double moved_at = rig.now;
    while (rig.seen<Returned>().empty() && rig.now < moved_at + 10.0) {
        rig.surroundings(rig.on(rig.sample(300e-6), 0.02), 0.0, 0.0);
    }
    ASSERT_EQ(rig.seen<Returned>().size(), 1U);
    EXPECT_EQ(rig.seen<Returned>()[0].reason, ReturnReason::direct_good);
    EXPECT_GE(rig.seen<Returned>()[0].away_s, 2.0);
    EXPECT_LE(rig.seen<Returned>()[0].away_s, 3.0);
    EXPECT_EQ(rig.sent<wire::RelayRelease>(rig.seen<Moved>()[0].relay), 1);
    EXPECT_EQ(rig.controller.view(1).relay, kNoHost);
}

TEST(Controller, ADetourIsLeftForADirectPathOnlyIfThatIsLow) {
    for (const double direct_queue_s : {0.5e-3, 2e-3}) {
        Rig rig;
        rig.greet_all();
        rig.congestion(20e-3, 0.0);
        ASSERT_EQ(rig.seen<Moved>().size(), 1U);
        // All detours become slower than the direct path, which has not been good for the dwell time yet.
        for (int i = 0; i < 90; ++i) rig.step(rig.sample(30e-3), 0.02, direct_queue_s, 10e-3);
        const bool low = direct_queue_s < 1e-3;
        const auto returned = rig.seen<Returned>();
        ASSERT_EQ(returned.size(), low ? 1U : 0U) << direct_queue_s;
        for (const Returned& back : returned) EXPECT_EQ(back.reason, ReturnReason::detour_slow);
    }
}

/// A queue that comes and goes must not be met at the same place of its period again and again.
TEST(Controller, LooksAtTheDirectPathOfADetourAtRandomTimes) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Moved>().size(), 1U);
    constexpr double kStep_s = 1e-3;
    std::vector<double> intervals_s;
    double last = 0.0;
    const double end = rig.now + 10.0;
    while (rig.now < end) {
        if (!looks_at(1, rig.step(Tick{}, kStep_s, 10e-3, 0.0))) continue;
        if (last > 0.0) intervals_s.push_back(rig.now - last);
        last = rig.now;
    }
    ASSERT_TRUE(rig.seen<Returned>().empty());
    ASSERT_GE(intervals_s.size(), 30U);
    std::ranges::sort(intervals_s);
    EXPECT_GE(intervals_s.front(), 0.125 - kStep_s);
    EXPECT_LE(intervals_s.back(), 0.375 + kStep_s);
    EXPECT_LT(intervals_s[intervals_s.size() / 4], 0.22) << "spread over all of it";
    EXPECT_GT(intervals_s[intervals_s.size() * 3 / 4], 0.28);
}

class ControllerLosesRelay : public testing::TestWithParam<int> {};
TEST_P(ControllerLosesRelay, AndReturnsAtOnce) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Moved>().size(), 1U);
    const HostId relay = rig.seen<Moved>()[0].relay;
    const double lost_at = rig.now;
    ReturnReason reason = ReturnReason::relay_dead;
    switch (GetParam()) {
        case 0:
            rig.on(Received{relay, wire::Goodbye{}});
            break;
        case 1:
            rig.on(Received{relay, wire::RelayRefuse{0, 1, wire::RefuseReason::stopping}});
            reason = ReturnReason::relay_revoked;
            break;
        case 2:
            rig.on(Received{relay, wire::Hello{kHosts, true}, 2});  // its agent started anew
            break;
        default:
            while (rig.seen<Return>().empty() && rig.now < lost_at + 2.0) rig.on(Tick{}, 0.02);
            EXPECT_LE(rig.now - lost_at, 0.6);
    }
    ASSERT_EQ(rig.seen<Return>().size(), 1U);
    rig.on(ReturnDone{1});
    ASSERT_EQ(rig.seen<Returned>().size(), 1U);
    EXPECT_EQ(rig.seen<Returned>()[0].reason, reason);
}
INSTANTIATE_TEST_SUITE_P(Ways, ControllerLosesRelay, testing::Range(0, 4));

TEST(Controller, MovesByHand) {
    ControllerConfig config = config_of(0);
    config.automatic = false;
    Rig rig(config);
    rig.greet_all();
    EXPECT_TRUE(rig.seen<SendProbes>().empty()) << "no probes of its own";
    rig.on(ManualMove{1, 1});
    rig.on(ManualMove{0, 2});
    rig.on(ManualMove{1, 99});
    EXPECT_TRUE(rig.seen<Move>().empty());
    rig.on(ManualMove{1, 2});
    ASSERT_EQ(rig.seen<Move>().size(), 1U);
    rig.on(ManualMove{1, 3});
    EXPECT_EQ(rig.seen<Move>().size(), 1U) << "waits for the guardian";
    rig.on(MoveDone{1, 2});
    ASSERT_EQ(rig.seen<Move>().size(), 2U) << "replaced in one step";
    EXPECT_EQ(rig.seen<Move>()[1].relay, 3);
    EXPECT_EQ(rig.seen<Moved>().size(), 1U);
    EXPECT_TRUE(rig.seen<Moved>()[0].manual);
    rig.on(MoveDone{1, 3});
    EXPECT_EQ(rig.seen<Moved>()[1].before, 2);
    EXPECT_EQ(rig.sent<wire::RelayRelease>(2), 1);
    rig.on(ManualReturn{1});
    rig.on(ReturnDone{1});
    ASSERT_EQ(rig.seen<Returned>().size(), 1U);
    EXPECT_EQ(rig.seen<Returned>()[0].reason, ReturnReason::manual);
}

TEST(Controller, AFailedReturnIsTriedAgain) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualMove{1, 2});
    rig.on(MoveDone{1, 2});
    rig.on(Received{2, wire::Goodbye{}});
    ASSERT_EQ(rig.seen<Return>().size(), 1U);
    rig.on(ReturnFailed{1, "busy"});
    for (int i = 0; i < 150; ++i) rig.on(Tick{}, 0.02);
    EXPECT_EQ(rig.seen<Return>().size(), 2U);
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
    rig.on(Received{1, wire::Heartbeat{false}}, 1.5);
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
    const wire::LoadReport expected{77, {{1, kNoHost, 4000, 4000}}};
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
    rig.on(Received{1, wire::Notice{4, 1, Zone::high, 5e-3}});
    EXPECT_EQ(rig.sent<wire::Notice>(4), 1) << "handed on for the destination";
    rig.on(Received{2, wire::Notice{4, 1, Zone::high, 5e-3}});
    EXPECT_EQ(rig.sent<wire::Notice>(4), 1) << "but only once";
    rig.on(Received{1, wire::Notice{0, 1, Zone::high, 5e-3}});
    ASSERT_EQ(rig.seen<Noticed>().size(), 1U);
    EXPECT_EQ(rig.seen<Noticed>()[0].path, (Pair{0, 1}));
}

TEST(Controller, StopReturnsEverything) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualMove{1, 2});
    rig.on(MoveDone{1, 2});
    rig.on(ManualMove{3, 4});  // under way
    rig.on(Stop{});
    EXPECT_EQ(rig.seen<Return>().size(), 1U);
    rig.on(MoveDone{3, 4});
    EXPECT_EQ(rig.seen<Return>().size(), 2U);
    rig.on(ReturnDone{1});
    rig.on(ReturnDone{3});
    EXPECT_EQ(rig.sent<wire::RelayRelease>(2), 1);
    EXPECT_EQ(rig.sent<wire::RelayRelease>(4), 1);
    rig.on(ManualMove{1, 2});
    EXPECT_EQ(rig.seen<Move>().size(), 2U) << "nothing new after the end";
}

TEST(Controller, WhileItStopsItIsNotToBeWokenInThePast) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Moved>().size(), 1U);
    rig.on(Stop{});
    ASSERT_EQ(rig.seen<Return>().size(), 1U);
    // The guardian takes its time: whatever is due for the detour meanwhile.
    for (int i = 0; i < 100; ++i) {
        rig.on(Tick{}, 0.02);
        ASSERT_GE(rig.controller.next_wakeup(), rig.now) << "after " << i << " ticks";
    }
    rig.on(ReturnDone{1});
    EXPECT_EQ(rig.seen<Returned>().size(), 1U);
}

TEST(Controller, IgnoresStrangers) {
    Rig rig;
    rig.greet_all();
    rig.all.clear();
    rig.on(Received{99, wire::LoadQuery{1}});
    rig.on(Received{0, wire::LoadQuery{1}});
    rig.on(ProbeResult{99, 1, 0.0, false, 1.0, 1.0, 1.0, 0.0});
    rig.on(SocketSample{99, 1.0, 1.0, 1, 1, 1, true});
    rig.on(MoveDone{1, 2});
    rig.on(ReturnDone{1});
    rig.on(Received{2, wire::RelayGrant{123, 1}});
    EXPECT_TRUE(rig.seen<Move>().empty());
    EXPECT_TRUE(rig.seen<Moved>().empty());
    EXPECT_EQ(rig.sent<wire::RelayRelease>(2), 1) << "a grant that nobody waits for is given back";
}

}  // namespace
}  // namespace fairlead::core
