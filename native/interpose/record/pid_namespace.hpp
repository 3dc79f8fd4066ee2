// SPDX-License-Identifier: Apache-2.0
// What the number of a process says to others who read it.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace fairlead::record {

// The namespace that this process' number is of, by its inode; 0: that cannot be told.
inline std::uint64_t pid_namespace() {
    struct stat facts {};
    return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

}  // namespace fairlead::record
