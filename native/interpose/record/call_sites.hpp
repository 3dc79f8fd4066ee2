// SPDX-License-Identifier: Apache-2.0
// Calls of MPI functions by the place in the program that they are made from, where that is asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "record/recorder.hpp"

namespace fairlead::record {

// In the record. The place is told by the object file and by the offset in it, as its symbols count: the return address
// of the call. So it means the same in every process.
struct CallSite {
    std::uint64_t calls;
    std::uint64_t ticks;
    std::uint64_t sent_B;  // by these calls themselves; what a request sends: by the call that describes it
    std::uint64_t offset;
    std::uint16_t function;
    std::array<char, 478> object;  // its path; a longer one is cut at its beginning
};
static_assert(sizeof(CallSite) == 512);

// Those of one thread.
class CallSites {
  public:
    explicit CallSites(Thread& thread) : thread_(&thread) {}

    bool are_of(const Thread& thread) const { return thread_ == &thread; }
    CallSite& site(std::uint16_t function, std::uintptr_t address);

  private:
    CallSite* make(std::uint16_t function, std::uintptr_t address);

    Thread* thread_;
    std::unordered_map<std::uint64_t, CallSite*> sites_;
    CallSite* next_ = nullptr;
    CallSite* end_ = nullptr;
};

}  // namespace fairlead::record
