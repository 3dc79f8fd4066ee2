// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/rank_pairs.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {

std::uint64_t key(std::uint32_t source_rank, std::uint32_t rank) {
    return static_cast<std::uint64_t>(source_rank) << 32 | rank;
}

}  // namespace

RankPairTimes& RankPairs::at(HostId source, std::uint32_t source_rank, std::uint32_t rank) {
    if (pairs_.size() >= kMost && !pairs_.contains(key(source_rank, rank))) return forgotten_ = {};
    RankPairTimes& times = pairs_[key(source_rank, rank)];
    times.source = source;
    times.source_rank = source_rank;
    times.rank = rank;
    return times;
}

std::vector<RankPairTimes> RankPairs::take(std::size_t most) {
    std::vector<RankPairTimes> taken;
    taken.reserve(pairs_.size());
    for (const auto& [pair, times] : pairs_) taken.push_back(times);
    std::ranges::sort(taken, [](const RankPairTimes& one, const RankPairTimes& other) {
        if (one.size_B != other.size_B) return one.size_B > other.size_B;
        return key(one.source_rank, one.rank) < key(other.source_rank, other.rank);
    });
    taken.resize(std::min(most, taken.size()));
    for (const RankPairTimes& each : taken) pairs_.erase(key(each.source_rank, each.rank));
    return taken;
}

}  // namespace fairlead::core
