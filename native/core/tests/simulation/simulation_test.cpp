// SPDX-License-Identifier: Apache-2.0
// Controllers against a simulated network: do they reroute when they should, only then, and come back?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/simulation/leaf_simulation.hpp"

namespace fairlead::core::sim {
namespace {

/// Long runs are as long as FAIRLEAD_SIM_SECONDS says; the default keeps the suite fast.
double long_run_s() {
    const char* given = std::getenv("FAIRLEAD_SIM_SECONDS");
    return given != nullptr ? std::atof(given) : 30.0;
}

/// Seeds that a measured reaction is taken over: few by default, more in long runs.
std::uint64_t seeds() {
    return long_run_s() >= 100.0 ? 8 : 3;
}

/// Every host exchanges small messages with every other: some CG-like load on all paths.
void everybody_exchanges(Simulation& net, double message_B, double pause_s) {
    for (HostId s = 0; s < net.hosts(); ++s) {
        for (HostId d = 0; d < net.hosts(); ++d) {
            if (s != d) net.exchange(s, d, message_B, pause_s);
        }
    }
}

/// Reroutes so far, in words: a failure should say what the agents thought.
std::string moves_told(const Simulation& net) {
    std::string text;
    for (const Entry& entry : net.diary()) {
        const auto* rerouted = std::get_if<Rerouted>(&entry.action);
        if (rerouted == nullptr) continue;
        char line[200];
        std::snprintf(
            line, sizeof line,
            "%.3f s: %d -> %d over %d, %.2f ms of queue, %.0f %% foreign, %.2f for %.2f ms, decided after %.0f ms\n",
            entry.at, static_cast<int>(entry.host), static_cast<int>(rerouted->destination),
            static_cast<int>(rerouted->relay), 1e3 * rerouted->queue_delay_s, 100.0 * rerouted->foreign_share,
            1e3 * rerouted->present_latency_s, 1e3 * rerouted->detour_latency_s,
            1e3 * (rerouted->decided_at - rerouted->suspected_at));
        text += line;
    }
    return text;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 1e9 : values[values.size() / 2];
}

/// First moment from `from` on at which the link holds more than half its limit.
double onset(Simulation& net, const Link& link, double from) {
    for (double t = from; t < from + 2.0; t += 5e-4) {
        net.run_until(t);
        if (link.backlog_B(net.now()) > link.limit_B / 2.0) return t;
    }
    return -1.0;
}

TEST(Simulation, PairsLeaveWithin150Milliseconds) {
    std::vector<double> reactions;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Config config;
        config.seed = seed;
        Simulation net(config);
        everybody_exchanges(net, 28e3, 20e-3);
        const double start = 2.0 + 0.137 * static_cast<double>(seed);
        net.foreign(0, 1, 8, start, 100.0);
        const double began = onset(net, net.core(0, 1), start);
        ASSERT_GT(began, 0.0);
        net.run_until(began + 2.0);
        for (const auto& [at, rerouted] : net.reports<Rerouted>()) {
            EXPECT_GE(at, start) << "rerouted before there was foreign traffic, seed " << seed;
            EXPECT_EQ(net.leaf(rerouted.destination), 1);
            EXPECT_GE(net.leaf(rerouted.relay), 2) << "a relay on the congested leafs does not help";
            reactions.push_back(at - began);
        }
    }
    EXPECT_GE(reactions.size(), 35U) << "of 40 pairs on the congested path";
    EXPECT_LE(median(reactions), 0.150);
    RecordProperty("median_ms", static_cast<int>(1e3 * median(reactions)));
    std::sort(reactions.begin(), reactions.end());
    std::printf("reaction: n %zu, median %.1f ms, p90 %.1f ms, max %.1f ms\n", reactions.size(),
                1e3 * median(reactions), 1e3 * reactions[reactions.size() * 9 / 10], 1e3 * reactions.back());
}

/// Streams that are limited at their source leave gaps in the queue, and the program's bursts fill part of it.
TEST(Simulation, SeesTrafficThatDoesNotFillThePath) {
    struct Case {
        int streams;
        double rate_bps;  // each; 0: unlimited
    };
    for (const Case& foreign : {Case{1, 0.0}, Case{1, 150e6}, Case{2, 75e6}, Case{4, 40e6}}) {
        std::vector<double> reactions;
        std::size_t pairs = 0;
        for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
            Config config;
            config.seed = seed;
            config.core_limit_B = 500e3;
            Simulation net(config);
            everybody_exchanges(net, 28e3, 20e-3);
            const double start = 2.0 + 0.137 * static_cast<double>(seed);
            if (foreign.rate_bps > 0.0) {
                net.foreign_paced(0, 1, foreign.streams, foreign.rate_bps, 128e3, start, 100.0);
            } else {
                net.foreign(0, 1, foreign.streams, start, 100.0);
            }
            net.run_until(start + 3.0);
            std::set<std::pair<HostId, HostId>> moved_pairs;
            for (const Entry& entry : net.diary()) {
                const auto* rerouted = std::get_if<Rerouted>(&entry.action);
                if (rerouted == nullptr) continue;
                EXPECT_GE(entry.at, start);
                EXPECT_EQ(net.leaf(entry.host), 0);
                EXPECT_EQ(net.leaf(rerouted->destination), 1);
                if (moved_pairs.emplace(entry.host, rerouted->destination).second)
                    reactions.push_back(entry.at - start);
            }
            pairs += 4;
        }
        std::sort(reactions.begin(), reactions.end());
        ASSERT_FALSE(reactions.empty());
        std::printf("%d streams of %3.0f Mbit/s: n %zu of %zu, median %.0f ms, p90 %.0f ms, max %.0f ms\n",
                    foreign.streams, foreign.rate_bps / 1e6, reactions.size(), pairs, 1e3 * median(reactions),
                    1e3 * reactions[reactions.size() * 9 / 10], 1e3 * reactions.back());
        // When some are rerouted, the others may find the path good enough.
        EXPECT_GE(2 * reactions.size(), pairs);
        EXPECT_LE(median(reactions), 0.5);
    }
}

/// A ring that fills the paths between leafs by itself, as nbody does: nothing is rerouted until others come.
TEST(Simulation, TellsOthersFromItsOwnBulk) {
    std::vector<double> reactions;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        Config config;
        config.seed = seed;
        config.core_limit_B = 500e3;
        Simulation net(config);
        for (HostId host = 0; host < net.hosts(); ++host) {
            net.exchange(host, static_cast<HostId>((host + 1) % net.hosts()), 1e6, 20e-3);
        }
        const double start = 10.0 + 0.137 * static_cast<double>(seed);
        net.foreign(0, 1, 2, start, 100.0);
        net.run_until(start + 3.0);
        for (const Entry& entry : net.diary()) {
            const auto* rerouted = std::get_if<Rerouted>(&entry.action);
            if (rerouted == nullptr) continue;
            EXPECT_GE(entry.at, start) << moves_told(net);
            if (entry.host == 1 && rerouted->destination == 2) {
                reactions.push_back(entry.at - start);
                break;
            }
        }
    }
    EXPECT_EQ(reactions.size(), seeds());
    std::printf("reaction beside bulk: n %zu, median %.0f ms, max %.0f ms\n", reactions.size(), 1e3 * median(reactions),
                1e3 * *std::max_element(reactions.begin(), reactions.end()));
    // A path that the job fills is looked at again after at most keep_backoff_max_s.
    EXPECT_LE(median(reactions), 1.5);
}

/// How many of three pairs on one trunk have left it, 3 s after others came. They carry up to 100 Mbit/s of 200
/// together, and begin at one host or at a host each.
std::size_t pairs_that_leave(std::uint64_t seed, bool one_host, double foreign_bps, double settle_s) {
    Config config;
    config.seed = seed;
    config.hosts_per_leaf = 3;
    config.settings.choice.settle_s = settle_s;
    Simulation net(config);
    for (HostId i = 0; i < 3; ++i) net.exchange(one_host ? 0 : i, static_cast<HostId>(3 + i), 20e3, 4e-3);
    const double start = 2.0 + 0.137 * static_cast<double>(seed);
    if (foreign_bps > 0.0) {
        net.foreign_paced(0, 1, 8, foreign_bps / 8.0, 10e3, start, 100.0);
    } else {
        net.foreign(0, 1, 8, start, 100.0);
    }
    net.run_until(start + 3.0);
    std::set<std::pair<HostId, HostId>> pairs;
    for (const Entry& entry : net.diary()) {
        if (const auto* rerouted = std::get_if<Rerouted>(&entry.action))
            pairs.emplace(entry.host, rerouted->destination);
    }
    return pairs.size();
}

TEST(Simulation, OnlyAsManyPairsLeaveAsItTakes) {
    constexpr std::uint64_t kRuns = 4;
    const double settle_s = Settings{}.choice.settle_s;
    for (const bool one_host : {false, true}) {
        std::size_t some = 0;
        std::size_t unsettled = 0;
        for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
            some += pairs_that_leave(seed, one_host, 130e6, settle_s);
            unsettled += pairs_that_leave(seed, one_host, 130e6, 0.0);
            EXPECT_EQ(pairs_that_leave(seed, one_host, 0.0, settle_s), 3U) << "streams without a limit leave no room";
        }
        std::printf("%s: %zu pairs leave, %zu if none gives way\n", one_host ? "one host" : "three hosts", some,
                    unsettled);
        EXPECT_GE(some, kRuns);
        EXPECT_LE(some, 2 * kRuns) << "one or two of three in each run";
        EXPECT_GT(unsettled, some);
    }
}

/// A full queue of 45 ms each way: answers to probes take twice as long.
TEST(Simulation, SeesALongQueueEachWay) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        Config config;
        config.seed = seed;
        config.core_bps = 50e6;
        config.core_limit_B = 281e3;
        Simulation net(config);
        everybody_exchanges(net, 2e3, 20e-3);
        net.foreign(0, 1, 4, 2.0, 20.0);
        net.foreign(1, 0, 4, 2.0, 20.0);
        net.run_until(5.0);
        std::set<std::pair<HostId, HostId>> away;
        for (const Entry& entry : net.diary()) {
            if (const auto* rerouted = std::get_if<Rerouted>(&entry.action))
                away.emplace(entry.host, rerouted->destination);
        }
        EXPECT_EQ(away.size(), 8U) << "all pairs of the two leafs, seed " << seed;
    }
}

TEST(Simulation, StaysOnACleanNetwork) {
    Config config;
    Simulation net(config);
    everybody_exchanges(net, 28e3, 10e-3);
    net.run_until(long_run_s());
    EXPECT_EQ(moves_told(net), "");
    const double probes_per_s = static_cast<double>(net.probes_sent()) / net.now() / net.hosts();
    std::printf("probes per host and second: %.1f\n", probes_per_s);
    EXPECT_LE(probes_per_s, 100.0);
}

TEST(Simulation, StaysUnderItsOwnAlltoall) {
    for (const double message_B : {64e3, 512e3}) {
        Config config;
        config.seed = 7;
        Simulation net(config);
        everybody_exchanges(net, message_B, 1e-3);
        net.run_until(long_run_s() / 4.0);
        EXPECT_GT(net.core(0, 1).busy_until, net.now() - 1.0) << "the cores are busy";
        EXPECT_EQ(moves_told(net), "") << "messages of " << message_B;
    }
}

TEST(Simulation, StaysUnderItsOwnBurstsAndHeavyNoise) {
    Config config;
    config.seed = 11;
    config.stall_rate_per_s = 60.0;
    config.stall_mean_s = 6e-3;
    Simulation net(config);
    everybody_exchanges(net, 256e3, 100e-3);
    net.run_until(long_run_s());
    EXPECT_EQ(moves_told(net), "");
}

TEST(Simulation, StaysWithoutKernelStamps) {
    Config config;
    config.seed = 3;
    config.kernel_stamps = false;
    Simulation net(config);
    everybody_exchanges(net, 128e3, 50e-3);
    net.run_until(long_run_s());
    EXPECT_EQ(moves_told(net), "");
}

TEST(Simulation, ReroutesTheAcknowledgementsOfAOneWayPair) {
    Simulation net(Config{});
    net.exchange(0, 2, 60e3, 1e-3);
    net.foreign(1, 0, 8, 2.0, 6.0);  // against the direction of the data
    net.run_until(3.0);
    const auto rerouted = net.reports<Rerouted>();
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_LE(rerouted[0].first, 2.5);
    EXPECT_NE(net.relay_of(2, 0), kNoHost);
    EXPECT_EQ(net.relay_of(0, 2), kNoHost) << "the way of the data is free";
    net.run_until(10.0);
    EXPECT_EQ(net.relay_of(2, 0), kNoHost);
}

TEST(Simulation, RestoresWhenCongestionEnds) {
    Simulation net(Config{});
    everybody_exchanges(net, 28e3, 20e-3);
    net.foreign(0, 1, 8, 2.0, 6.0);
    net.run_until(5.9);
    const std::size_t rerouted = net.reports<Rerouted>().size();
    ASSERT_GE(rerouted, 3U);
    EXPECT_TRUE(net.reports<Restored>().empty()) << "the direct path is still congested";
    net.run_until(12.0);
    EXPECT_EQ(net.reports<Rerouted>().size(), rerouted);
    const auto restored = net.reports<Restored>();
    EXPECT_EQ(restored.size(), rerouted);
    for (const auto& [at, report] : restored) {
        EXPECT_EQ(report.reason, RestoreReason::direct_good);
        EXPECT_GE(at, 6.0);
        EXPECT_LE(at, 6.0 + 2.0 + 1.5);
    }
    for (HostId s = 0; s < net.hosts(); ++s) {
        for (HostId d = 0; d < net.hosts(); ++d) {
            if (s == d) continue;
            EXPECT_EQ(net.relay_of(s, d), kNoHost);
        }
    }
}

/// What was learnt of detours ends with the congestion: nobody waits in the next one.
TEST(Simulation, ReactsAsFastToTheNextCongestion) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Config config;
        config.seed = seed;
        Simulation net(config);
        everybody_exchanges(net, 28e3, 20e-3);
        net.foreign(0, 1, 8, 2.0, 7.0);
        net.foreign(0, 1, 8, 16.0, 22.0);
        net.run_until(16.7);
        const auto moved_between = [&net](double begin, double end) {
            const auto reroutes = net.reports<Rerouted>();
            return std::count_if(reroutes.begin(), reroutes.end(),
                                 [&](const auto& reroute) { return reroute.first >= begin && reroute.first < end; });
        };
        const auto before = moved_between(2.0, 2.7);
        EXPECT_GT(before, 0) << "seed " << seed;
        EXPECT_GE(moved_between(16.0, 16.7), before - 1) << "seed " << seed;
    }
}

TEST(Simulation, DoesNotFlapUnderOnOffTraffic) {
    for (const double period : {0.3, 1.0, 5.0}) {
        Simulation net(Config{});
        everybody_exchanges(net, 28e3, 20e-3);
        const double end_s = 2.0 + long_run_s();
        for (double t = 2.0; t < end_s; t += period) net.foreign(0, 1, 8, t, t + period / 2.0);
        net.run_until(end_s);
        std::map<std::pair<HostId, HostId>, int> reroutes;
        for (const Entry& entry : net.diary()) {
            if (const auto* rerouted = std::get_if<Rerouted>(&entry.action))
                ++reroutes[{entry.host, rerouted->destination}];
        }
        EXPECT_FALSE(reroutes.empty());
        for (const auto& [pair, count] : reroutes) {
            EXPECT_LE(count, 8.0 * long_run_s() / 60.0)
                << "reroutes, " << pair.first << " -> " << pair.second << ", period " << period;
        }
    }
}

/// When host 0's traffic to host 2, 0.3 s long at each of `uses`, was led over a relay; the pair 1 -> 3 is always in
/// use.
std::vector<std::pair<double, Rerouted>> reroutes_of_recurrent(const std::vector<double>& uses,
                                                               const std::vector<std::pair<double, double>>& congested,
                                                               double end_s) {
    Simulation net(Config{});
    net.exchange_at(0, 2, 28e3, 10e-3, uses, 0.3);
    net.exchange(1, 3, 8e3, 20e-3);
    for (const auto& [start, stop] : congested) net.foreign(0, 1, 8, start, stop);
    net.run_until(end_s);
    std::vector<std::pair<double, Rerouted>> found;
    for (const Entry& entry : net.diary()) {
        const auto* rerouted = std::get_if<Rerouted>(&entry.action);
        if (rerouted != nullptr && entry.host == 0 && rerouted->destination == 2)
            found.emplace_back(entry.at, *rerouted);
    }
    return found;
}

TEST(Simulation, ThePairThatComesNextIsReroutedAheadOfItsUse) {
    const std::vector<double> even = {1.0, 3.0, 5.0, 7.0, 9.0, 11.0};
    const auto ahead = reroutes_of_recurrent(even, {{10.0, 20.0}}, 12.0);
    ASSERT_EQ(ahead.size(), 1U);
    EXPECT_TRUE(ahead[0].second.ahead);
    EXPECT_GE(ahead[0].first, 10.5) << "shortly before, for the congestion may pass";
    EXPECT_LE(ahead[0].first, 11.0);

    EXPECT_TRUE(reroutes_of_recurrent(even, {{10.0, 10.5}}, 12.0).empty()) << "the congestion was over by then";

    const auto uneven = reroutes_of_recurrent({1.0, 2.0, 5.0, 6.5, 9.0, 11.0}, {{10.0, 20.0}}, 12.0);
    ASSERT_EQ(uneven.size(), 1U);
    EXPECT_FALSE(uneven[0].second.ahead);
    EXPECT_GE(uneven[0].first, 11.0);
}

/// Others come with each use and go with it: from the third on the pair is away already.
TEST(Simulation, APairThatMeetsCongestionInEachUseKeepsItsDetour) {
    std::vector<double> uses;
    std::vector<std::pair<double, double>> congested;
    for (double t = 1.0; t < 150.0; t += 15.0) {
        uses.push_back(t);
        if (t > 50.0) congested.emplace_back(t, t + 0.5);
    }
    const auto reroutes = reroutes_of_recurrent(uses, congested, 150.0);
    ASSERT_EQ(reroutes.size(), 2U);
    EXPECT_NEAR(reroutes[0].first, 61.0, 0.3);
    EXPECT_NEAR(reroutes[1].first, 76.0, 0.3);
}

TEST(Simulation, OnAStarNothingReroutes) {
    Config config;
    config.leafs = 1;
    config.hosts_per_leaf = 8;
    config.host_bps = 200e6;
    config.host_limit_B = 250e3;
    Simulation net(config);
    everybody_exchanges(net, 28e3, 20e-3);
    net.foreign_into(3, 0, 8, 2.0, 8.0);
    net.run_until(10.0);
    EXPECT_EQ(moves_told(net), "");
    std::set<KeepReason> reasons;
    for (const auto& [at, kept] : net.reports<Kept>()) reasons.insert(kept.reason);
    EXPECT_TRUE(reasons.count(KeepReason::no_candidate));
}

TEST(Simulation, ACongestedDestinationIsNamed) {
    Simulation net(Config{});
    everybody_exchanges(net, 28e3, 20e-3);
    net.foreign_into(3, 2, 6, 2.0, 6.0);  // over the core 2 -> 1 first: that one is a different story
    net.down(3).rate_bps = 150e6;         // the destination's own link is the bottleneck
    net.run_until(6.0);
    int into_3 = 0;
    for (const Entry& entry : net.diary()) {
        if (const auto* rerouted = std::get_if<Rerouted>(&entry.action)) into_3 += rerouted->destination == 3;
    }
    EXPECT_EQ(into_3, 0);
    bool named = false;
    for (const auto& [at, kept] : net.reports<Kept>()) {
        named = named || (kept.destination == 3 && kept.reason == KeepReason::destination_congested);
    }
    EXPECT_TRUE(named);
}

TEST(Simulation, ManySourcesSpreadOverRelays) {
    Config config;
    config.hosts_per_leaf = 4;
    Simulation net(config);
    everybody_exchanges(net, 8e3, 30e-3);
    net.foreign(0, 1, 8, 2.0, 100.0);
    net.run_until(4.0);
    std::map<HostId, int> taken;
    int rerouted = 0;
    for (HostId s = 0; s < 4; ++s) {
        for (HostId d = 4; d < 8; ++d) {
            const HostId relay = net.relay_of(s, d);
            if (relay != kNoHost) ++taken[relay], ++rerouted;
        }
    }
    EXPECT_GE(rerouted, 12) << "of 16 pairs";
    EXPECT_GE(taken.size(), 4U) << "relays of 8";
    for (const auto& [relay, count] : taken) EXPECT_LE(count, rerouted / 2) << "over " << relay;
}

/// Returns of detours that were taken for broken, or for leading to nobody.
std::ptrdiff_t carried_nothing(const Simulation& net) {
    return std::ranges::count_if(net.reports<Restored>(), [](const auto& each) {
        return each.second.reason == RestoreReason::detour_broken ||
               each.second.reason == RestoreReason::destination_lost;
    });
}

/// Each alone would fill the relay's budget, and half of it is far more than either gets beside the streams.
TEST(Simulation, BothDirectionsShareTheOnlyRelay) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        Config config;
        config.leafs = 3;
        config.hosts_per_leaf = 1;
        config.seed = seed;
        Simulation net(config);
        for (const auto& [a, b] : {std::pair<HostId, HostId>{0, 1}, {1, 0}}) {
            net.exchange(a, b, 250e3, 1e-3);
            net.foreign(a, b, 8, 2.0, 100.0);
        }
        net.run_until(4.0);
        std::set<HostId> rerouted;
        for (const auto& [at, each] : net.reports<Rerouted>()) {
            EXPECT_EQ(each.relay, 2) << moves_told(net);
            rerouted.insert(each.destination);
        }
        EXPECT_EQ(rerouted, (std::set<HostId>{0, 1})) << "seed " << seed << '\n' << moves_told(net);
    }
}

TEST(Simulation, ADeadRelayIsLeftWithinASecond) {
    Simulation net(Config{});
    everybody_exchanges(net, 28e3, 20e-3);
    net.foreign(0, 1, 8, 2.0, 100.0);
    net.run_until(4.0);
    HostId relay = kNoHost;
    for (HostId s : {HostId{0}, HostId{1}}) {
        if (net.relay_of(s, 2) != kNoHost) relay = net.relay_of(s, 2);
    }
    ASSERT_NE(relay, kNoHost);
    net.kill_agent(relay);
    net.run_until(5.0);
    for (HostId s = 0; s < net.hosts(); ++s) {
        if (s == relay) continue;
        for (HostId d = 0; d < net.hosts(); ++d) {
            if (s == d) continue;
            EXPECT_NE(net.relay_of(s, d), relay) << s << " -> " << d;
        }
    }
    const auto restored = net.reports<Restored>();
    ASSERT_FALSE(restored.empty());
    EXPECT_EQ(restored.front().second.reason, RestoreReason::relay_dead);
    net.run_until(6.0);
    int away = 0;
    for (HostId s : {HostId{0}, HostId{1}}) {
        for (HostId d : {HostId{2}, HostId{3}}) away += net.relay_of(s, d) != kNoHost;
    }
    EXPECT_GE(away, 3) << "another relay is found";
}

TEST(Simulation, ADestinationWhoseAgentIsDeadIsReachedDirectlyWithinASecond) {
    Simulation net(Config{});
    everybody_exchanges(net, 28e3, 20e-3);
    net.foreign(0, 1, 8, 2.0, 100.0);
    net.run_until(4.0);
    const auto away_to = [&net](HostId destination) {
        int away = 0;
        for (HostId s = 0; s < net.hosts(); ++s) away += net.relay_of(s, destination) != kNoHost;
        return away;
    };
    ASSERT_GT(away_to(2), 0);
    ASSERT_GT(away_to(3), 0);
    ASSERT_EQ(carried_nothing(net), 0) << "although queues are full";
    net.kill_agent(2);
    net.run_until(5.0);
    EXPECT_EQ(away_to(2), 0);
    net.run_until(8.0);
    EXPECT_EQ(away_to(2), 0) << "nor is it tried again";
    EXPECT_GT(away_to(3), 0);
    const auto restored = net.reports<Restored>();
    EXPECT_TRUE(std::ranges::any_of(restored, [](const auto& each) {
        return each.second.destination == 2 && each.second.reason == RestoreReason::destination_lost;
    }));
}

TEST(Simulation, ASilentAgentIsNoCongestion) {
    Simulation net(Config{});
    everybody_exchanges(net, 28e3, 20e-3);
    net.run_until(2.0);
    net.kill_agent(3);
    net.run_until(10.0);
    EXPECT_EQ(moves_told(net), "");
}

}  // namespace
}  // namespace fairlead::core::sim
