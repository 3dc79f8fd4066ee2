// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/noise_loops.hpp"

#include <algorithm>
#include <limits>

#include "benchmark/noise/regular_least.hpp"
#include "benchmark/noise/ticks.hpp"

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

constexpr std::uint64_t kPause = 20;  // after a look, times its length
constexpr int kSettling = 64;         // iterations after a look, which leaves cold caches

// Looks at the sources of single detours, with pauses: bursts of detours must be seen, too. What was counted for those
// of a pause is cleared by a look of its own at the pause's end, so that the next detour's look is of it alone.
class Looks {
  public:
    Looks(const Look& look, std::size_t most) : look_(look), sources_(look ? most : 0, Detours::kNotLooked) {}

    // The `count`-th detour has just ended at `now`; returns when the loop goes on.
    std::uint64_t after(std::size_t count, std::uint64_t now) {
        if (!look_) {
            return now;
        }
        if (missed_ || now < not_before_) {
            missed_ = true;
            return now;
        }
        if (const auto source = look_()) {
            sources_[count] = static_cast<std::int32_t>(*source);
        }
        const std::uint64_t last = settled(now);
        not_before_ = last + kPause * (last - now);
        return last;
    }

    // When `clear` is due.
    std::uint64_t clear_at() const { return missed_ ? not_before_ : std::numeric_limits<std::uint64_t>::max(); }
    std::uint64_t clear(std::uint64_t now) {
        look_();
        missed_ = false;
        return settled(now);
    }

    std::uint64_t taken() const { return taken_; }
    std::vector<std::int32_t> sources(std::size_t count) {
        sources_.resize(std::min(count, sources_.size()));
        return std::move(sources_);
    }

  private:
    std::uint64_t settled(std::uint64_t since) {
        std::uint64_t last = ticks();
        for (int i = 0; i < kSettling; ++i) {
            last = ticks();
        }
        taken_ += last - since;
        return last;
    }

    const Look& look_;
    std::vector<std::int32_t> sources_;
    std::uint64_t taken_ = 0;
    std::uint64_t not_before_ = 0;
    bool missed_ = false;
};

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

Detours selfish(std::uint64_t threshold, std::size_t most, std::uint64_t limit, const Look& look) {
    Detours found;
    Looks looks(look, most);
    found.start.assign(most, 0);  // written once, so that no page is new when it is needed
    found.duration.assign(most, 0);
    std::size_t count = 0;
    std::uint64_t iterations = 0;
    const std::uint64_t begin = ticks();
    const std::uint64_t end = begin + limit;
    std::uint64_t stop = end;  // or when looks have something to do
    std::uint64_t before = begin;
    while (count < most) {
        std::uint64_t now = ticks();
        ++iterations;
        if (now - before > threshold) {
            found.start[count] = before - begin;
            found.duration[count] = now - before;
            now = looks.after(count, now);
            ++count;
            stop = std::min(end, looks.clear_at());
        }
        if (now >= stop) {
            if (now >= end) {
                break;
            }
            now = looks.clear(now);
            stop = end;
        }
        before = now;
    }
    found.period = ticks() - begin;
    found.iterations = iterations;
    found.looked = looks.taken();
    found.source = looks.sources(count);
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
