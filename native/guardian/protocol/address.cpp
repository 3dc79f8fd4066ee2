// SPDX-License-Identifier: Apache-2.0
#include "protocol/address.hpp"

#include <arpa/inet.h>

#include <cstring>
#include <functional>
#include <string_view>

namespace fairlead::guardian {

Address::Address(const in_addr& address) : family_(AF_INET) {
    std::memcpy(bytes_.data(), &address, sizeof address);
}

Address::Address(const in6_addr& address) : family_(AF_INET6) {
    if (IN6_IS_ADDR_V4MAPPED(&address)) {
        family_ = AF_INET;
        std::memcpy(bytes_.data(), address.s6_addr + sizeof(in6_addr) - sizeof(in_addr), sizeof(in_addr));
    } else {
        std::memcpy(bytes_.data(), &address, sizeof address);
    }
}

std::optional<Address> Address::parse(const std::string& text) {
    in_addr of_four{};
    if (inet_pton(AF_INET, text.c_str(), &of_four) == 1) return Address(of_four);
    in6_addr of_six{};
    if (inet_pton(AF_INET6, text.c_str(), &of_six) == 1) return Address(of_six);
    return std::nullopt;
}

Address Address::of(std::span<const std::uint8_t> bytes) {
    in_addr of_four{};
    in6_addr of_six{};
    if (bytes.size() == sizeof of_four) {
        std::memcpy(&of_four, bytes.data(), sizeof of_four);
        return Address(of_four);
    }
    if (bytes.size() != sizeof of_six) return {};
    std::memcpy(&of_six, bytes.data(), sizeof of_six);
    return Address(of_six);
}

std::span<const std::uint8_t> Address::bytes() const {
    if (family_ == AF_UNSPEC) return {};
    return std::span(bytes_).first(family_ == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
}

std::string Address::text() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (family_ != AF_UNSPEC) inet_ntop(family_, bytes_.data(), text.data(), text.size());
    return text.data();
}

std::size_t Address::Hash::operator()(const Address& address) const {
    const auto bytes = address.bytes();
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace fairlead::guardian
