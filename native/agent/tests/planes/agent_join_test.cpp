// SPDX-License-Identifier: Apache-2.0
// How a rank comes to its agent, and leaves one that breaks the protocol.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <csignal>

#include "relay/carriers/fallback_carrier.hpp"
#include "relay/channel/handover.hpp"
#include "tests/relay_hosts.hpp"

namespace fairlead::agent {
namespace {

using relay::AgentJoin;

/// An agent that may do what none of ours does.
struct RawAgent {
    struct Rank {
        UniqueFd socket;
        std::unique_ptr<relay::ChannelMemory> memory;
        bool left() {
            char byte = 0;
            return recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 0;
        }
    };

    Directory directory;
    sockaddr_un address = socket_in(directory.path);
    UniqueFd listener{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};

    explicit RawAgent(int queue = 8) {
        if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 ||
            listen(listener.get(), queue) < 0) {
            throw std::runtime_error("no socket for ranks");
        }
    }
    ~RawAgent() { unlink(address.sun_path); }
    /// The next rank that waits to be taken, which sees rank 1 as one that agents reach.
    std::optional<Rank> take() {
        Rank rank{UniqueFd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)), nullptr};
        relay::Hello hello{};
        if (!rank.socket || recv(rank.socket.get(), &hello, sizeof hello, 0) != sizeof hello) return std::nullopt;
        constexpr std::uint64_t kRing_B = 64 * 1024;  // less than the longest frame: to be ready, a rank has to look
        const UniqueFd file(memfd_create("test", MFD_CLOEXEC));
        const std::uint64_t size_B = relay::ChannelMemory::size_B(hello.processes, kRing_B);
        if (ftruncate(file.get(), static_cast<off_t>(size_B)) < 0) return std::nullopt;
        rank.memory = std::make_unique<relay::ChannelMemory>(file.get(), hello.processes, kRing_B);
        rank.memory->place(1) = relay::Place::direct;
        const relay::Welcome welcome{relay::kChannelMagic, relay::kChannelVersion, hello.processes, kRing_B};
        if (!relay::send_welcome(rank.socket.get(), welcome, file.get(), file.get())) return std::nullopt;
        return rank;
    }
};

/// In place of MPI.
struct NoCarrier final : relay::Carrier {
    bool ready(Process) override { return true; }
    void send(Process, std::vector<std::uint8_t>) override {}
    void poll(const Sink&) override {}
};

TEST(AgentJoin, SignalsOfTheProgramDoNotEndTheWaitForIt) {
    Hosts hosts(1);
    static std::atomic<int> signals{0};
    struct sigaction counts {};
    struct sigaction before {};
    counts.sa_handler = [](int) { ++signals; };  // without SA_RESTART
    sigaction(SIGALRM, &counts, &before);
    hosts.post([] {
        while (signals < 20) std::this_thread::yield();
    });
    const itimerval often{.it_interval = {0, 1000}, .it_value = {0, 1000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    const std::unique_ptr<AgentCarrier> rank0 =
        AgentJoin(hosts.directory(0), 0, kProcesses, kWorld).wait(std::chrono::seconds(20));
    setitimer(ITIMER_REAL, nullptr, nullptr);
    sigaction(SIGALRM, &before, nullptr);
    ASSERT_NE(rank0, nullptr);
    EXPECT_TRUE(rank0->alive());
}

TEST(AgentJoin, WhereManyWaitToBeTakenNobodyWaits) {
    RawAgent agent(0);
    const AgentJoin first(agent.directory.path, 1, kProcesses, kWorld);
    EXPECT_THROW(AgentJoin(agent.directory.path, 0, kProcesses, kWorld), std::runtime_error);
    ASSERT_TRUE(agent.take());
    EXPECT_NO_THROW(AgentJoin(agent.directory.path, 0, kProcesses, kWorld));
}

TEST(AgentJoin, AnAgentThatBreaksTheProtocolIsLeftAndJoinedAgain) {
    RawAgent agent;
    relay::FallbackCarrier carrier(std::make_unique<AgentCarrier>(), std::make_unique<NoCarrier>(), kProcesses, [&] {
        return std::make_unique<AgentJoin>(agent.directory.path, 0, kProcesses, kWorld);
    });
    const auto joined = [&] {
        std::optional<RawAgent::Rank> rank;
        EXPECT_TRUE(eventually([&] {
            carrier.poll([](std::span<const std::uint8_t>) {});
            if (!rank) rank = agent.take();
            return carrier.agents().alive();
        }));
        return rank;
    };
    const auto harms = std::to_array<void (*)(relay::ChannelHead&)>({
        [](relay::ChannelHead& head) { head.to_rank.written_B = std::uint64_t{1} << 40; },
        [](relay::ChannelHead& head) { head.to_agent.read_B = std::uint64_t{1} << 40; },
    });
    for (const auto harm : harms) {
        std::optional<RawAgent::Rank> rank = joined();
        ASSERT_TRUE(rank && carrier.agents().reaches(1));
        const std::uint32_t before = carrier.changes();
        harm(rank->memory->head());
        carrier.poll([](std::span<const std::uint8_t>) {});
        EXPECT_TRUE(carrier.ready(1)) << "by MPI";
        EXPECT_TRUE(carrier.agents().gone());
        EXPECT_FALSE(carrier.agents().reaches(1));
        EXPECT_NE(carrier.changes(), before) << "so that what is not acknowledged is sent again";
        EXPECT_TRUE(rank->left());
    }
    EXPECT_TRUE(joined());
}

/// As daemons are, and workers of Python's multiprocessing.
TEST(AgentJoin, AChildThatIsForkedDoesNotKeepItsRankThere) {
    Hosts hosts(1);
    std::unique_ptr<AgentCarrier> rank0 = hosts.join(0, 0);
    const pid_t child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    ASSERT_GT(child, 0);
    rank0.reset();
    EXPECT_TRUE(eventually([&] { return hosts.call([&] { return hosts.plane(0).ranks().empty(); }); }));
    EXPECT_TRUE(hosts.join(0, 0, kProcesses, kNextWorld)->alive()) << "of the next program";
    EXPECT_EQ(kill(child, SIGKILL), 0);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

/// A rank joins again and again, and its program's descriptors are not many.
TEST(AgentJoin, WhereThereIsRoomForOneDescriptorOnlyItIsNotKept) {
    std::array<int, 2> pair{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()), 0);
    const UniqueFd agent(pair[0]);
    const UniqueFd rank(pair[1]);
    const UniqueFd file(memfd_create("test", MFD_CLOEXEC));
    const int next_free = UniqueFd(dup(file.get())).get();
    ASSERT_TRUE(relay::send_welcome(agent.get(), {}, file.get(), file.get()));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit one_more{static_cast<rlim_t>(next_free) + 1, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one_more), 0);
    relay::Handover received;
    const ssize_t size_B = relay::receive_welcome(rank.get(), received);
    const int still_free = UniqueFd(dup(file.get())).get();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(size_B, static_cast<ssize_t>(sizeof received.welcome));
    EXPECT_EQ(received.memory, -1);
    EXPECT_EQ(received.bell, -1);
    EXPECT_EQ(still_free, next_free);
}

}  // namespace
}  // namespace fairlead::agent
