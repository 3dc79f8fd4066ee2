// SPDX-License-Identifier: Apache-2.0
#include "process/socket_address.hpp"

#include <netinet/ip.h>

#include <cstring>

namespace fairlead::agent {
namespace {

constexpr int kIpv4_B = 20;
constexpr int kIpv6_B = 40;
constexpr int kUdp_B = 8;

}  // namespace

SocketAddress::SocketAddress(const Address& address, std::uint16_t port) {
    place_.any.sa_family = static_cast<sa_family_t>(address.family());
    const auto bytes = address.bytes();
    if (address.family() == AF_INET) {
        place_.four.sin_port = htons(port);
        std::memcpy(&place_.four.sin_addr, bytes.data(), bytes.size());
    } else if (address.family() == AF_INET6) {
        place_.six.sin6_port = htons(port);
        std::memcpy(&place_.six.sin6_addr, bytes.data(), bytes.size());
    }
}

socklen_t SocketAddress::size_B() const {
    return place_.any.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

Address address_of(const sockaddr& place) {
    if (place.sa_family == AF_INET) return Address(reinterpret_cast<const sockaddr_in&>(place).sin_addr);
    if (place.sa_family == AF_INET6) return Address(reinterpret_cast<const sockaddr_in6&>(place).sin6_addr);
    return {};
}

std::uint16_t SocketAddress::port() const {
    return ntohs(place_.any.sa_family == AF_INET ? place_.four.sin_port : place_.six.sin6_port);
}

int udp_headers_B(int family) {
    return (family == AF_INET6 ? kIpv6_B : kIpv4_B) + kUdp_B;
}

std::optional<int> path_mtu_B(int socket, int family) {
    int mtu_B = 0;
    socklen_t length = sizeof mtu_B;
    const int failed = family == AF_INET6 ? getsockopt(socket, IPPROTO_IPV6, IPV6_MTU, &mtu_B, &length)
                                          : getsockopt(socket, IPPROTO_IP, IP_MTU, &mtu_B, &length);
    return failed == 0 ? std::optional(mtu_B) : std::nullopt;
}

}  // namespace fairlead::agent
