// SPDX-License-Identifier: Apache-2.0
// A delay line: packets come out in the order in which they went in, each a fixed time later. No clock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace fairlead::lab {

using Packet = std::vector<std::byte>;

class DelayLine {
  public:
    // limit_B bounds what is in flight; as on a real link, what does not fit is dropped.
    DelayLine(std::int64_t delay_ns, std::size_t limit_B) : delay_ns_(delay_ns), limit_B_(limit_B) {}

    // Returns false if the packet was dropped. now_ns must not go backwards.
    bool push(Packet packet, std::int64_t now_ns) {
        if (held_B_ + packet.size() > limit_B_) {
            ++dropped_;
            return false;
        }
        held_B_ += packet.size();
        line_.push_back({now_ns + delay_ns_, std::move(packet)});
        return true;
    }

    // The next packet that is due at now_ns, if there is one.
    std::optional<Packet> pop(std::int64_t now_ns) {
        if (line_.empty() || line_.front().due_ns > now_ns) {
            return std::nullopt;
        }
        Packet packet = std::move(line_.front().packet);
        line_.pop_front();
        held_B_ -= packet.size();
        return packet;
    }

    // When the next packet is due.
    [[nodiscard]] std::optional<std::int64_t> next_due_ns() const {
        return line_.empty() ? std::nullopt : std::optional(line_.front().due_ns);
    }

    [[nodiscard]] std::size_t held_B() const { return held_B_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  private:
    struct Held {
        std::int64_t due_ns;
        Packet packet;
    };

    std::int64_t delay_ns_;
    std::size_t limit_B_;
    std::size_t held_B_ = 0;
    std::uint64_t dropped_ = 0;
    std::deque<Held> line_;
};

}  // namespace fairlead::lab
