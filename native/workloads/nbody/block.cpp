// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <numeric>

#include "nbody/ring.hpp"

namespace fairlead::nbody {

Block::Block(std::size_t count, std::size_t payload_B) : count_(count), payload_words_(payload_B / sizeof(double)) {
    resize(count);
}

void Block::resize(std::size_t count) {
    count_ = count;
    words_.resize(count * (4 + payload_words_));
}

std::uint64_t Block::payload_sum() const {
    const auto payload = std::span(words_).subspan(4 * count_);
    return std::accumulate(payload.begin(), payload.end(), std::uint64_t{0},
                           [](std::uint64_t sum, double word) { return sum + std::bit_cast<std::uint64_t>(word); });
}

}  // namespace fairlead::nbody
