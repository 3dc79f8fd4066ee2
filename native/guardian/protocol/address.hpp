// SPDX-License-Identifier: Apache-2.0
// An IP address of either family.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fairlead::guardian {

class Address {
  public:
    Address() = default;  // of no family, and equal to none that is
    explicit Address(const in_addr& address);
    // An IPv4 address that is mapped into IPv6 is that IPv4 address.
    explicit Address(const in6_addr& address);

    // Of "10.64.0.1" or "fd00::1"; nothing of anything else.
    static std::optional<Address> parse(const std::string& text);
    // Of 4 or 16 bytes in network byte order; of no family where there are others.
    static Address of(std::span<const std::uint8_t> bytes);

    int family() const { return family_; }  // AF_INET, AF_INET6, or AF_UNSPEC of none
    // In network byte order: 4 or 16 of them, or none.
    std::span<const std::uint8_t> bytes() const;
    std::uint8_t bits() const { return static_cast<std::uint8_t>(8 * bytes().size()); }
    std::string text() const;

    auto operator<=>(const Address&) const = default;

    struct Hash {
        std::size_t operator()(const Address& address) const;
    };

  private:
    sa_family_t family_ = AF_UNSPEC;
    std::array<std::uint8_t, sizeof(in6_addr)> bytes_{};
};

}  // namespace fairlead::guardian
