// SPDX-License-Identifier: Apache-2.0
#include "measure/echo_sender.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "peers/seal.hpp"
#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

/// Of ports in a row; a job takes nine at most.
constexpr std::size_t kMaxUseless = 16;

}  // namespace

EchoSender::EchoSender(const Config& config, UdpChannel& channel, const Taken& taken)
    : config_(config),
      channel_(channel),
      lasting_(bind_port(config.own(), taken)),
      trial_(bind_port(config.own(), taken)) {}

/// The kernel gives any that is free. Those that cannot be used are kept meanwhile, so that none is given twice.
EchoSender::Port EchoSender::bind_port(const Host& own, const Taken& taken) {
    std::vector<Port> useless;
    for (Port port = bind_port(own);; port = bind_port(own)) {
        if (!taken(port.port)) return port;
        if (useless.size() == kMaxUseless) {
            throw std::system_error(EADDRINUSE, std::generic_category(), "UDP port for echoes");
        }
        useless.push_back(std::move(port));
    }
}

EchoSender::Port EchoSender::bind_port(const Host& own) {
    UniqueFd fd(checked(socket(own.address.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "UDP socket"));
    SocketAddress address = own.any_port();
    socklen_t length = SocketAddress::kRoom_B;
    checked(bind(fd.get(), address.get(), address.size_B()), "UDP port for echoes");
    checked(getsockname(fd.get(), address.get(), &length), "getsockname");
    return {std::move(fd), address.port()};
}

void EchoSender::send(const core::wire::Echo& echo, bool trial) {
    const int fd = (trial ? trial_ : lasting_).socket.get();
    const SocketAddress address = config_.hosts[echo.destination].socket_address();
    // Anew each time: it looks the present route up, whose MTU is asked for.
    if (connect(fd, address.get(), address.size_B()) < 0) return;
    const auto mtu_B = path_mtu_B(fd, config_.family());
    if (!mtu_B) return;
    const int bare_B = udp_headers_B(config_.family()) + static_cast<int>(kSealOverhead_B + core::wire::kEcho_B);
    core::wire::Echo padded = echo;
    padded.padding_B =
        static_cast<std::uint16_t>(std::clamp(*mtu_B - bare_B, 0, static_cast<int>(core::wire::kMaxEchoPadding_B)));
    channel_.send_by(fd, echo.destination, padded);
}

}  // namespace fairlead::agent
