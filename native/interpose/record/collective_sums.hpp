// SPDX-License-Identifier: Apache-2.0
// Collective calls by communicator, root and size: what readers need to estimate which ranks they send to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "record/recorder.hpp"

namespace fairlead::record {

// What tells collective calls apart that are alike to their algorithms, but for the size.
struct CollectiveKind {
    std::uint64_t communicator;  // the same number on all its members; 0: it has no other member
    std::int32_t root;           // rank in the communicator; kNoRoot
    std::int32_t size;           // of the communicator
    std::int32_t rank;           // the process's
    std::uint16_t function;
};

// In the record: the calls of one kind whose sizes are of one class, together.
struct CollectiveSum {
    std::uint64_t communicator;
    std::uint64_t calls;
    std::uint64_t given_B;
    std::uint64_t got_B;
    std::int32_t root;
    std::int32_t size;
    std::int32_t rank;
    std::uint16_t function;
    std::uint16_t size_class;  // of what the process gives or gets, whichever is more (kSizeClasses)
};
static_assert(sizeof(CollectiveSum) == 48);

// Those of one thread. A program may have any number of roots and communicators: once there is no more room, calls of a
// new kind are not counted here.
class CollectiveSums {
  public:
    static constexpr std::size_t kMostBlocks = 64;

    explicit CollectiveSums(Thread& thread) : thread_(&thread) {}

    void count(const CollectiveKind& kind, std::uint64_t given_B, std::uint64_t got_B);

  private:
    CollectiveSum* make(const CollectiveKind& kind, std::uint16_t size_class);

    Thread* thread_;
    std::unordered_map<std::uint64_t, CollectiveSum*> sums_;
    // Programs repeat few kinds of calls, and a look into the map would take longer than all else that is recorded.
    static constexpr std::size_t kRecent = 16;
    struct Recent {
        std::uint64_t key;
        CollectiveSum* sum;
    };
    std::array<Recent, kRecent> recent_{};
    CollectiveSum* next_ = nullptr;
    CollectiveSum* end_ = nullptr;
    std::size_t blocks_ = 0;
};

}  // namespace fairlead::record
