// SPDX-License-Identifier: Apache-2.0
// A TCP port of the loopback device that somebody listens on, for tests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "process/unique_fd.hpp"

namespace fairlead::agent {

struct LoopbackListener {
    UniqueFd fd{socket(AF_INET, SOCK_STREAM, 0)};
    sockaddr_in address{};

    LoopbackListener() {
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length);
        listen(fd.get(), 1);
        getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
    }
};

}  // namespace fairlead::agent
