// SPDX-License-Identifier: Apache-2.0
// timer: what the clocks of this machine can tell apart, and what a reading costs. See docs/reference/benchmarks.md.
#include <time.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/noise/ticks.hpp"

namespace fairlead::benchmark {
namespace {

constexpr int kSteps = 1000;
constexpr int kBatches = 100;
constexpr int kReadings = 1000;  // of a batch: their time is many steps of the clock that takes it

double seconds(const timespec& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::int64_t now_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Differences between readings that differ, each the first of its kind after a reading; in units of the clock.
template <typename Read>
std::vector<double> steps(Read&& read, double unit_s) {
    std::vector<double> found(kSteps);
    for (double& step : found) {
        const auto start = read();
        auto now = start;
        while (now == start) {
            now = read();
        }
        step = static_cast<double>(now - start) * unit_s;
    }
    return found;
}

// Mean time of a reading, batch by batch.
template <typename Read>
std::vector<double> readings(Read&& read) {
    std::vector<double> found(kBatches);
    for (double& each : found) {
        const std::int64_t start = now_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < kReadings; ++i) {
            auto value = read();
            asm volatile("" : "+r"(value));  // or the compiler would leave readings away
        }
        each = static_cast<double>(now_ns(CLOCK_MONOTONIC) - start) * 1e-9 / kReadings;
    }
    return found;
}

int run() {
    using Json = nlohmann::ordered_json;
    const TickRate rate;
    const std::array<std::pair<const char*, clockid_t>, 4> clocks{
        {{"CLOCK_MONOTONIC", CLOCK_MONOTONIC},
         {"CLOCK_MONOTONIC_RAW", CLOCK_MONOTONIC_RAW},
         {"CLOCK_REALTIME", CLOCK_REALTIME},
         {"CLOCK_THREAD_CPUTIME_ID", CLOCK_THREAD_CPUTIME_ID}}};
    for (const auto& [name, clock] : clocks) {
        const auto read = [id = clock] { return now_ns(id); };
        timespec nominal{};
        clock_getres(clock, &nominal);
        std::cout << Json{{"clock", name},
                          {"nominal_s", seconds(nominal)},
                          {"steps_s", steps(read, 1e-9)},
                          {"readings_s", readings(read)}}
                  << std::endl;
    }
    const auto read = [] { return ticks(); };
    const std::vector<double> reading_s = readings(read);
    const double tick_s = 1.0 / rate.per_s();
    std::cout << Json{{"clock", "processor"},
                      {"nominal_s", tick_s},
                      {"steps_s", steps(read, tick_s)},
                      {"readings_s", reading_s}}
              << std::endl;
    return 0;
}

}  // namespace
}  // namespace fairlead::benchmark

int main() {
    return fairlead::benchmark::run();
}
