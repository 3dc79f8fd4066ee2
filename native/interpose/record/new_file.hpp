// SPDX-License-Identifier: Apache-2.0
// A file of this process alone.
#pragma once

#include <fcntl.h>

#include <cerrno>

namespace fairlead::record {

// As open(2), for reading and writing; EEXIST: there is one. On NFS and FUSE a signal interrupts it, and a program may
// have a timer of a millisecond, or less.
inline int open_new(const char* path) {
    constexpr int kMostSignals = 100;
    int fd = -1;
    for (int signals = 0; signals < kMostSignals; ++signals) {
        fd = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EINTR) {
            break;
        }
    }
    return fd;
}

}  // namespace fairlead::record
