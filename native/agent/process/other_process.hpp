// SPDX-License-Identifier: Apache-2.0
// Another process of this host, which may have ended, and its number may be another's.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace fairlead::agent {

struct OtherProcess {
    pid_t pid = 0;                  ///< in this process' namespace
    std::uint64_t start_ticks = 0;  ///< since boot; 0: not known

    /// Which has this number now.
    static OtherProcess now(pid_t pid);
    /// Whether it is certain that it has ended. Until somebody has waited for it, it is not.
    bool ended() const;
};

}  // namespace fairlead::agent
