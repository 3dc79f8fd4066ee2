// SPDX-License-Identifier: Apache-2.0
// Addresses as sockets take them, and what their families differ in.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>

#include "protocol/address.hpp"

namespace fairlead::agent {

using guardian::Address;

/// Of a socket's address; of no family where it is of another one.
Address address_of(const sockaddr& place);

class SocketAddress {
  public:
    SocketAddress() = default;  ///< room for any, which the kernel fills in
    SocketAddress(const Address& address, std::uint16_t port);

    const sockaddr* get() const { return &place_.any; }
    sockaddr* get() { return &place_.any; }
    socklen_t size_B() const;  ///< of its family
    static constexpr socklen_t kRoom_B = sizeof(sockaddr_storage);

    Address address() const { return address_of(*get()); }
    std::uint16_t port() const;

  private:
    union Place {
        sockaddr_storage room;  // first: all of it is zero at first
        sockaddr any;
        sockaddr_in four;
        sockaddr_in6 six;
    };
    Place place_{};
};

/// Of IP and UDP together, without options.
int udp_headers_B(int family);

/// Of the way that a connected socket's packets take; nothing where the kernel does not know.
std::optional<int> path_mtu_B(int socket, int family);

}  // namespace fairlead::agent
