// SPDX-License-Identifier: Apache-2.0
// Chaos mode's draws, for tests (FAIRLEAD_CHAOS=seed): which way each message takes, when communicators are taken over
// and given back, what happens to frames on their way. Each draw is a hash of the seed and of what it is about, so that
// the same seed draws the same whatever the timing.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "fairlead/relay/types.hpp"

namespace fairlead::relay {

class Chaos {
  public:
    explicit Chaos(std::uint64_t seed) : seed_(seed) {}

    /// The way of the sequence-th message of a process to another on a communicator.
    Path path(CommunicatorId communicator, Process source, Process destination, std::uint64_t sequence) const {
        return draw({1, communicator, source, destination, sequence}) % 2 == 0 ? Path::direct : Path::relay;
    }
    /// Whether a process takes a communicator over at its call-th call, with whatever receives are posted then.
    bool takes_over(CommunicatorId communicator, Process process, std::uint64_t call) const {
        return draw({2, communicator, process, call}) % 32 == 0;
    }
    /// Whether it gives it back at its call-th call, if it may.
    bool returns(CommunicatorId communicator, Process process, std::uint64_t call) const {
        return draw({3, communicator, process, call}) % 4 == 0;
    }

    /// What becomes of the number-th frame that arrives at a process from another.
    struct Fate {
        bool lost = false;
        bool doubled = false;
        std::uint64_t polls = 0;  ///< so many polls later it is let through; frames that follow may be faster
        std::uint64_t stall = 0;  ///< for so many polls nothing is let through: an agent that does not run
    };
    Fate fate(Process source, Process destination, std::uint64_t number) const {
        const std::uint64_t drawn = draw({4, source, destination, number});
        return {.lost = drawn % 128 == 0,
                .doubled = (drawn >> 8) % 32 == 0,
                .polls = (drawn >> 16) % 4 == 0 ? (drawn >> 24) % 64 : 0,
                .stall = (drawn >> 32) % 256 == 0 ? 500U : 0U};
    }

  private:
    std::uint64_t draw(std::initializer_list<std::uint64_t> about) const {
        std::uint64_t value = mixed(seed_);
        for (const std::uint64_t part : about) value = mixed(value + part);
        return value;
    }
    /// Spreads a number over all 64 bits (SplitMix64: Steele, Lea, Flood 2014, figure 16).
    static std::uint64_t mixed(std::uint64_t value) {
        value += 0x9E3779B97F4A7C15U;
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
        value = (value ^ value >> 27) * 0x94D049BB133111EBU;
        return value ^ value >> 31;
    }

    std::uint64_t seed_;
};

}  // namespace fairlead::relay
