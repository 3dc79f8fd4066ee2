// SPDX-License-Identifier: Apache-2.0
// How agents carry frames: whole, in order, over relays, and what becomes of those under way when somebody goes.
#include "planes/relay_plane.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <utility>

#include "tests/relay_hosts.hpp"

namespace fairlead::agent {
namespace {

using relay::Path;

TEST(RelayPlane, FramesGoOverTheRelayWholeAndInOrder) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    EXPECT_EQ(rank0->wished(1), Path::direct);
    const std::uint32_t before = rank0->changes();
    EXPECT_EQ(hosts.reroute(0, 2, 1), "");
    EXPECT_EQ(rank0->wished(1), Path::relay);
    EXPECT_EQ(rank1->wished(0), Path::direct) << "the other direction is another pair";
    EXPECT_NE(rank0->changes(), before);
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 1000), count_to(1000));
    EXPECT_EQ(hosts.counts(0).sent, 1000U);
    EXPECT_EQ(hosts.counts(1).passed, 1000U);
    EXPECT_EQ(hosts.counts(2).arrived, 1000U);
    EXPECT_EQ(hosts.counts(2).arrived_B, hosts.counts(0).sent_B);

    EXPECT_EQ(exchange(*rank1, 1, *rank0, 0, 100), count_to(100)) << "the direct way";
    EXPECT_EQ(hosts.counts(1).passed, 1000U);
    hosts.restore(0, 2);
    EXPECT_EQ(rank0->wished(1), Path::direct);
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 100), count_to(100));
    EXPECT_EQ(hosts.counts(1).passed, 1000U);
    EXPECT_TRUE(hosts.log().empty());
}

/// By which the controller judges a detour: the ranks' own connections carry nothing of it.
TEST(RelayPlane, TellsWhatItCarriesForEachDestination) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    const auto rank2 = hosts.join(1, 2);
    const auto carried = [&](core::HostId host) { return hosts.call([&] { return hosts.plane(host).carried(); }); };
    EXPECT_TRUE(carried(0).empty());
    ASSERT_EQ(hosts.reroute(0, 2, 1), "");
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 200), count_to(200));
    ASSERT_EQ(exchange(*rank0, 0, *rank2, 2, 200), count_to(200)) << "to the relay's own rank: the direct path";
    const auto delivered = [&] {
        std::map<core::HostId, std::uint64_t> by_host;
        for (const Carried& each : carried(0)) by_host[each.destination] = each.delivered_B;
        return by_host;
    };
    constexpr std::uint64_t kHeading_B = relay::wire::kHeader_B + relay::wire::kMaxBody_B;
    const std::uint64_t messages_B = hosts.counts(0).sent_B / 2 - 200 * kHeading_B;
    const std::map<core::HostId, std::uint64_t> expected{{1, messages_B}, {2, messages_B}};
    EXPECT_TRUE(eventually([&] { return delivered() == expected; }));
    EXPECT_TRUE(carried(1).empty()) << "passing frames are not this host's ranks'";

    hosts.kill(1);
    EXPECT_TRUE(eventually([&] { return rank0->wished(1) == Path::direct; }));
    EXPECT_EQ(delivered(), expected) << "what was delivered stays so";
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 200), count_to(200)) << "without the relay";
    EXPECT_TRUE(eventually([&] { return delivered().at(2) == 2 * messages_B; }));
}

/// 10^4 ranks on 50 hosts: whatever happens to one host costs as much as that host has ranks, not as many as the job
/// has.
TEST(RelayPlane, OnlyWhatHasChangedIsToldToRanks) {
    constexpr core::HostId kHosts = 50;
    constexpr Process kJob = 10'000;
    constexpr Process kPerHost = kJob / kHosts;
    constexpr std::uint64_t kLocal = 4;
    Hosts hosts(kHosts);
    std::vector<std::unique_ptr<AgentCarrier>> local;
    for (Process rank = 0; rank < kLocal; ++rank) local.push_back(hosts.join(0, rank, kJob));
    const auto told = [&] { return hosts.call([&] { return hosts.plane(0).places_told(); }); };
    const auto place = [&](core::HostId host) {
        std::vector<std::uint32_t> ranks(kPerHost);
        std::iota(ranks.begin(), ranks.end(), host * kPerHost);
        hosts.call([&] { hosts.plane(0).place(host, kWorld, ranks); });
    };
    std::uint64_t before = told();
    EXPECT_LE(before, kLocal * (kJob + kLocal)) << "each learns all once, and the others of it";
    for (core::HostId host = 1; host < kHosts; ++host) place(host);
    EXPECT_EQ(told() - before, kLocal * (kJob - kPerHost)) << "each process once";
    EXPECT_EQ(local[0]->wished(kJob - 1), Path::direct);
    EXPECT_TRUE(local[3]->reaches(kJob - 1));
    before = told();
    for (core::HostId host = 1; host < kHosts; ++host) place(host);
    EXPECT_EQ(told(), before) << "nothing new";
    EXPECT_EQ(hosts.reroute(0, 49, 7), "");
    EXPECT_LE(told() - before, 2 * kLocal * kPerHost)
        << "of the destination, as the relay is reached and as it is rerouted";
    EXPECT_EQ(local[1]->wished(kJob - 1), Path::relay);
    EXPECT_EQ(local[1]->wished(kJob - 1 - kPerHost), Path::direct);
    before = told();
    hosts.restore(0, 49);
    EXPECT_EQ(told() - before, kLocal * kPerHost);
    EXPECT_EQ(local[2]->wished(kJob - 1), Path::direct);
}

TEST(RelayPlane, RanksOfOneHostReachEachOther) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(0, 1);
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 500), count_to(500));
    EXPECT_EQ(hosts.counts(0).sent, 0U);
    EXPECT_EQ(hosts.counts(0).arrived, 500U);
}

TEST(RelayPlane, NobodyKnowsWhereAProcessIsUntilItsAgentTells) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    EXPECT_TRUE(rank0->ready(0));
    EXPECT_FALSE(rank0->ready(1));
    EXPECT_FALSE(rank0->ready(kProcesses));
    const auto rank1 = hosts.join(1, 1);
    EXPECT_TRUE(rank0->ready(1));
    EXPECT_TRUE(rank1->ready(0)) << "its agent had heard of it before";
}

/// What is on the way is bounded by pools, rings and the kernel's buffers, whatever a rank wants to send.
TEST(RelayPlane, ARankThatTakesNothingHoldsItsSendersBack) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.reroute(0, 2, 1), "");
    constexpr std::size_t kFrame_B = 30'000;
    std::uint64_t sent = 0;
    const auto send_some = [&] {
        while (rank0->ready(1)) rank0->send(1, make_frame(0, 1, ++sent, kFrame_B));
    };
    for (RelayCounts last{.sent = ~std::uint64_t{0}}; last.sent != hosts.counts(0).sent;) {
        last = hosts.counts(0);
        for (int look = 0; look < 100; ++look) {
            send_some();
            hosts.call([] {});
        }
    }
    EXPECT_EQ(hosts.counts(2).arrived_B / kFrame_B, kCapacity_B / kFrame_B);
    // Its ring; one stream's queue and the pools; what two sockets and their readers hold.
    EXPECT_LT(sent * kFrame_B, (2U << 20) + RelayPlane::kOwnQueue_B + 2 * kCapacity_B + (3U << 20));
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return taken.size() >= sent;
    }));
    EXPECT_EQ(taken, count_to(sent));
}

/// Each pool has room for one frame, as in native/relay's exploration; with passing and arriving frames in one stream
/// or one pool this stops.
TEST(RelayPlane, ADestinationThatTakesNothingDoesNotStopTheRelaysOthers) {
    Hosts hosts(5);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    const auto rank2 = hosts.join(4, 2);
    const auto rank3 = hosts.join(3, 3);
    EXPECT_EQ(hosts.reroute(0, 2, 1), "");
    EXPECT_EQ(hosts.reroute(4, 3, 1), "");
    std::uint64_t number = 0;
    std::uint64_t passed = 0;
    EXPECT_TRUE(eventually([&] {  // until the relay passes on nothing any more
        while (rank0->ready(1)) rank0->send(1, make_frame(0, 1, ++number, 10'000));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return number > 0 && std::exchange(passed, hosts.counts(1).passed) == hosts.counts(1).passed;
    }));
    EXPECT_EQ(exchange(*rank2, 2, *rank3, 3, 100), count_to(100));
    EXPECT_EQ(hosts.counts(1).passed, passed + 100);
}

TEST(RelayPlane, HostsThatRelayForEachOtherInACircleDoNotStop) {
    Hosts hosts(3, 1);
    std::vector<std::unique_ptr<AgentCarrier>> ranks;
    for (Process rank = 0; rank < 3; ++rank) ranks.push_back(hosts.join(static_cast<core::HostId>(rank), rank));
    for (core::HostId host = 0; host < 3; ++host) {
        ASSERT_EQ(
            hosts.reroute(host, static_cast<core::HostId>((host + 2) % 3), static_cast<core::HostId>((host + 1) % 3)),
            "");
    }
    constexpr std::uint64_t kFrames = 1500;
    std::array<std::uint64_t, 3> next{1, 1, 1};
    std::array<Numbers, 3> taken;
    EXPECT_TRUE(eventually([&] {
        bool done = true;
        for (Process rank = 0; rank < 3; ++rank) {
            const Process to = (rank + 2) % 3;
            while (next[rank] <= kFrames && ranks[rank]->ready(to)) {
                ranks[rank]->send(to, make_frame(rank, to, next[rank], size_of(next[rank])));
                ++next[rank];
            }
            take(*ranks[rank], taken[rank]);
            done = done && taken[rank].size() >= kFrames;
        }
        return done;
    }));
    for (core::HostId host = 0; host < 3; ++host) {
        EXPECT_EQ(taken.at(host), count_to(kFrames));
        EXPECT_EQ(hosts.counts(host).passed, kFrames);
    }
}

TEST(RelayPlane, ItsOwnAgentsDeathIsTold) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(1, 1);
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 10), count_to(10));
    const std::uint32_t before = rank0->changes();
    hosts.kill(0);
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank0, taken);
        return !rank0->alive();
    }));
    EXPECT_FALSE(rank0->ready(1));
    EXPECT_EQ(rank0->wished(1), Path::direct);
    EXPECT_NE(rank0->changes(), before);
    rank0->send(1, make_frame(0, 1, 1, 10));  // lost, as what was under way
    take(*rank1, taken);
    EXPECT_TRUE(taken.empty());
    EXPECT_TRUE(rank1->alive());
}

TEST(RelayPlane, ADirectoryThatIsGoneIsMadeAgainForTheTimeOfTheAgent) {
    Hosts hosts(2);
    const std::string directory = hosts.directory(0);
    hosts.kill(0);
    std::filesystem::remove_all(directory);
    hosts.revive(0);
    EXPECT_EQ(std::filesystem::status(directory).permissions(), std::filesystem::perms::owner_all);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(1, 1);
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 10), count_to(10));
    hosts.kill(0);
    EXPECT_FALSE(std::filesystem::exists(directory));
    EXPECT_TRUE(std::filesystem::exists(hosts.directory(1))) << "it found that one";
}

TEST(RelayPlane, TheRelaysDeathBringsItsPairsBack) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.reroute(0, 2, 1), "");
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 50), count_to(50));
    hosts.kill(1);
    EXPECT_TRUE(eventually([&] { return rank0->wished(1) == Path::direct; }));
    EXPECT_TRUE(rank0->ready(1));
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 50), count_to(50)) << "without the relay";
    EXPECT_NE(hosts.reroute(0, 2, 1), "") << "nobody answers there";
    EXPECT_EQ(rank0->wished(1), Path::direct);
}

TEST(RelayPlane, ADetourIsThereAgainWhenItsRelayIs) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.reroute(0, 2, 1), "");
    hosts.kill(1);
    EXPECT_TRUE(eventually([&] { return rank0->wished(1) == Path::direct; }));
    hosts.revive(1);
    EXPECT_TRUE(eventually([&] { return rank0->wished(1) == Path::relay; }));
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 50), count_to(50));
    EXPECT_EQ(hosts.counts(1).passed, 50U);
}

TEST(RelayPlane, TheDestinationsDeathIsToldToTheSourcesRanks) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.reroute(0, 2, 1), "");
    hosts.kill(2);
    EXPECT_TRUE(eventually([&] { return !rank0->ready(1); }));
    EXPECT_EQ(rank0->wished(1), Path::direct);
    EXPECT_TRUE(rank0->alive());
    EXPECT_TRUE(eventually([&] {
        rank1->poll([](std::span<const std::uint8_t>) {});
        return !rank1->alive();
    }));
}

TEST(RelayPlane, FramesForARankThatLeftAreDropped) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    auto rank1 = hosts.join(1, 1);
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 10), count_to(10));
    rank1.reset();
    EXPECT_TRUE(eventually([&] { return hosts.call([&] { return hosts.plane(1).ranks().empty(); }); }));
    ASSERT_TRUE(rank0->ready(1));
    for (std::uint64_t number = 1; number <= 5; ++number) rank0->send(1, make_frame(0, 1, number, 100));
    EXPECT_TRUE(eventually([&] { return hosts.counts(1).absent == 5; }));
    const auto again = hosts.join(1, 1);
    EXPECT_EQ(exchange(*rank0, 0, *again, 1, 10), count_to(10)) << "its place is free again";
}

/// One program after another in the same slots: what agents still hold of the first one is not for the second.
TEST(RelayPlane, FramesOfAnEndedWorldReachNoRankOfTheNext) {
    Hosts hosts(3);
    auto rank0 = hosts.join(0, 0);
    auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.reroute(0, 2, 1), "");
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 10), count_to(10));
    rank1.reset();
    const auto next1 = joined(hosts.directory(2), 1, kProcesses, kNextWorld);  // the source's agent does not know yet
    ASSERT_TRUE(rank0->ready(1));
    for (std::uint64_t number = 1; number <= 5; ++number) rank0->send(1, make_frame(0, 1, number, size_of(number)));
    EXPECT_TRUE(eventually([&] { return hosts.counts(2).absent == 5; }));
    Numbers taken;
    take(*next1, taken);
    EXPECT_TRUE(taken.empty());
    EXPECT_TRUE(next1->alive());

    rank0.reset();
    const auto next0 = hosts.join(0, 0, kProcesses, kNextWorld);
    EXPECT_FALSE(next0->reaches(1)) << "the one that was known there was of the world before";
    hosts.call([&] { hosts.plane(0).place(2, kNextWorld, std::array<std::uint32_t, 1>{1}); });
    EXPECT_EQ(next0->wished(1), Path::relay) << "a detour is the hosts', not a program's";
    EXPECT_EQ(exchange(*next0, 0, *next1, 1, 50, kNextWorld), count_to(50));
    EXPECT_EQ(exchange(*next1, 1, *next0, 0, 50, kNextWorld), count_to(50));
    EXPECT_EQ(hosts.counts(2).absent, 5U);
    EXPECT_TRUE(hosts.log().empty());
}

TEST(RelayPlane, AWorldHasPlacesOfItsOwn) {
    Hosts hosts(3);
    auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(1, 1);
    ASSERT_TRUE(rank0->reaches(1) && rank1->reaches(0));
    const auto place = [&](core::HostId host, relay::WorldId world) {
        hosts.call([&] { hosts.plane(1).place(host, world, std::array<std::uint32_t, 1>{2}); });
    };
    place(2, kWorld);
    EXPECT_TRUE(rank1->reaches(2));
    place(2, relay::kNoWorld);  // by who watches messages
    EXPECT_TRUE(rank1->reaches(2));
    place(2, kNextWorld);
    EXPECT_FALSE(rank1->reaches(2)) << "a host has ranks of one world at a time";

    rank0.reset();
    const auto next1 = hosts.join(0, 1, kProcesses, kNextWorld);
    EXPECT_FALSE(rank1->reaches(0)) << "it was there";
    EXPECT_FALSE(next1->reaches(0));
    EXPECT_EQ(hosts.call([&] { return hosts.plane(0).world(); }), kNextWorld);
    EXPECT_EQ(hosts.call([&] { return hosts.plane(1).world(); }), kWorld);
    EXPECT_TRUE(hosts.log().empty()) << "rank 1 of the world before is on another host";
}

/// Whatever the agent looks at first, when it looks again.
TEST(RelayPlane, RanksOfTheNextWorldComeWhenThoseBeforeHaveEnded) {
    Hosts hosts(1);
    std::vector<std::unique_ptr<AgentCarrier>> ranks;
    for (Process rank = 0; rank < kProcesses; ++rank) ranks.push_back(hosts.join(0, rank));
    std::promise<void> wakes;
    hosts.post([&] { wakes.get_future().wait(); });
    ranks.clear();
    std::vector<std::unique_ptr<relay::AgentJoin>> joins;
    for (Process rank = 0; rank < kProcesses; ++rank) {
        joins.push_back(std::make_unique<relay::AgentJoin>(hosts.directory(0), rank, kProcesses, kNextWorld));
    }
    wakes.set_value();
    for (const auto& join : joins) ranks.push_back(join->wait(std::chrono::seconds(20)));
    for (const auto& rank : ranks) ASSERT_NE(rank, nullptr);
    EXPECT_EQ(exchange(*ranks[0], 0, *ranks[1], 1, 10, kNextWorld), count_to(10));
    EXPECT_TRUE(hosts.log().empty());
}

TEST(RelayPlane, WhatARankSendsRightBeforeItEndsArrives) {
    Hosts hosts(2);
    const auto rank1 = hosts.join(1, 1);
    for (int time = 0; time < 20; ++time) {
        auto rank0 = hosts.join(0, 0);
        for (std::uint64_t number = 1; number <= 5; ++number) rank0->send(1, make_frame(0, 1, number, 100));
        rank0.reset();
        Numbers taken;
        EXPECT_TRUE(eventually([&] {
            take(*rank1, taken);
            return taken.size() >= 5;
        }));
        EXPECT_EQ(taken, count_to(5));
        EXPECT_TRUE(eventually([&] { return hosts.call([&] { return hosts.plane(0).ranks().empty(); }); }));
    }
}

}  // namespace
}  // namespace fairlead::agent
