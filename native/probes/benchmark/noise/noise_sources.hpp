// SPDX-License-Identifier: Apache-2.0
// What took the processor from a thread: counters of the system that went up since they were looked at last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::benchmark {

struct Counter {
    std::string name;
    std::uint64_t count = 0;
};

// The column of a processor in the text of /proc/interrupts or /proc/softirqs; empty if it has none. Rows that count
// for the whole machine are left out. Names: of a device's interrupt what the kernel calls the device, of others the
// kernel's description; of softirqs, which have none, `prefix` and their key.
std::vector<Counter> counters_of(std::string_view text, int cpu, std::string_view prefix = {});

// Seconds that the hypervisor gave to others, of a processor in the text of /proc/stat, in units of the system's tick.
std::optional<std::uint64_t> steal_ticks(std::string_view text, int cpu);

// A file of /proc that is read again and again.
class ProcFile {
  public:
    explicit ProcFile(const char* path);
    ~ProcFile();
    ProcFile(const ProcFile&) = delete;
    ProcFile& operator=(const ProcFile&) = delete;
    // Up to the next call; empty where it cannot be read.
    std::string_view text();

  private:
    int file_;
    std::string buffer_;
};

// For one thread on one processor.
class NoiseSources {
  public:
    explicit NoiseSources(int cpu);

    // The number of the set of sources that were counted since the last look; nothing where the rows have changed.
    std::optional<std::size_t> look();

    const std::vector<std::string>& names() const { return names_; }
    // By number, places in names(). The first is empty: nothing was counted.
    const std::vector<std::vector<std::size_t>>& sets() const { return sets_; }

  private:
    std::vector<Counter> read();

    int cpu_;
    ProcFile interrupts_{"/proc/interrupts"};
    ProcFile softirqs_{"/proc/softirqs"};
    std::vector<Counter> before_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t> place_of_;
    std::vector<std::vector<std::size_t>> sets_{{}};
    std::map<std::vector<std::size_t>, std::size_t> number_of_{{{}, 0}};
};

// Time in the run queue of this thread, while others had its processor, in s; nothing where the kernel does not say.
std::optional<double> run_queue_s();

}  // namespace fairlead::benchmark
