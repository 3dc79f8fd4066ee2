// SPDX-License-Identifier: Apache-2.0
#include "record/reserve.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

#include "record/layout.hpp"

namespace fairlead::record {

namespace {

// Beyond its limit the kernel does not only refuse: its signal, SIGXFSZ, ends a program that does not expect it.
bool may_have(std::size_t length_B) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || length_B <= limit.rlim_cur;
}

}  // namespace

// As posix_fallocate. Kernels before Linux 6.10 drop what they have reserved on a tmpfs when a signal comes, and a
// program may have a timer of a millisecond, or less: so not all at once, and less at a time after each signal.
int reserve(int fd, std::size_t begin_B, std::size_t size_B) {
    if (!may_have(begin_B + size_B)) {
        return EFBIG;
    }
    constexpr int kMostSignals = 100;  // in a row
    std::size_t at_a_time_B = std::size_t{1} << 20;
    int signals = 0;
    for (const std::size_t end_B = begin_B + size_B; begin_B < end_B;) {
        const std::size_t part_B = std::min(at_a_time_B, end_B - begin_B);
        const int error = posix_fallocate(fd, static_cast<off_t>(begin_B), static_cast<off_t>(part_B));
        if (error == 0) {
            begin_B += part_B;
            signals = 0;
        } else if (error == EINTR && ++signals < kMostSignals) {
            at_a_time_B = std::max(at_a_time_B / 2, kPage_B);
        } else {
            return error;
        }
    }
    return 0;
}

}  // namespace fairlead::record
