// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "control/secret.hpp"

namespace fairlead::agent {

/// A key for tests: every byte is `value`.
inline SecretKey key_of(std::uint8_t value) {
    SecretKey key;
    std::fill(key.bytes().begin(), key.bytes().end(), value);
    return key;
}

}  // namespace fairlead::agent
