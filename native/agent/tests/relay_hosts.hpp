// SPDX-License-Identifier: Apache-2.0
// Agents' relay planes in one process, joined by socket pairs, for tests with the ranks' own carriers at their ends.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "planes/relay_plane.hpp"
#include "relay/carriers/agent_carrier.hpp"
#include "relay_frames.hpp"

namespace fairlead::agent {

using relay::AgentCarrier;
using relay::Process;
using Numbers = std::vector<std::uint64_t>;

inline constexpr std::uint64_t kCapacity_B = 64 * 1024;
inline constexpr Process kProcesses = 6;

inline SecretKey any_key() {
    SecretKey key;
    randombytes_buf(key.bytes().data(), key.bytes().size());
    return key;
}
inline SecretKey copy(SecretKey& key) {
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

/// Over the agent that listens there. Throws std::runtime_error.
inline std::unique_ptr<AgentCarrier> joined(const std::string& directory, Process rank, Process processes,
                                            relay::WorldId world = kWorld) {
    auto carrier = relay::AgentJoin(directory, rank, processes, world).wait(std::chrono::seconds(5));
    if (!carrier) throw std::runtime_error("the agent does not answer");
    return carrier;
}

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
    std::unique_ptr<AgentCarrier> join(core::HostId host, Process rank, Process processes = kProcesses,
                                       relay::WorldId world = kWorld) {
        std::unique_ptr<AgentCarrier> carrier = joined(directories_.at(host).path, rank, processes, world);
        const std::array<std::uint32_t, 1> ranks{rank};
        call([&] {
            for (const auto& plane : planes_) {
                if (plane) plane->place(host, world, ranks);
            }
        });
        return carrier;
    }
    std::string reroute(core::HostId source, core::HostId destination, core::HostId relay) {
        return call([&] {
            std::string result = "not done at once";
            plane(source).reroute(destination, relay, [&](const std::string& error) { result = error; });
            return result;
        });
    }
    void restore(core::HostId source, core::HostId destination) {
        call([&] { plane(source).restore(destination, [](const std::string&) {}); });
    }
    /// As kill -9 does: its connections end, at both sides.
    void kill(core::HostId host) {
        call([&] { planes_.at(host).reset(); });
    }
    void revive(core::HostId host) {
        call([&] { start(host, static_cast<core::HostId>(planes_.size()), kCapacity_B); });
    }
    const std::string& directory(core::HostId host) { return directories_.at(host).path; }
    /// Runs in the agents' thread, which is not waited for.
    void post(std::function<void()> task) { loop_.post(std::move(task)); }
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
inline void take(AgentCarrier& carrier, Numbers& numbers) {
    carrier.poll([&](std::span<const std::uint8_t> frame) { numbers.push_back(number_of(frame, kProcesses)); });
}
inline Numbers count_to(std::uint64_t last) {
    Numbers numbers(last);
    for (std::uint64_t i = 0; i < last; ++i) numbers[i] = i + 1;
    return numbers;
}
inline std::size_t size_of(std::uint64_t number) {
    return number * 7919 % 20'000;
}

/// Sends frames 1 to `last` from one rank to another, which takes them meanwhile.
inline Numbers exchange(AgentCarrier& from, Process source, AgentCarrier& to, Process destination, std::uint64_t last,
                        relay::WorldId world = kWorld) {
    Numbers taken;
    std::uint64_t next = 1;
    EXPECT_TRUE(eventually([&] {
        while (next <= last && from.ready(destination)) {
            from.send(destination, make_frame(source, destination, next, size_of(next), world));
            ++next;
        }
        take(to, taken);
        return taken.size() >= last;
    }));
    return taken;
}

/// Where the agent of that directory listens for its ranks.
inline sockaddr_un socket_in(const std::string& directory) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = directory + "/" + relay::kChannelSocket;
    std::copy(path.begin(), path.end(), address.sun_path);
    return address;
}

}  // namespace fairlead::agent
