// SPDX-License-Identifier: Apache-2.0
#include "control/secret.hpp"

#include <algorithm>
#include <cctype>
#include <new>
#include <string_view>

namespace fairlead::agent {
namespace {

constexpr std::string_view kName = "\"secret\"";
constexpr std::size_t kDigits = 2 * SecretKey::kSize_B;

/// Start of the value's digits behind the name at `at`, or npos if the value is not what it must be.
std::size_t value_position(std::string_view line, std::size_t at) {
    const auto skip_space = [&] {
        while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    };
    const auto skip = [&](char expected) { return at < line.size() && line[at] == expected && (++at, true); };
    at += kName.size();
    skip_space();
    if (!skip(':')) return std::string_view::npos;
    skip_space();
    if (!skip('"') || line.size() - at < kDigits + 1 || line[at + kDigits] != '"') return std::string_view::npos;
    const std::string_view digits = line.substr(at, kDigits);
    const bool all_hex = std::all_of(digits.begin(), digits.end(),
                                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
    return all_hex ? at : std::string_view::npos;
}

}  // namespace

SecretKey::SecretKey() : memory_(static_cast<std::uint8_t*>(sodium_malloc(kSize_B))) {
    if (!memory_) throw std::bad_alloc();
    sodium_memzero(memory_.get(), kSize_B);
}

SecretKey derive(const SecretKey& secret, KeyUse use) {
    static_assert(SecretKey::kSize_B == crypto_kdf_KEYBYTES);
    SecretKey key;
    crypto_kdf_derive_from_key(key.bytes().data(), SecretKey::kSize_B, static_cast<std::uint64_t>(use), "fairlead",
                               secret.bytes().data());
    return key;
}

bool take_secret(std::span<char> line, SecretKey& key) {
    const std::string_view text(line.data(), line.size());
    const std::size_t name = text.find(kName);
    if (name == std::string_view::npos || text.find(kName, name + 1) != std::string_view::npos) return false;
    const std::size_t value = value_position(text, name);
    if (value == std::string_view::npos) return false;
    if (sodium_hex2bin(key.bytes().data(), SecretKey::kSize_B, line.data() + value, kDigits, nullptr, nullptr,
                       nullptr) != 0) {
        return false;
    }
    std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(value), kDigits, '0');
    return true;
}

}  // namespace fairlead::agent
