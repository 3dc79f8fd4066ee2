// SPDX-License-Identifier: Apache-2.0
// What an agent may keep of frames on their way, in bytes. A frame passes the relay's agent and then the destination's;
// it leaves the first only when the second has room. With one pool for both, agents that relay for each other in a
// circle fill up with passing frames, and none has room for another's: nothing moves any more. So what passes and what
// has arrived are kept apart, and what has arrived waits for nothing but its own rank's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace fairlead::relay {

class HopBuffers {
  public:
    /// capacity_B: of the pool of passing frames, and of the pool of each of the host's ranks.
    HopBuffers(std::uint64_t capacity_B, std::size_t ranks) : capacity_B_(capacity_B), arrived_B_(ranks, 0) {}

    /// Takes room for a frame to another host, or says that there is none: then nothing more is read from where it
    /// came from. A frame that is longer than the pool has room when the pool is empty.
    bool admit_passing(std::uint64_t size_B) { return admit(passing_B_, size_B); }
    void release_passing(std::uint64_t size_B) { release(passing_B_, size_B); }

    /// The same for a frame to a rank of this host, until the rank has it.
    bool admit_arrived(std::size_t rank, std::uint64_t size_B) { return admit(arrived_B_.at(rank), size_B); }
    void release_arrived(std::size_t rank, std::uint64_t size_B) { release(arrived_B_.at(rank), size_B); }

  private:
    bool admit(std::uint64_t& used_B, std::uint64_t size_B) const {
        if (used_B != 0 && (used_B >= capacity_B_ || size_B > capacity_B_ - used_B)) return false;
        used_B += size_B;
        return true;
    }
    static void release(std::uint64_t& used_B, std::uint64_t size_B) {
        if (size_B > used_B) throw std::logic_error("a buffer gives back more than it took");
        used_B -= size_B;
    }

    std::uint64_t capacity_B_;
    std::uint64_t passing_B_ = 0;
    std::vector<std::uint64_t> arrived_B_;
};

}  // namespace fairlead::relay
