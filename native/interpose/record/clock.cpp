// SPDX-License-Identifier: Apache-2.0
#include "record/clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fairlead::record {

bool has_constant_counter() {
#if defined(__x86_64__)
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & 1U << 8) != 0;
#else
    return false;
#endif
}

}  // namespace fairlead::record
