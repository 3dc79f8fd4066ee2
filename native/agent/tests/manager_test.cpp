// SPDX-License-Identifier: Apache-2.0
// A manager on the loopback device, with a peer of which the test is the agent.
#include "manager.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "loopback.hpp"
#include "route_plane.hpp"

namespace fairlead::agent {
namespace {

namespace wire = core::wire;

/// A port that was free a moment ago.
std::uint16_t free_port(in_addr address) {
    const UniqueFd fd(socket(AF_INET, SOCK_DGRAM, 0));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr = address;
    socklen_t length = sizeof own;
    bind(fd.get(), reinterpret_cast<sockaddr*>(&own), length);
    getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &length);
    return ntohs(own.sin_port);
}

Config config_of(core::HostId self) {
    static const std::vector<Host> hosts = [] {
        std::vector<Host> made;
        for (const char* text : {"127.0.0.2", "127.0.0.1"}) {
            Host host{.name = text, .address_text = text};
            inet_pton(AF_INET, text, &host.address);
            host.port = free_port(host.address);
            made.push_back(host);
        }
        return made;
    }();
    Config config;
    config.self = self;
    config.hosts = hosts;
    config.uid = getuid();
    return config;
}

/// What an agent's messages pass through.
struct Station {
    Config config;
    Rejections rejections;
    UdpChannel channel;

    Station(EventLoop& loop, const Clock& clock, core::HostId self)
        : config(config_of(self)),
          rejections(loop, [](const nlohmann::json&) {}),
          channel(loop, config, clock, rejections, 1) {}
};

/// A query of what the job sends is answered at once, from samples that were taken for it: the asker sets the answer
/// against the moment of its question.
TEST(Manager, AnswersALoadQueryFromFreshSamplesAtOnce) {
    EventLoop loop;
    const Clock clock({});
    Station own(loop, clock, 0);
    Station peer(loop, clock, 1);
    wire::LoadReport report;
    peer.channel.on_message([&](const Opened& opened, std::int64_t) {
        const auto* answer = std::get_if<wire::LoadReport>(&opened.message);
        if (answer == nullptr) return;
        report = *answer;
        loop.stop();
    });
    Prober prober(loop, own.channel, clock, own.config.host_count());
    RoutePlane plane(loop, own.config);
    ManageConfig manage{core::ControllerConfig(0, own.config.host_count()), {}};
    Manager manager(loop, own.config, clock, own.channel, prober, plane, std::move(manage), [](const auto&) {});

    // The program's first connection to the peer is made after the manager's first look.
    const LoopbackListener listener;
    const UniqueFd client(socket(AF_INET, SOCK_STREAM, 0));
    connect(client.get(), reinterpret_cast<const sockaddr*>(&listener.address), sizeof listener.address);
    const std::vector<char> data(10'000);
    ASSERT_EQ(write(client.get(), data.data(), data.size()), 10'000);
    usleep(20'000);  // else the connections were listed just now, and are not listed again

    const std::uint64_t sent_before = own.channel.packets_sent();
    manager.on_message(1, 1, wire::LoadQuery{77});
    EXPECT_GT(own.channel.packets_sent(), sent_before) << "not only when a timer is due";
    loop.after(2.0, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(report.token, 77U);
    ASSERT_EQ(report.entries.size(), 1U);
    EXPECT_EQ(report.entries[0].destination, 1);
    EXPECT_EQ(report.entries[0].relay, core::kNoHost);
    EXPECT_GE(report.entries[0].delivered_B, 10'000U);
}

}  // namespace
}  // namespace fairlead::agent
