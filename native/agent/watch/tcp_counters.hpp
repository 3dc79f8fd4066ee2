// SPDX-License-Identifier: Apache-2.0
// What the kernel counts of all TCP connections of this network namespace together: one short read tells that nothing
// moved and that no connection was made.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "process/unique_fd.hpp"

namespace fairlead::agent {

struct TcpCounters {
    std::uint64_t opened = 0;       ///< connections begun, by this side or the other, since the namespace was made
    std::uint64_t established = 0;  ///< that are now
    std::uint64_t segments = 0;     ///< received and sent

    /// Whether a connection may be there that was not when these were read.
    bool same_connections(const TcpCounters& other) const {
        return opened == other.opened && established == other.established;
    }
};

/// Reads the table of /proc/net/snmp; nothing if it does not say all of it.
std::optional<TcpCounters> parse_tcp_counters(std::string_view table);

class TcpCounterFile {
  public:
    TcpCounterFile();

    /// Nothing where the kernel does not tell.
    std::optional<TcpCounters> read() const;

  private:
    UniqueFd table_;
};

}  // namespace fairlead::agent
