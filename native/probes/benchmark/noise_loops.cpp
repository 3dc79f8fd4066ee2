// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise_loops.hpp"

#include <algorithm>
#include <limits>

#include "benchmark/regular_least.hpp"
#include "benchmark/ticks.hpp"

namespace fairlead::benchmark {
namespace {

// Dependent steps of integer arithmetic: they touch no memory and cannot be taken together.
std::uint64_t work(std::uint64_t steps, std::uint64_t state) {
    for (std::uint64_t i = 0; i < steps; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        asm volatile("" : "+r"(state));  // else the compiler computes the end in one step
    }
    return state;
}

// Steps that take about `quantum`: the fastest of several trials counts.
std::uint64_t steps_for(std::uint64_t quantum) {
    constexpr std::uint64_t kTrial = 100'000;
    std::uint64_t fastest = std::numeric_limits<std::uint64_t>::max();
    for (int trial = 0; trial < 20; ++trial) {
        const std::uint64_t start = ticks();
        work(kTrial, start);
        fastest = std::min(fastest, ticks() - start);
    }
    return std::max<std::uint64_t>(1, quantum * kTrial / std::max<std::uint64_t>(fastest, 1));
}

}  // namespace

std::uint64_t least_iteration() {
    // The loop of selfish(). Counting its time is done while the processor waits for the clock.
    constexpr int kIterations = 5'000'000;
    RegularLeast least;
    std::uint64_t before = ticks();
    for (int i = 0; i < kIterations; ++i) {
        const std::uint64_t now = ticks();
        least.add(now - before);
        before = now;
    }
    return least.value();
}

Detours selfish(std::uint64_t threshold, std::size_t most, std::uint64_t limit) {
    Detours found;
    found.start.assign(most, 0);  // written once, so that no page is new when it is needed
    found.duration.assign(most, 0);
    std::size_t count = 0;
    std::uint64_t iterations = 0;
    const std::uint64_t begin = ticks();
    std::uint64_t before = begin;
    while (count < most) {
        const std::uint64_t now = ticks();
        ++iterations;
        if (now - before > threshold) {
            found.start[count] = before - begin;
            found.duration[count] = now - before;
            ++count;
        }
        if (now - begin >= limit) {
            break;
        }
        before = now;
    }
    found.period = ticks() - begin;
    found.iterations = iterations;
    found.start.resize(count);
    found.duration.resize(count);
    return found;
}

std::vector<std::uint64_t> fixed_work(std::uint64_t quantum, std::size_t count, std::uint64_t limit) {
    const std::uint64_t steps = steps_for(quantum);
    std::vector<std::uint64_t> durations(count, 0);
    std::size_t done = 0;
    const std::uint64_t begin = ticks();
    std::uint64_t before = begin;
    std::uint64_t state = begin;
    while (done < count && before - begin < limit) {
        state = work(steps, state);
        const std::uint64_t now = ticks();
        durations[done++] = now - before;
        before = now;
    }
    durations.resize(done);
    return durations;
}

}  // namespace fairlead::benchmark
