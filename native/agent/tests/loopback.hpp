// SPDX-License-Identifier: Apache-2.0
// A TCP port of the loopback device that somebody listens on, for tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// An address of the loopback device, of four (0 to 3), that no other process uses: tests that run beside this one make
/// connections as well, by the same user, which are not to be counted here. Process ids have 22 bits.
inline in_addr loopback_of_this_process(std::uint32_t number) {
    return {htonl(std::uint32_t{IN_LOOPBACKNET} << 24 | static_cast<std::uint32_t>(getpid()) << 2 | number)};
}

struct LoopbackListener {
    UniqueFd fd{socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};

    explicit LoopbackListener(in_addr own = {htonl(INADDR_LOOPBACK)}) {
        address.sin_family = AF_INET;
        address.sin_addr = own;
        socklen_t length = sizeof address;
        bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length);
        listen(fd.get(), 1);
        getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
    }
};

}  // namespace fairlead::agent
