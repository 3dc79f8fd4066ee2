// SPDX-License-Identifier: Apache-2.0
#include "relay/carriers/chaos_carrier.hpp"

#include <algorithm>

namespace fairlead::relay {

void ChaosCarrier::poll(const Sink& arrived) {
    ++polls_;
    carrier_->poll([this](std::span<const std::uint8_t> frame) {
        const Process from = from_(frame);
        const Chaos::Fate fate = chaos_.fate(from, self_, ++numbers_[from]);
        if (fate.stall != 0) {
            stalled_until_ = polls_ + fate.stall;
        }
        for (int copies = fate.lost ? 0 : fate.doubled ? 2 : 1; copies > 0; --copies) {
            due_.emplace(polls_ + fate.polls, std::vector<std::uint8_t>(frame.begin(), frame.end()));
        }
    });
    if (polls_ < stalled_until_) {
        return;
    }
    for (auto next = due_.begin(); next != due_.end() && next->first <= polls_; next = due_.erase(next)) {
        arrived(next->second);
    }
}

}  // namespace fairlead::relay
