// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nbody/forces.hpp"

namespace fairlead::nbody {

// One rank's particles as they travel: x, y, z, mass and payload, each contiguous, in one buffer of 8-byte words.
//
// The payload stands for what a particle of a larger code carries (its state, its history): it loads the network and is
// checked at every hop, but takes no part in the dynamics.
class Block {
  public:
    // `payload_B`: bytes for each particle, a multiple of 8.
    Block(std::size_t count, std::size_t payload_B);

    std::size_t count() const { return count_; }
    std::span<double> component(std::size_t index) { return std::span(words_).subspan(index * count_, count_); }
    std::span<const double> component(std::size_t index) const {
        return std::span(words_).subspan(index * count_, count_);
    }
    Sources sources() const { return {component(0), component(1), component(2), component(3)}; }
    std::span<double> payload() { return std::span(words_).subspan(4 * count_); }

    // Sum of the payload's words as integers, modulo 2^64.
    std::uint64_t payload_sum() const;

    // Another rank's block may hold another number of particles.
    void resize(std::size_t count);
    std::span<double> words() { return words_; }

  private:
    std::size_t count_;
    std::size_t payload_words_;  // for each particle
    std::vector<double> words_;
};

// The ranks in a ring. Everyone's block goes round once; each rank adds up what all blocks do to its own particles.
class Ring {
  public:
    // `particles` in all; `own` is this rank's block, with payload filled. Collective.
    Ring(int particles, double softening, const Block& own);

    // field: what all particles do to `own`. While a block is being passed on, its forces are computed.
    void forces(const Block& own, Field& field);

    std::uint64_t payload_errors() const { return payload_errors_; }  // blocks that arrived damaged, on this rank
    std::uint64_t bytes_sent() const { return bytes_sent_; }          // by this rank

    // First particle of `rank`'s block; of `ranks`: the end.
    static int block_start(int particles, int ranks, int rank);

  private:
    void compute(const Block& own, const Block& travelling, int owner, Field& field);

    int particles_;
    int ranks_;
    int rank_;
    double softening_;
    std::vector<std::uint64_t> payload_sums_;  // of all ranks
    Block travelling_;
    Block arriving_;
    std::uint64_t payload_errors_ = 0;
    std::uint64_t bytes_sent_ = 0;
};

}  // namespace fairlead::nbody
