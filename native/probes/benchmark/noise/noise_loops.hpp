// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

// The timed loops of operating-system noise: clock and work, nothing else. Times are in ticks
// (benchmark/noise/ticks.hpp).
namespace fairlead::benchmark {

// The least time that an iteration of the selfish loop takes regularly: the resolution of what it sees.
std::uint64_t least_iteration();

// Detours: iterations that took longer than `threshold`.
struct Detours {
    std::vector<std::uint64_t> start;     // since the loop began
    std::vector<std::uint64_t> duration;  // the iteration's whole time
    std::uint64_t iterations = 0;
    std::uint64_t period = 0;  // from the loop's beginning to its end
    // Where sources are looked at: of each detour the number that the look gave, kNotLooked where there was none, or
    // where it was of several detours.
    static constexpr std::int32_t kNotLooked = -1;
    std::vector<std::int32_t> source;
    std::uint64_t looked = 0;  // time of the period that looks took, in which nothing is seen
};

// What a detour came from, looked at as it has just ended.
using Look = std::function<std::optional<std::size_t>()>;

// Reads the clock again and again until `most` detours or until `limit` has passed ("selfish detour": Beckman et al.,
// "The Influence of Operating Systems on the Performance of Collective Operations at Extreme Scale", 2006, section 3).
// `look` may be empty. Looks take a tenth of the time at most, at any time: of detours that follow one soon sources are
// not known.
Detours selfish(std::uint64_t threshold, std::size_t most, std::uint64_t limit, const Look& look = {});

// Times of `count` pieces of the same work, about `quantum` each ("fixed work quantum"), at most `limit` together.
std::vector<std::uint64_t> fixed_work(std::uint64_t quantum, std::size_t count, std::uint64_t limit);

}  // namespace fairlead::benchmark
