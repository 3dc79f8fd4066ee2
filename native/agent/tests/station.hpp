// SPDX-License-Identifier: Apache-2.0
// Three hosts on the loopback device, and what the messages of one's agent pass through, for tests.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "loopback.hpp"
#include "peers/rejections.hpp"
#include "peers/udp_channel.hpp"

namespace fairlead::agent {

/// A port that was free a moment ago.
inline std::uint16_t free_port(const Address& address) {
    const UniqueFd fd(socket(address.family(), SOCK_DGRAM, 0));
    SocketAddress own(address, 0);
    socklen_t length = SocketAddress::kRoom_B;
    bind(fd.get(), own.get(), own.size_B());
    getsockname(fd.get(), own.get(), &length);
    return own.port();
}

inline Config config_of(core::HostId self) {
    static const std::vector<Host> hosts = [] {
        std::vector<Host> made;
        for (const std::uint32_t number : {0U, 1U, 2U}) {
            Host host;
            host.address = Address(loopback_of_this_process(number));
            host.name = host.address_text = host.address.text();
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
        : config(config_of(self)), rejections(loop, [](const auto&) {}), channel(loop, config, clock, rejections, 1) {}
};

}  // namespace fairlead::agent
