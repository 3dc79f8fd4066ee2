// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "fairlead/relay/link.hpp"

namespace fairlead::relay {

/// The endpoint's clock.
inline Time now_s() {
    return std::chrono::duration<Time>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace fairlead::relay
