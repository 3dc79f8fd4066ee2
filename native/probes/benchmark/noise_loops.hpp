// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The timed loops of operating-system noise: clock and work, nothing else. Times are in ticks (benchmark/ticks.hpp).
namespace fairlead::benchmark {

// The least time that an iteration of the selfish loop takes regularly: the resolution of what it sees.
std::uint64_t least_iteration();

// Detours: iterations that took longer than `threshold`.
struct Detours {
    std::vector<std::uint64_t> start;     // since the loop began
    std::vector<std::uint64_t> duration;  // the iteration's whole time
    std::uint64_t iterations = 0;
    std::uint64_t period = 0;  // from the loop's beginning to its end
};

// Reads the clock again and again until `most` detours or until `limit` has passed ("selfish detour": Beckman et al.,
// "The Influence of Operating Systems on the Performance of Collective Operations at Extreme Scale", 2006, section 3).
Detours selfish(std::uint64_t threshold, std::size_t most, std::uint64_t limit);

// Times of `count` pieces of the same work, about `quantum` each ("fixed work quantum"), at most `limit` together.
std::vector<std::uint64_t> fixed_work(std::uint64_t quantum, std::size_t count, std::uint64_t limit);

}  // namespace fairlead::benchmark
