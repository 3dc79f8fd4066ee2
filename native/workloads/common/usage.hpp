// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace fairlead {

// The caller asked for something that cannot be run; the message names the option and the way out.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The caller asked for --help; the message is the text to print.
struct HelpRequest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace fairlead
