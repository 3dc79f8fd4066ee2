// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fairlead {

// The linear congruential generator of the NAS Parallel Benchmarks (NAS report RNR-94-007, section 2.2):
// x' = a x mod 2^46, and the value drawn is x' 2^-46, in (0, 1).
//
// Integers give the same sequence as the double-precision arithmetic of the report, which is exact.
class Randlc {
  public:
    static constexpr std::uint64_t kMultiplier = 1'220'703'125;  // 5^13
    static constexpr std::uint64_t kSeed = 314'159'265;

    explicit constexpr Randlc(std::uint64_t seed = kSeed) : state_(seed) {}

    constexpr double operator()() {
        state_ = (state_ * kMultiplier) & kMask;
        return static_cast<double>(state_) * kScale;
    }

    // Leaves out the next `count` numbers: multiplies by a^count, which squaring finds in log2(count) steps.
    constexpr void skip(std::uint64_t count) {
        std::uint64_t power = kMultiplier;
        for (; count > 0; count /= 2) {
            if (count % 2 == 1) {
                state_ = (state_ * power) & kMask;
            }
            power = (power * power) & kMask;
        }
    }

    constexpr std::uint64_t state() const { return state_; }

  private:
    // The product wraps at 2^64, which leaves its lower 46 bits right.
    static constexpr std::uint64_t kMask = (std::uint64_t{1} << 46) - 1;
    static constexpr double kScale = 1.0 / static_cast<double>(std::uint64_t{1} << 46);
    std::uint64_t state_;
};

}  // namespace fairlead
