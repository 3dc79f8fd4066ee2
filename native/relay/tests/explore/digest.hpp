// SPDX-License-Identifier: Apache-2.0
// A state as bytes, and the hash of them: two states with the same bytes behave alike from there on.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "fairlead/core/random.hpp"

namespace fairlead::relay::explore {

template <typename T>
concept HasFields = requires(const T& value) {
    value.fields();
};

class Digest {
  public:
    template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
    void add(T value) {
        auto rest = static_cast<std::uint64_t>(value);
        for (; rest >= 0x80; rest >>= 7) bytes_.push_back(static_cast<char>(rest | 0x80));
        bytes_.push_back(static_cast<char>(rest));
    }
    void add(double value) { add(static_cast<std::int64_t>(value * 1e9)); }
    template <HasFields T>
    void add(const T& value) {
        add(value.fields());
    }
    template <typename... T>
    void add(const std::tuple<T...>& values) {
        std::apply([&](const auto&... each) { (add(each), ...); }, values);
    }
    template <typename A, typename B>
    void add(const std::pair<A, B>& value) {
        add(value.first);
        add(value.second);
    }
    template <typename T>
    void add(const std::optional<T>& value) {
        add(value.has_value());
        if (value) add(*value);
    }
    template <typename... T>
    void add(const std::variant<T...>& value) {
        add(value.index());
        std::visit([&](const auto& each) { add(each); }, value);
    }
    template <std::ranges::sized_range T>
    requires(!HasFields<T>) void add(const T& values) {
        add(values.size());
        for (const auto& value : values) add(value);
    }

    const std::string& bytes() const { return bytes_; }

    /// 128 bits: among 10^8 states two different ones collide with a chance below 10^-22.
    std::pair<std::uint64_t, std::uint64_t> hash() const {
        std::uint64_t a = 0x6a09e667f3bcc908ULL;
        std::uint64_t b = 0xbb67ae8584caa73bULL;
        for (const char byte : bytes_) {
            a = (a ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
            b = (b + static_cast<unsigned char>(byte) + 1) * 0x9e3779b97f4a7c15ULL;
            b ^= b >> 29;
        }
        return {core::Random(a ^ (b << 1)).next(), core::Random(b ^ (a >> 7)).next()};
    }

  private:
    std::string bytes_;
};

}  // namespace fairlead::relay::explore
