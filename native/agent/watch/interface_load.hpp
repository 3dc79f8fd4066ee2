// SPDX-License-Identifier: Apache-2.0
// How busy this host's interface is, with everybody's traffic: what a relay has left is less what others take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// Bytes since the interface came up.
struct InterfaceBytes {
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
};

/// An interface's line of /proc/net/dev. Nothing if it has none there, or one that cannot be read.
std::optional<InterfaceBytes> parse_interface(std::string_view table, std::string_view name);

class InterfaceLoad {
  public:
    /// Of an interface of this process' network namespace.
    explicit InterfaceLoad(std::string name);

    /// Bits a second of the busier direction since the call before. Nothing at first, and where the kernel does not
    /// tell.
    std::optional<double> take_bps(double now_s);

  private:
    std::string name_;
    UniqueFd table_;
    std::optional<InterfaceBytes> last_;
    double last_s_ = 0.0;
};

}  // namespace fairlead::agent
