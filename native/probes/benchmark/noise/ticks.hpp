// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace fairlead::benchmark {

// The cheapest clock of this processor, in ticks of its own; their rate is measured (see TickRate).
inline std::uint64_t ticks() {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// How fast ticks go: both clocks are read when it is made, and again when it is asked.
class TickRate {
  public:
    double per_s() const {
        const auto elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        return static_cast<double>(ticks() - start_ticks_) / elapsed_s;
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::uint64_t start_ticks_ = ticks();
};

}  // namespace fairlead::benchmark
