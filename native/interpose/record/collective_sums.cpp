// SPDX-License-Identifier: Apache-2.0
#include "record/collective_sums.hpp"

#include <algorithm>
#include <bit>

namespace fairlead::record {

namespace {

constexpr std::size_t kBlock_B = 4 * kPage_B;  // 341 sums

// Communicators' numbers are spread over all 64 bits already, and a root is a small number.
std::uint64_t key_of(const CollectiveKind& kind, std::uint16_t size_class) {
    const auto root = static_cast<std::uint64_t>(static_cast<std::uint32_t>(kind.root));
    return kind.communicator ^ (root << 32 | static_cast<std::uint64_t>(kind.function) << 16 | size_class);
}

}  // namespace

void CollectiveSums::count(const CollectiveKind& kind, std::uint64_t given_B, std::uint64_t got_B) {
    const auto size_class = static_cast<std::uint16_t>(std::bit_width(std::max(given_B, got_B)));
    const std::uint64_t key = key_of(kind, size_class);
    Recent& recent = recent_[(key ^ key >> 16 ^ key >> 32) % kRecent];
    if (recent.key != key || recent.sum == nullptr) [[unlikely]] {
        const auto known = sums_.find(key);
        CollectiveSum* const sum = known != sums_.end() ? known->second : make(kind, size_class);
        if (sum == nullptr) {
            return;
        }
        sums_.try_emplace(key, sum);
        recent = {.key = key, .sum = sum};
    }
    ++recent.sum->calls;
    recent.sum->given_B += given_B;
    recent.sum->got_B += got_B;
}

CollectiveSum* CollectiveSums::make(const CollectiveKind& kind, std::uint16_t size_class) {
    if (next_ == end_) {
        if (blocks_ == kMostBlocks) {
            return nullptr;
        }
        ++blocks_;
        auto* const block = thread_->add_block(Kind::collectives, kBlock_B);
        next_ = reinterpret_cast<CollectiveSum*>(block + 1);
        end_ = next_ + (kBlock_B - sizeof(Block)) / sizeof(CollectiveSum);
    }
    CollectiveSum* const sum = next_++;
    *sum = {.communicator = kind.communicator,
            .calls = 0,
            .given_B = 0,
            .got_B = 0,
            .root = kind.root,
            .size = kind.size,
            .rank = kind.rank,
            .function = kind.function,
            .size_class = size_class};
    return sum;
}

}  // namespace fairlead::record
