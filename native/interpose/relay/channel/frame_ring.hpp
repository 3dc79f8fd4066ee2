// SPDX-License-Identifier: Apache-2.0
// Frames in memory that two processes share: one writes, one reads, neither waits for the other. A frame is its length
// and its bytes, on a multiple of eight. The ring's memory is mapped twice in a row, so that every frame is one span.
//
// Neither side trusts what the other has written: a reader takes every number once and checks it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>

namespace fairlead::relay {

inline constexpr std::size_t kCacheLine_B = 64;

/// One direction's counters, in shared memory.
struct RingCounters {
    alignas(kCacheLine_B) std::atomic<std::uint64_t> written_B;  ///< ever; by the writer
    alignas(kCacheLine_B) std::atomic<std::uint64_t> read_B;     ///< ever; by the reader
    /// Set by the agent before it sleeps: the rank shall ring its bell once it has written, or read, something.
    alignas(kCacheLine_B) std::atomic<std::uint32_t> bell_wanted;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share the counters");

/// The other side did what no side of ours does.
struct CorruptRing : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a frame takes in a ring.
constexpr std::uint64_t in_ring_B(std::uint64_t frame_B) {
    return (sizeof(std::uint64_t) + frame_B + 7) & ~std::uint64_t{7};
}

/// A ring as mapped by this process: `bytes` has ring_B bytes, and the same again behind them.
struct MappedRing {
    RingCounters* counters = nullptr;
    std::uint8_t* bytes = nullptr;
    std::uint64_t ring_B = 0;
    std::uint8_t* at(std::uint64_t position) const { return bytes + position % ring_B; }
};

class FrameWriter {
  public:
    explicit FrameWriter(MappedRing ring) : ring_(ring) {}

    bool room(std::uint64_t frame_B) {
        if (fits(frame_B)) return true;
        look();
        return fits(frame_B);
    }
    /// Only where there is room().
    void write(std::span<const std::uint8_t> frame) {
        std::uint8_t* const out = ring_.at(written_B_);
        const std::uint64_t length_B = frame.size();
        std::memcpy(out, &length_B, sizeof length_B);
        std::copy(frame.begin(), frame.end(), out + sizeof length_B);
        written_B_ += in_ring_B(length_B);
        ring_.counters->written_B.store(written_B_, std::memory_order_release);
    }
    std::uint64_t written_B() const { return written_B_; }
    /// What the reader has taken of it. Throws CorruptRing where that cannot be.
    std::uint64_t read_B() {
        look();
        return read_B_;
    }

  private:
    bool fits(std::uint64_t frame_B) const { return in_ring_B(frame_B) <= ring_.ring_B - (written_B_ - read_B_); }
    void look() {
        const std::uint64_t read_B = ring_.counters->read_B.load(std::memory_order_acquire);
        if (read_B < read_B_ || read_B > written_B_) throw CorruptRing("a ring was read beyond its end");
        read_B_ = read_B;
    }

    MappedRing ring_;
    std::uint64_t written_B_ = 0;
    std::uint64_t read_B_ = 0;  ///< at the last look
};

class FrameReader {
  public:
    explicit FrameReader(MappedRing ring) : ring_(ring) {}

    /// The next frame, if there is one, until pop(). Throws CorruptRing.
    std::optional<std::span<const std::uint8_t>> front() {
        const std::uint64_t available_B = ring_.counters->written_B.load(std::memory_order_acquire) - read_B_;
        if (available_B == 0) return std::nullopt;
        std::uint64_t length_B = 0;
        if (available_B > ring_.ring_B || available_B < sizeof length_B)
            throw CorruptRing("a ring holds more than fits");
        const std::uint8_t* const in = ring_.at(read_B_);
        std::memcpy(&length_B, in, sizeof length_B);
        if (length_B > available_B || in_ring_B(length_B) > available_B) {
            throw CorruptRing("a frame extends beyond what was written");
        }
        front_B_ = length_B;
        return std::span(in + sizeof length_B, length_B);
    }
    void pop() {
        read_B_ += in_ring_B(front_B_);
        ring_.counters->read_B.store(read_B_, std::memory_order_release);
    }

  private:
    MappedRing ring_;
    std::uint64_t read_B_ = 0;
    std::uint64_t front_B_ = 0;
};

// Who sets the flag looks once more afterwards, who changes the counters takes the flag afterwards. Both exchange it:
// the later one sees what the other did before.

/// The agent's side, before it looks once more.
inline void want_bell(RingCounters& counters) {
    counters.bell_wanted.exchange(1, std::memory_order_acq_rel);
}
/// The rank's side, after it has written or read: whether the bell is to be rung.
inline bool take_wish(RingCounters& counters) {
    return counters.bell_wanted.exchange(0, std::memory_order_acq_rel) != 0;
}

}  // namespace fairlead::relay
