// SPDX-License-Identifier: Apache-2.0
// A ring of ends of messages in memory that a rank's thread and its host's agent share. One writes, one reads, and
// neither ever waits for the other: what a full ring has no room for is dropped and counted.
//
// A file of kRing_B, `PID-N.ring`: this head in the first page, then the records, each a Message of layout.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "record/layout.hpp"

namespace fairlead::record {

constexpr std::uint32_t kRingVersion = 2;
constexpr std::array<char, 8> kRingMagic{'F', 'A', 'I', 'R', 'L', 'R', 'N', 'G'};
constexpr std::uint64_t kRingRecords = 4096;  // a power of two; at an agent's 25 looks a second, 100 000 messages/s
constexpr std::size_t kLine_B = 64;           // of the cache: what one side writes the other shall not miss for nothing

struct Ring {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t pid;
    std::int32_t rank;                                    // in the world
    std::uint32_t thread;                                 // of the process
    std::uint64_t pid_namespace;                          // that pid is of, by its inode; 0: not known
    alignas(kLine_B) std::atomic<std::uint64_t> written;  // records ever; by the rank
    std::atomic<std::uint64_t> dropped;                   // likewise
    alignas(kLine_B) std::atomic<std::uint64_t> read;     // likewise; by the agent

    Message* records() { return reinterpret_cast<Message*>(reinterpret_cast<char*>(this) + kPage_B); }
};
static_assert(sizeof(Ring) == 3 * kLine_B && sizeof(Ring) <= kPage_B);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share the counters");
constexpr std::size_t kRing_B = kPage_B + kRingRecords * sizeof(Message);

// The rank's side; one thread.
class RingWriter {
  public:
    explicit RingWriter(Ring* ring) : ring_(ring), written_(ring->written.load(std::memory_order_relaxed)) {}

    void push(const Message& message) {
        if (Message* const place = take_place()) {
            *place = message;
            publish();
        }
    }

    // A message that waited in memory, with how it ended: what was just written there would be slow to read again.
    void push(const Message& message, const Ending& ending) {
        if (Message* const place = take_place()) {
            *place = message;
            ending.write(*place);
            publish();
        }
    }

  private:
    // For the next record; null: there is none.
    Message* take_place() {
        if (written_ - read_ == kRingRecords) [[unlikely]] {
            read_ = ring_->read.load(std::memory_order_acquire);
            if (written_ - read_ >= kRingRecords) {
                ring_->dropped.store(ring_->dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
                return nullptr;
            }
        }
        return &ring_->records()[written_ % kRingRecords];
    }
    void publish() { ring_->written.store(++written_, std::memory_order_release); }

    Ring* ring_;
    std::uint64_t written_;
    std::uint64_t read_ = 0;  // at the last look
};

// The agent's side; one thread. Trusts no number in the ring: it may be any program's.
class RingReader {
  public:
    explicit RingReader(Ring* ring) : ring_(ring), read_(ring->read.load(std::memory_order_relaxed)) {}

    // Calls `take` with the records that are there, oldest first, and at most so many of them; how many these were.
    template <class Take>
    std::uint64_t drain(Take&& take, std::uint64_t most = kRingRecords) {
        const std::uint64_t written = ring_->written.load(std::memory_order_acquire);
        if (written - read_ > kRingRecords) {
            read_ = written;  // no writer of ours did that
        }
        const std::uint64_t number = std::min(written - read_, most);
        for (const std::uint64_t end = read_ + number; read_ != end; ++read_) {
            take(static_cast<const Message&>(ring_->records()[read_ % kRingRecords]));
        }
        ring_->read.store(read_, std::memory_order_release);
        return number;
    }
    bool empty() const { return ring_->written.load(std::memory_order_acquire) == read_; }
    std::uint64_t dropped() const { return ring_->dropped.load(std::memory_order_relaxed); }

  private:
    Ring* ring_;
    std::uint64_t read_;
};

}  // namespace fairlead::record
