// SPDX-License-Identifier: Apache-2.0
// noise: what the operating system takes from a program, core by core. See docs/reference/benchmarks.md.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/noise/noise_loops.hpp"
#include "benchmark/noise/noise_sources.hpp"
#include "benchmark/noise/thread_times.hpp"
#include "benchmark/noise/ticks.hpp"

namespace fairlead::benchmark {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string method = "selfish";
    std::vector<int> cpus;
    bool in_turn = false;
    double threshold = 9.0;  // times the least iteration (Netgauge's default, noise 4.5)
    std::size_t detours = 100'000;
    double quantum_s = 0.001;
    double seconds = 10.0;
    bool sources = false;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Detours of a busy loop, or times of equal work quanta, on chosen cores; one line of JSON each",
                 "noise");
    app.add_option("--method", options.method, "selfish, or fwq: fixed work quantum")
        ->check(CLI::IsMember({"selfish", "fwq"}))
        ->capture_default_str();
    app.add_option("--cpus", options.cpus, "processors (default: all that this process may use)")
        ->delimiter(',')
        ->check(CLI::Range(0, CPU_SETSIZE - 1));
    app.add_flag("--in-turn", options.in_turn, "one processor after the other instead of all at once");
    app.add_option("--threshold", options.threshold,
                   "an iteration this many times as long as the shortest one is a detour")
        ->check(CLI::Range(1.5, 1e6))
        ->capture_default_str();
    app.add_option("--detours", options.detours, "detours after which a processor is done")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    app.add_option("--quantum", options.quantum_s, "duration of a work quantum in seconds")
        ->check(CLI::Range(1e-6, 10.0))
        ->capture_default_str();
    app.add_option("--seconds", options.seconds, "time after which a processor is done")
        ->check(CLI::Range(0.01, 1e6))
        ->capture_default_str();
    app.add_flag("--sources", options.sources, "also the source of each detour (selfish only)");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    return options;
}

std::vector<int> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> allowed;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) {
                allowed.push_back(cpu);
            }
        }
    }
    return allowed;
}

bool pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

// Seconds between readings of a clock that differ, at best.
template <typename Clock>
double step_s() {
    double least_s = 1.0;
    for (int i = 0; i < 10'000; ++i) {
        const auto start = Clock::now();
        auto now = start;
        while (now == start) {
            now = Clock::now();
        }
        least_s = std::min(least_s, std::chrono::duration<double>(now - start).count());
    }
    return least_s;
}

constexpr std::size_t kMostThreads = 10;  // that are told of a processor
constexpr std::uint64_t kLeastRun_ns = 10'000;

// What the kernel says was taken from this thread: before the loop, and after it.
struct Taken {
    explicit Taken(int cpu) : steal(steal_ticks(ProcFile("/proc/stat").text(), cpu)), queue_s(run_queue_s()) {}
    std::optional<std::uint64_t> steal;
    std::optional<double> queue_s;
};

void tell_sources(Json& line, const Detours& found, const NoiseSources& sources, const Taken& before,
                  const Taken& after) {
    line["looked_ticks"] = found.looked;
    line["source_names"] = sources.names();
    line["source_sets"] = sources.sets();
    line["detour_set"] = found.source;
    line["steal_s"] = nullptr;
    line["run_queue_s"] = nullptr;
    if (before.steal && after.steal) {
        const auto ticks = static_cast<double>(*after.steal - *before.steal);
        line["steal_s"] = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
    if (before.queue_s && after.queue_s) {
        line["run_queue_s"] = *after.queue_s - *before.queue_s;
    }
}

Json threads_of(const std::vector<int>& cpus, const ThreadTimes& before, const ThreadTimes& after) {
    Json told = Json::array();
    for (const int cpu : cpus) {
        const std::vector<ThreadTime> ran = ran_between(before, after, cpu);
        for (std::size_t i = 0; i < std::min(ran.size(), kMostThreads) && ran[i].run_ns >= kLeastRun_ns; ++i) {
            told.push_back({{"cpu", cpu}, {"name", ran[i].name}, {"run_s", static_cast<double>(ran[i].run_ns) * 1e-9}});
        }
    }
    return {{"threads", told}};
}

// Threads name themselves, and the system cuts their names at 15 bytes: not all are UTF-8.
void tell(const Json& line) {
    std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

Json measure(const Options& options, int cpu, double ticks_per_s) {
    const TickRate rate;
    const auto limit = static_cast<std::uint64_t>(options.seconds * ticks_per_s);
    Json line{{"method", options.method}, {"cpu", cpu}};
    if (options.method == "selfish") {
        const std::uint64_t least = least_iteration();
        const auto threshold = static_cast<std::uint64_t>(options.threshold * static_cast<double>(least));
        NoiseSources sources(cpu);
        const Look look = options.sources ? Look([&] { return sources.look(); }) : Look();
        const Taken before(cpu);
        sources.look();  // from here on
        const Detours found = selfish(threshold, options.detours, limit, look);
        const Taken after(cpu);
        line["least_ticks"] = least;
        line["iterations"] = found.iterations;
        line["period_ticks"] = found.period;
        line["start_ticks"] = found.start;
        line["duration_ticks"] = found.duration;
        if (options.sources) {
            tell_sources(line, found, sources, before, after);
        }
    } else {
        const auto quantum = static_cast<std::uint64_t>(options.quantum_s * ticks_per_s);
        const auto count = static_cast<std::size_t>(options.seconds / options.quantum_s) + 1;
        line["duration_ticks"] = fixed_work(quantum, count, limit);
    }
    line["ticks_per_s"] = rate.per_s();
    return line;
}

int run(const Options& options) {
    const TickRate rate;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double ticks_per_s = rate.per_s();
    const std::vector<int> cpus = options.cpus.empty() ? allowed_cpus() : options.cpus;
    tell({{"cpus", cpus}, {"steady_clock_step_s", step_s<std::chrono::steady_clock>()}});
    const bool sources = options.sources && options.method == "selfish";
    const ThreadTimes before = sources ? thread_times() : ThreadTimes{};
    std::mutex speaking;
    std::atomic<bool> failed{false};
    std::barrier together(static_cast<std::ptrdiff_t>(options.in_turn ? 1 : cpus.size()));
    const auto on_cpu = [&](int cpu) {
        const bool pinned = pin(cpu);
        together.arrive_and_wait();
        const Json line =
            pinned ? measure(options, cpu, ticks_per_s) : Json{{"cpu", cpu}, {"failed", "cannot be used"}};
        const std::lock_guard<std::mutex> lock(speaking);
        failed = failed || !pinned;
        tell(line);
    };
    std::vector<std::thread> threads;
    for (const int cpu : cpus) {
        threads.emplace_back(on_cpu, cpu);
        if (options.in_turn) {
            threads.back().join();
        }
    }
    for (std::thread& thread : threads) {
        if (thread.joinable()) {
            thread.join();
        }
    }
    if (sources) {
        tell(threads_of(cpus, before, thread_times()));
    }
    return failed ? 1 : 0;
}

}  // namespace
}  // namespace fairlead::benchmark

int main(int argc, char** argv) {
    return fairlead::benchmark::run(fairlead::benchmark::options_of(argc, argv));
}
