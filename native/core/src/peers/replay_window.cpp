// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/replay_window.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr std::uint64_t kWordBits = 64;
}

ReplayWindow::ReplayWindow(HostId host_count) : senders_(host_count) {}

Freshness ReplayWindow::accept(HostId sender, std::uint64_t boot_id, std::uint64_t counter) {
    if (sender >= senders_.size()) return Freshness::bad_sender;
    Sender& state = senders_[sender];
    const std::uint64_t words = state.bits.size();
    if (state.seen && boot_id < state.boot_id) return Freshness::old_boot;
    if (!state.seen || boot_id > state.boot_id) {
        state = Sender{};
        state.boot_id = boot_id;
        state.newest = counter;
        state.seen = true;
    }
    if (counter > state.newest) {
        // Words between the old and the new newest counter belong to a new round of the ring: empty them.
        const std::uint64_t ahead = std::min(counter / kWordBits - state.newest / kWordBits, words);
        for (std::uint64_t i = 1; i <= ahead; ++i) state.bits[(state.newest / kWordBits + i) % words] = 0;
        state.newest = counter;
    } else if (state.newest - counter >= kWindow) {
        return Freshness::too_old;
    }
    std::uint64_t& word = state.bits[(counter / kWordBits) % words];
    const std::uint64_t mask = std::uint64_t{1} << (counter % kWordBits);
    if (word & mask) return Freshness::repeated;
    word |= mask;
    return Freshness::fresh;
}

}  // namespace fairlead::core
