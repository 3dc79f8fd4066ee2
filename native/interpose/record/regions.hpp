// SPDX-License-Identifier: Apache-2.0
// Regions that a program names: what a thread did in MPI between the calls that begin and end one (wrap/regions.hpp).
//
// Nothing is added to other calls: a region is the difference of the thread's counters between its end and its begin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "record/recorder.hpp"

namespace fairlead::record {

// In the record; all times that a thread was in the region, together. One inside a region of its own name is part of
// it.
struct Region {
    std::array<char, kName_B> name;
    std::uint64_t entered;
    std::uint64_t ticks;
    std::uint64_t mpi_ticks;  // of them in MPI functions, or polling
    std::uint64_t calls;      // of MPI functions
    std::uint64_t sent_B;
    std::uint64_t received_B;
    std::uint64_t open;  // not left yet
};
static_assert(sizeof(Region) == 104);

// Those of one thread.
class Regions {
  public:
    explicit Regions(Thread& thread) : thread_(&thread) {}

    bool are_of(const Thread& thread) const { return thread_ == &thread; }
    void enter(std::string_view name, std::uint64_t begin_ticks);
    bool leave(std::string_view name, std::uint64_t end_ticks);  // false: the thread is not in it
    void leave_all(std::uint64_t end_ticks);

  private:
    struct Sums {
        std::uint64_t mpi_ticks = 0;
        std::uint64_t calls = 0;
        std::uint64_t sent_B = 0;
        std::uint64_t received_B = 0;
    };
    struct Entry {
        Region* region;
        std::uint64_t begin_ticks = 0;
        Sums begin{};
    };
    Sums sums() const;
    Entry* find(std::string_view name);
    void close(Entry& entry, std::uint64_t end_ticks);

    Thread* thread_;
    std::vector<Entry> entries_;
    Region* next_ = nullptr;
    Region* end_ = nullptr;
};

}  // namespace fairlead::record
