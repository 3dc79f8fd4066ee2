// SPDX-License-Identifier: Apache-2.0
// A small seeded generator (splitmix64), the same on every compiler, so that decisions can be replayed.
#pragma once

#include <cstdint>

namespace fairlead::core {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, bound); bound > 0. The modulo bias is below 2^-50 for the small bounds used here.
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    std::uint64_t state_;
};

}  // namespace fairlead::core
