// SPDX-License-Identifier: Apache-2.0
#include "planes/rank_announcer.hpp"

#include <algorithm>
#include <vector>

namespace fairlead::agent {
namespace {

namespace wire = core::wire;

/// Datagrams may be lost: ranks are told several times in short order, and then now and then.
constexpr double kTellAgain_s = 0.5;
constexpr double kTellRarely_s = 10.0;
constexpr int kTellings = 3;

}  // namespace

void RankAnnouncer::announce(relay::WorldId world, const std::set<std::uint32_t>& ranks, double now_s) {
    if (world != world_ || ranks != known_) {
        world_ = world;
        known_ = ranks;
        tellings_ = 0;
    }
    const double pause_s = tellings_ == 0 ? 0.0 : tellings_ < kTellings ? kTellAgain_s : kTellRarely_s;
    if (ranks.empty() || now_s - told_s_ < pause_s) return;
    told_s_ = now_s;
    ++tellings_;
    const std::vector<std::uint32_t> all(ranks.begin(), ranks.end());
    for (std::size_t first = 0; first < all.size(); first += wire::kMaxRanks) {
        const std::size_t number = std::min(wire::kMaxRanks, all.size() - first);
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        const wire::RanksHere here{{begin, begin + static_cast<std::ptrdiff_t>(number)}, world};
        for (core::HostId host = 0; host < config_.host_count(); ++host) {
            if (host != config_.self) channel_.send(host, here);
        }
    }
}

}  // namespace fairlead::agent
