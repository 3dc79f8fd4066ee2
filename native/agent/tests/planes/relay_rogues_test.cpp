// SPDX-License-Identifier: Apache-2.0
// Ranks and agents that do not keep to the relay plane's protocol, or that the kernel has no room for: they harm nobody
// else.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <set>

#include "relay/channel/handover.hpp"
#include "tests/refused_watch.hpp"
#include "tests/relay_hosts.hpp"

namespace fairlead::agent {
namespace {

/// A rank that may do what none of ours does.
struct RawRank {
    UniqueFd socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    UniqueFd bell;
    std::unique_ptr<relay::ChannelMemory> memory;

    RawRank(const std::string& directory, Process self) {
        const sockaddr_un address = socket_in(directory);
        const relay::Hello hello{relay::kChannelMagic, relay::kChannelVersion, self, kProcesses, 0, kWorld};
        relay::Handover received;
        if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 ||
            send(socket.get(), &hello, sizeof hello, 0) < 0 || relay::receive_welcome(socket.get(), received) <= 0) {
            throw std::runtime_error("the agent does not take this rank");
        }
        const UniqueFd file(received.memory);
        bell = UniqueFd(received.bell);
        memory = std::make_unique<relay::ChannelMemory>(file.get(), kProcesses, received.welcome.ring_B);
    }
    void write(const std::vector<std::uint8_t>& frame) { relay::FrameWriter(memory->to_agent()).write(frame); }
    void claim_to_have_read_more_than_there_was() { memory->head().to_rank.read_B = std::uint64_t{1} << 40; }
    void ring() {
        const std::uint64_t one = 1;
        ASSERT_EQ(::write(bell.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    }
};

TEST(RelayRogues, StrangersKeepNoRankOut) {
    Hosts hosts(1);
    const sockaddr_un address = socket_in(hosts.directory(0));
    std::vector<UniqueFd> strangers;
    for (std::size_t i = 0; i < LocalRanks::kMostStrangers; ++i) {
        strangers.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        ASSERT_EQ(connect(strangers.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    const auto rank0 = hosts.join(0, 0);
    EXPECT_EQ(hosts.call([&] { return hosts.plane(0).ranks(); }), (std::set<std::uint32_t>{0}));
}

TEST(RelayRogues, RanksThatBreakTheProtocolTogetherAreLeftOutTogether) {
    Hosts hosts(1);
    const auto rank2 = hosts.join(0, 2);
    RawRank rank0(hosts.directory(0), 0);
    RawRank rank1(hosts.directory(0), 1);
    for (const Process to : {Process{0}, Process{1}}) {
        ASSERT_TRUE(eventually([&] { return rank2->ready(to); }));
        rank2->send(to, make_frame(2, to, 1, 10));
    }
    EXPECT_TRUE(eventually([&] { return hosts.counts(0).arrived == 2; }));
    rank0.claim_to_have_read_more_than_there_was();
    rank1.claim_to_have_read_more_than_there_was();
    rank1.write(make_frame(1, 0, 1, 10));  // its last words, in the middle of rank 0's
    rank0.write(make_frame(0, 1, 1, 10));
    rank0.ring();
    EXPECT_TRUE(eventually([&] { return hosts.call([&] { return hosts.plane(0).ranks().size() == 1; }); }));
    const std::string why = ": a ring was read beyond its end";
    EXPECT_EQ(hosts.log(), (std::vector<std::string>{"rank 1" + why, "rank 0" + why}));
    EXPECT_EQ(hosts.counts(0).absent, 2U);
}

TEST(RelayRogues, WhoSpeaksForAnotherRankIsLeftOut) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(0, 1);
    const auto rank2 = hosts.join(1, 2);
    EXPECT_THROW(joined(hosts.directory(0), 1, kProcesses), relay::Unwanted) << "there is a rank 1";
    EXPECT_THROW(joined(hosts.directory(0), 6, kProcesses), std::runtime_error) << "beyond the world";
    EXPECT_THROW(joined("/nonexistent", 3, kProcesses), std::runtime_error);
    rank1->send(2, make_frame(0, 2, 1, 10));
    EXPECT_TRUE(eventually([&] {
        rank1->poll([](std::span<const std::uint8_t>) {});
        return !rank1->alive();
    }));
    EXPECT_EQ(exchange(*rank0, 0, *rank2, 2, 10), count_to(10)) << "others do not notice";
    EXPECT_EQ(hosts.log().back(), "rank 1: it sent a frame that is not its own");
}

TEST(RelayRogues, RanksOfAnotherJobAreLeftOut) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank3 = hosts.join(1, 3);
    EXPECT_THROW(joined(hosts.directory(1), 1, 2), std::runtime_error) << "its world has another size";
    EXPECT_EQ(hosts.log().back(), "a rank 1 of 2 asked for the relay plane; the job has 6");
    EXPECT_THROW(joined(hosts.directory(1), 0, kProcesses), std::runtime_error) << "rank 0 is on host 0";
    EXPECT_EQ(hosts.log().back(), "a rank 0 asked for the relay plane; the job's is on another host");
    EXPECT_EQ(exchange(*rank3, 3, *rank0, 0, 10), count_to(10)) << "frames go where they went";
}

TEST(RelayRogues, WhoSpeaksForAnotherWorldIsLeftOut) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank2 = hosts.join(1, 2);
    EXPECT_THROW(joined(hosts.directory(0), 1, kProcesses, relay::kNoWorld), relay::Unwanted) << "that is none";
    rank0->send(2, make_frame(0, 2, 1, 10, kNextWorld));
    EXPECT_TRUE(eventually([&] {
        rank0->poll([](std::span<const std::uint8_t>) {});
        return !rank0->alive();
    }));
    EXPECT_EQ(hosts.log().back(), "rank 0: it sent a frame that is not its own");
    EXPECT_EQ(hosts.counts(0).sent, 0U);
}

/// Of a program that the job has started: where the job has no rank, it is taken as one of a world of its own.
TEST(RelayRogues, ARankOfAnotherProgramReachesNoneOfTheJobs) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(1, 1);
    EXPECT_THROW(joined(hosts.directory(0), 7, 8, kNextWorld), relay::Unwanted);
    EXPECT_EQ(hosts.log().back(),
              "a rank 7 of another MPI program asked for the relay plane; the job's still has ranks here");
    const auto child1 = hosts.join(2, 1, 8, kNextWorld);
    const auto child7 = hosts.join(2, 7, 8, kNextWorld);
    EXPECT_FALSE(child7->reaches(0));
    child7->send(0, make_frame(7, 0, 1, 10, kNextWorld));
    EXPECT_TRUE(eventually([&] { return hosts.counts(2).unplaced == 1; }));
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 10), count_to(10)) << "the job's rank 1 is where it was";
    EXPECT_EQ(exchange(*rank1, 1, *rank0, 0, 10), count_to(10));
    Numbers taken;
    child1->poll([&](std::span<const std::uint8_t> frame) { taken.push_back(number_of(frame, 8)); });
    EXPECT_TRUE(taken.empty());
    EXPECT_EQ(hosts.counts(0).absent + hosts.counts(1).absent, 0U);
}

TEST(RelayRogues, ARankThatCannotBeWatchedIsRefusedAlone) {
    Hosts hosts(1);
    const auto rank0 = hosts.join(0, 0);
    // Its connection, before it has said who it is, and after; its bell.
    for (const int others : {0, 1, 2}) {
        const RefusedWatch refused(others);
        EXPECT_THROW(joined(hosts.directory(0), 1, kProcesses), std::runtime_error) << others;
    }
    EXPECT_EQ(hosts.call([&] { return hosts.plane(0).ranks(); }), (std::set<std::uint32_t>{0}));
    const std::string why = "epoll_ctl, at the limit fs.epoll.max_user_watches: No space left on device";
    EXPECT_EQ(hosts.log(), (std::vector<std::string>{"a process that asked for the relay plane cannot be heard: " + why,
                                                     "rank 1 runs without the relay plane: " + why}));
    const auto rank1 = hosts.join(0, 1);
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 10), count_to(10));
}

/// Sends until something arrives.
bool gets_through(AgentCarrier& from, Process source, AgentCarrier& to, Process destination) {
    Numbers taken;
    return eventually([&] {
        if (from.ready(destination)) from.send(destination, make_frame(source, destination, 1, 10));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        take(to, taken);
        return !taken.empty();
    });
}

TEST(RelayRogues, AConnectionOfAgentsThatCannotBeWatchedIsMadeAgain) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(1, 1);
    {
        const RefusedWatch refused(1);  // the end that is written to; the other agent has taken its own
        rank0->send(1, make_frame(0, 1, 1, 10));
        EXPECT_TRUE(eventually([&] { return hosts.counts(0).unreachable == 1; }));
    }
    EXPECT_TRUE(gets_through(*rank0, 0, *rank1, 1));
    {
        const RefusedWatch refused(0);  // the end that is read
        rank1->send(0, make_frame(1, 0, 1, 10));
        EXPECT_TRUE(eventually([&] { return hosts.log().size() == 2; }));
    }
    EXPECT_EQ(hosts.log()[0].rfind("frames from host 1: epoll_ctl", 0), 0U) << hosts.log()[0];
    EXPECT_EQ(hosts.log()[1].rfind("frames to host 0: ", 0), 0U) << hosts.log()[1];
    const std::array<std::uint32_t, 1> there{0};
    hosts.call([&] { hosts.plane(1).place(0, kWorld, there); });  // as its agent tells again
    EXPECT_TRUE(gets_through(*rank1, 1, *rank0, 0));
}

/// Hands over memory for a ring of 64 KiB, and says that it is for another.
void hand_over(int socket, std::uint64_t ring_B) {
    const UniqueFd file(memfd_create("test", MFD_CLOEXEC));
    const std::uint64_t size_B = relay::ChannelMemory::size_B(kProcesses, 64 * 1024);
    ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(size_B)), 0);
    const relay::Welcome welcome{relay::kChannelMagic, relay::kChannelVersion, kProcesses, ring_B};
    ASSERT_TRUE(relay::send_welcome(socket, welcome, file.get(), socket));  // anything for a bell
}

TEST(RelayRogues, MemoryThatIsNotAsTheAgentSaysIsNotTouched) {
    for (const std::uint64_t ring_B :
         {std::uint64_t{0}, std::uint64_t{5000}, std::uint64_t{128 * 1024}, ~std::uint64_t{4095}}) {
        const Directory directory;
        const sockaddr_un address = socket_in(directory.path);
        const UniqueFd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ASSERT_EQ(listen(listener.get(), 1), 0);
        std::thread agent([&] {
            const UniqueFd socket(accept(listener.get(), nullptr, nullptr));
            hand_over(socket.get(), ring_B);
        });
        EXPECT_THROW(joined(directory.path, 0, kProcesses), std::runtime_error) << ring_B;
        agent.join();
        unlink(address.sun_path);
    }
}

}  // namespace
}  // namespace fairlead::agent
