// SPDX-License-Identifier: Apache-2.0
// Where going on would lose, double or misplace a message: the job is ended with a line that says why.
#pragma once

#include "abi.hpp"

namespace fairlead::relay {

[[noreturn, gnu::format(printf, 1, 2)]] void fatal(const char* format, ...);

}  // namespace fairlead::relay
