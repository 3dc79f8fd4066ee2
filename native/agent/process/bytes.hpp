// SPDX-License-Identifier: Apache-2.0
// Whole numbers as little-endian bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fairlead::agent {

template <typename T>
void store(std::uint8_t* out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

template <typename T>
T load(const std::uint8_t* in) {
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(static_cast<T>(value << 8) | in[i]);
    return value;
}

}  // namespace fairlead::agent
