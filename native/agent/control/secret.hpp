// SPDX-License-Identifier: Apache-2.0
// The job's secret and the keys made of it, in memory that is locked, guarded and wiped (libsodium's sodium_malloc).
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace fairlead::agent {

class SecretKey {
  public:
    static constexpr std::size_t kSize_B = 32;

    /// All zero bytes. Throws std::bad_alloc.
    SecretKey();
    SecretKey(SecretKey&&) = default;
    SecretKey& operator=(SecretKey&&) = default;

    std::span<std::uint8_t, kSize_B> bytes() { return std::span<std::uint8_t, kSize_B>(memory_.get(), kSize_B); }
    std::span<const std::uint8_t, kSize_B> bytes() const {
        return std::span<const std::uint8_t, kSize_B>(memory_.get(), kSize_B);
    }

  private:
    struct Free {
        void operator()(std::uint8_t* memory) const { sodium_free(memory); }
    };
    std::unique_ptr<std::uint8_t[], Free> memory_;
};

/// Independent keys for independent uses of one secret.
enum class KeyUse : std::uint64_t { datagrams = 1, connections = 2, overlay = 3 };
SecretKey derive(const SecretKey& secret, KeyUse use);

/// Finds `"secret":"<64 hexadecimal digits>"` in a JSON line, moves the value into `key`, and overwrites it by zeros
/// in the line, so that the JSON parser never sees it. False if there is not exactly one.
bool take_secret(std::span<char> line, SecretKey& key);

}  // namespace fairlead::agent
