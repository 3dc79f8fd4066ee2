// SPDX-License-Identifier: Apache-2.0
// A connected pair of TCP sockets on the loopback device, for tests.
#pragma once

#include "loopback.hpp"

namespace fairlead::agent {

struct Connection {
    LoopbackListener listener;
    UniqueFd client{socket(AF_INET, SOCK_STREAM, 0)};
    UniqueFd server;

    /// `own`: address that the client has; 0: what the kernel chooses. `to`: that of the server.
    explicit Connection(in_addr_t own = 0, in_addr to = {htonl(INADDR_LOOPBACK)}) : listener(to) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = own;
        if (own != 0) bind(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        connect(client.get(), reinterpret_cast<sockaddr*>(&listener.address), sizeof listener.address);
        server.reset(accept(listener.fd.get(), nullptr, nullptr));
    }
    std::uint16_t port() const { return ntohs(listener.address.sin_port); }
};

}  // namespace fairlead::agent
