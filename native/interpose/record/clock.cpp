// SPDX-License-Identifier: Apache-2.0
#include "record/clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fairlead::record {

#if defined(__x86_64__)
bool has_constant_counter() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & 1U << 8) != 0;
}
#endif

Moment now() {
    constexpr int kLooks = 5;
    Moment best{};
    std::uint64_t least_ticks = ~std::uint64_t{0};
    for (int look = 0; look < kLooks; ++look) {
        const std::uint64_t before = ticks();
        const std::uint64_t monotonic_ns = clock_ns(CLOCK_MONOTONIC);
        const std::uint64_t took_ticks = ticks() - before;
        if (took_ticks < least_ticks) {
            least_ticks = took_ticks;
            best = {before + took_ticks / 2, monotonic_ns};
        }
    }
    return best;
}

}  // namespace fairlead::record
