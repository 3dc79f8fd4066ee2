// SPDX-License-Identifier: Apache-2.0
// Which threads of the machine ran meanwhile, and where: those that take a processor from a program have names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::benchmark {

struct ThreadTime {
    std::string name;
    int cpu = -1;              // where it ran last
    std::uint64_t run_ns = 0;  // ever, or between two snapshots
};

// By process and thread id: all threads that this process can see but its own.
using ThreadTimes = std::map<std::pair<int, int>, ThreadTime>;

ThreadTimes thread_times();

// What ran between two snapshots on `cpu`, the longest first; of threads that ended meanwhile nothing is known.
std::vector<ThreadTime> ran_between(const ThreadTimes& before, const ThreadTimes& after, int cpu);

}  // namespace fairlead::benchmark
