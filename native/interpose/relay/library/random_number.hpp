// SPDX-License-Identifier: Apache-2.0
// A number that is another one each time, here and on other hosts, for what need not be a secret. Nothing keeps a call
// of the program's from it.
#pragma once

#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace fairlead::relay {

/// From the kernel; where it gives none (a filter of system calls may forbid it), from the time, the process and how
/// often it was asked. `source`: for tests.
inline std::uint64_t random_number(ssize_t (*source)(void*, std::size_t, unsigned) = getrandom) {
    std::uint64_t number = 0;
    ssize_t size_B = 0;
    do {
        size_B = source(&number, sizeof number, 0);
    } while (size_B < 0 && errno == EINTR);
    if (size_B == static_cast<ssize_t>(sizeof number)) {
        return number;
    }
    static std::atomic<std::uint64_t> calls;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    number = static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
    number ^= static_cast<std::uint64_t>(getpid()) << 42;
    // SplitMix (Steele, Lea, Flood 2014)
    number += ++calls * 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

}  // namespace fairlead::relay
