// SPDX-License-Identifier: Apache-2.0
#include "planes/route_plane.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace fairlead::agent {
namespace {

/// Two hosts on the loopback device; the kernel gives this one's agent its port.
Config config_of(std::vector<std::string> guardian) {
    Config config;
    for (const char* text : {"127.0.0.1", "127.0.0.2"}) {
        Host host{.name = text, .address_text = text};
        host.address = Address::parse(text).value();
        config.hosts.push_back(host);
    }
    config.job = "test1";
    config.guardian = std::move(guardian);
    return config;
}

struct Station {
    EventLoop loop;
    Clock clock{{}};
    Config config;
    Rejections rejections{loop, [](const auto&) {}};
    UdpChannel channel;

    explicit Station(std::vector<std::string> guardian = {})
        : config(config_of(std::move(guardian))), channel(loop, config, clock, rejections, 1) {}
};

TEST(RoutePlane, AGuardianThatDiesAfterItWasBusyIsNotAskedAgain) {
    Station station({FAKE_GUARDIAN, "busy, then dead"});
    for (Host& host : station.config.hosts) host.port = 47011;
    RoutePlane plane(station.loop, station.config);
    plane.start();
    std::string reason;
    plane.set_up(
        station.channel,
        [&](const std::string& error) {
            reason = error;
            station.loop.stop();
        },
        [](const std::string&) {});
    station.loop.run();
    EXPECT_EQ(reason, "the guardian has ended") << "there is nobody to ask again";
}

TEST(EchoSender, PassesPortsOverThatOthersHaveAUseFor) {
    Station station;
    std::set<std::uint16_t> given;
    int left = 5;
    const EchoSender sender(station.config, station.channel, [&](std::uint16_t port) {
        EXPECT_TRUE(given.insert(port).second) << "given twice";
        return left-- > 0;
    });
    EXPECT_EQ(given.size(), 7U);
    EXPECT_NE(sender.lasting_port(), sender.trial_port());
    EXPECT_TRUE(given.contains(sender.lasting_port()) && given.contains(sender.trial_port()));
}

TEST(EchoSender, GivesUpWhereNoPortIsOfUse) {
    Station station;
    EXPECT_THROW(EchoSender(station.config, station.channel, [](std::uint16_t) { return true; }), std::system_error);
}

TEST(Interfaces, ALabelNamesItsDevice) {
    EXPECT_EQ(device_of("eth0"), "eth0");
    EXPECT_EQ(device_of("eth0:1"), "eth0");
}

}  // namespace
}  // namespace fairlead::agent
