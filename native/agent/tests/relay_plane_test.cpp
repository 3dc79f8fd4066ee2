// SPDX-License-Identifier: Apache-2.0
// Agents' relay planes in one process, joined by socket pairs, with the ranks' own carriers at their ends.
#include "relay_plane.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "relay/agent_carrier.hpp"
#include "relay/fallback_carrier.hpp"
#include "relay_frames.hpp"

namespace fairlead::agent {
namespace {

using relay::AgentCarrier;
using relay::Path;
using relay::Process;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t kCapacity_B = 64 * 1024;
constexpr Process kProcesses = 6;

SecretKey any_key() {
    SecretKey key;
    randombytes_buf(key.bytes().data(), key.bytes().size());
    return key;
}
SecretKey copy(SecretKey& key) {
    SecretKey result;
    std::copy(key.bytes().begin(), key.bytes().end(), result.bytes().begin());
    return result;
}

struct Directory {
    std::string path = "/tmp/fairlead-test-XXXXXX";
    Directory() {
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp");
    }
    ~Directory() { rmdir(path.c_str()); }
};

/// Hosts with an agent each, in one thread of their own. The test's thread is the ranks'.
class Hosts {
  public:
    explicit Hosts(core::HostId hosts, std::uint64_t capacity_B = kCapacity_B) : directories_(hosts), planes_(hosts) {
        for (core::HostId host = 0; host < hosts; ++host) start(host, hosts, capacity_B);
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Hosts() {
        call([this] {
            planes_.clear();
            loop_.stop();
        });
        thread_.join();
    }

    /// Runs in the agents' thread.
    template <typename F>
    auto call(F&& f) -> decltype(f()) {
        std::packaged_task<decltype(f())()> task(std::forward<F>(f));
        auto result = task.get_future();
        loop_.post([&task] { task(); });
        return result.get();
    }
    RelayPlane& plane(core::HostId host) { return *planes_.at(host); }
    RelayCounts counts(core::HostId host) {
        return call([&] { return plane(host).counts(); });
    }
    /// As a rank of that host; then all agents know where it is.
    std::unique_ptr<AgentCarrier> join(core::HostId host, Process rank) {
        auto carrier = std::make_unique<AgentCarrier>(directories_.at(host).path, rank, kProcesses);
        const std::array<std::uint32_t, 1> ranks{rank};
        call([&] {
            for (const auto& plane : planes_) {
                if (plane) plane->place(host, ranks);
            }
        });
        return carrier;
    }
    std::string move(core::HostId source, core::HostId destination, core::HostId relay) {
        return call([&] {
            std::string result = "not done at once";
            plane(source).move(destination, relay, [&](const std::string& error) { result = error; });
            return result;
        });
    }
    void back(core::HostId source, core::HostId destination) {
        call([&] { plane(source).back(destination, [](const std::string&) {}); });
    }
    /// As kill -9 does: its connections end, at both sides.
    void kill(core::HostId host) {
        call([&] { planes_.at(host).reset(); });
    }
    void revive(core::HostId host) {
        call([&] { start(host, static_cast<core::HostId>(planes_.size()), kCapacity_B); });
    }
    const std::string& directory(core::HostId host) { return directories_.at(host).path; }
    std::vector<std::string> log() {
        return call([&] { return log_; });
    }

  private:
    void start(core::HostId host, core::HostId hosts, std::uint64_t capacity_B) {
        planes_[host] = std::make_unique<RelayPlane>(
            loop_, RelaySetup{host, hosts, directories_[host].path, getuid(), capacity_B},
            [this, host](core::HostId peer, Hop hop, RelayPlane::Dialled done) { dial(host, peer, hop, done); },
            [this](const std::string& text) { log_.push_back(text); });
    }
    void dial(core::HostId host, core::HostId peer, Hop hop, const RelayPlane::Dialled& done) {
        if (!planes_.at(peer)) return done(std::string("nobody listens there"));
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) < 0) {
            return done(std::string("socketpair"));
        }
        SecretKey key = any_key();
        planes_[peer]->accept(host, hop, {UniqueFd(ends[1]), copy(key)});
        done(Link{UniqueFd(ends[0]), std::move(key)});
    }

    EventLoop loop_;
    std::vector<Directory> directories_;
    std::vector<std::unique_ptr<RelayPlane>> planes_;
    std::vector<std::string> log_;
    std::thread thread_;
};

/// Polls until `done`; false if that takes so long that it will not come.
template <typename Done>
bool eventually(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

/// Takes what has arrived; frames that are not whole have the number 0.
void take(AgentCarrier& carrier, Numbers& numbers) {
    carrier.poll([&](std::span<const std::uint8_t> frame) { numbers.push_back(number_of(frame, kProcesses)); });
}
Numbers count_to(std::uint64_t last) {
    Numbers numbers(last);
    for (std::uint64_t i = 0; i < last; ++i) numbers[i] = i + 1;
    return numbers;
}
std::size_t size_of(std::uint64_t number) {
    return number * 7919 % 20'000;
}

/// Sends frames 1 to `last` from one rank to another, which takes them meanwhile.
Numbers exchange(AgentCarrier& from, Process source, AgentCarrier& to, Process destination, std::uint64_t last) {
    Numbers taken;
    std::uint64_t next = 1;
    EXPECT_TRUE(eventually([&] {
        while (next <= last && from.ready(destination)) {
            from.send(destination, make_frame(source, destination, next, size_of(next)));
            ++next;
        }
        take(to, taken);
        return taken.size() >= last;
    }));
    return taken;
}

TEST(RelayPlane, FramesGoOverTheRelayWholeAndInOrder) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    EXPECT_EQ(rank0->wished(1), Path::direct);
    const std::uint32_t before = rank0->changes();
    EXPECT_EQ(hosts.move(0, 2, 1), "");
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
    hosts.back(0, 2);
    EXPECT_EQ(rank0->wished(1), Path::direct);
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 100), count_to(100));
    EXPECT_EQ(hosts.counts(1).passed, 1000U);
    EXPECT_TRUE(hosts.log().empty());
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
    ASSERT_EQ(hosts.move(0, 2, 1), "");
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
TEST(RelayPlane, HostsThatRelayForEachOtherInACircleDoNotStop) {
    Hosts hosts(3, 1);
    std::vector<std::unique_ptr<AgentCarrier>> ranks;
    for (Process rank = 0; rank < 3; ++rank) ranks.push_back(hosts.join(static_cast<core::HostId>(rank), rank));
    for (core::HostId host = 0; host < 3; ++host) {
        ASSERT_EQ(
            hosts.move(host, static_cast<core::HostId>((host + 2) % 3), static_cast<core::HostId>((host + 1) % 3)), "");
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

TEST(RelayPlane, TheRelaysDeathBringsItsPairsBack) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.move(0, 2, 1), "");
    ASSERT_EQ(exchange(*rank0, 0, *rank1, 1, 50), count_to(50));
    hosts.kill(1);
    EXPECT_TRUE(eventually([&] { return rank0->wished(1) == Path::direct; }));
    EXPECT_TRUE(rank0->ready(1));
    EXPECT_EQ(exchange(*rank0, 0, *rank1, 1, 50), count_to(50)) << "without the relay";
    EXPECT_NE(hosts.move(0, 2, 1), "") << "nobody answers there";
    EXPECT_EQ(rank0->wished(1), Path::direct);
}

TEST(RelayPlane, ADetourIsThereAgainWhenItsRelayIs) {
    Hosts hosts(3);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(2, 1);
    ASSERT_EQ(hosts.move(0, 2, 1), "");
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
    ASSERT_EQ(hosts.move(0, 2, 1), "");
    hosts.kill(2);
    EXPECT_TRUE(eventually([&] { return !rank0->ready(1); }));
    EXPECT_EQ(rank0->wished(1), Path::direct);
    EXPECT_TRUE(rank0->alive());
    EXPECT_TRUE(eventually([&] {
        rank1->poll([](std::span<const std::uint8_t>) {});
        return !rank1->alive();
    }));
}

/// In place of MPI.
struct OtherCarrier final : relay::Carrier {
    std::vector<Process> sent_to;
    bool ready(Process) override { return true; }
    void send(Process to, std::vector<std::uint8_t>) override { sent_to.push_back(to); }
    void poll(const Sink&) override {}
    bool alive() const override { return true; }
};

TEST(RelayPlane, WhatAgentsDoNotReachGoesTheOtherWay) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other));
    const auto send = [&](Process to, std::uint64_t number) {
        EXPECT_TRUE(carrier.ready(to));
        carrier.send(to, make_frame(0, to, number, 10));
    };
    send(1, 1);
    EXPECT_EQ(sent_to, (std::vector<Process>{1})) << "nobody knows where it is";
    const auto rank1 = hosts.join(1, 1);
    send(1, 2);
    carrier.send_again(1, make_frame(0, 1, 3, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1, 1})) << "what is sent again";
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return !taken.empty();
    }));
    EXPECT_EQ(taken, (Numbers{2}));
    hosts.kill(0);
    EXPECT_TRUE(eventually([&] {
        carrier.poll([](std::span<const std::uint8_t>) {});
        return !carrier.agents().alive();
    }));
    EXPECT_TRUE(carrier.alive());
    send(1, 4);
    EXPECT_EQ(sent_to, (std::vector<Process>{1, 1, 1})) << "its own agent is gone";
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

TEST(RelayPlane, WhoSpeaksForAnotherRankIsLeftOut) {
    Hosts hosts(2);
    const auto rank0 = hosts.join(0, 0);
    const auto rank1 = hosts.join(0, 1);
    const auto rank2 = hosts.join(1, 2);
    EXPECT_THROW(AgentCarrier(hosts.directory(0), 1, kProcesses), std::runtime_error) << "there is a rank 1";
    EXPECT_THROW(AgentCarrier(hosts.directory(0), 6, kProcesses), std::runtime_error) << "beyond the world";
    EXPECT_THROW(AgentCarrier("/nonexistent", 3, kProcesses), std::runtime_error);
    rank1->send(2, make_frame(0, 2, 1, 10));
    EXPECT_TRUE(eventually([&] {
        rank1->poll([](std::span<const std::uint8_t>) {});
        return !rank1->alive();
    }));
    EXPECT_EQ(exchange(*rank0, 0, *rank2, 2, 10), count_to(10)) << "others do not notice";
    EXPECT_EQ(hosts.log().back(), "rank 1: what it sends is no frame of its");
}

}  // namespace
}  // namespace fairlead::agent
