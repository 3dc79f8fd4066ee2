// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/rank_pair.hpp"

#include <algorithm>

namespace fairlead::sim {

namespace {

constexpr int kTag = 0;
constexpr Context kContext = 0;

}  // namespace

RankPair::RankPair(EventQueue& events, Tcp& tcp, EndId a, EndId b)
    : events_(events), messages_(events, tcp, {a, b}, kForeign, MessageSettings{}) {}

void RankPair::exchange(double message_B, double stop_s) {
    message_B_ = message_B;
    stop_s_ = std::max(stop_s_, stop_s);
    if (!resting_[0] || !resting_[1]) return;
    over_ = false;
    resting_ = {false, false};
    begin(0);
    begin(1);
}

void RankPair::begin(std::size_t rank) {
    const auto size_B = static_cast<std::uint64_t>(message_B_);
    const int self = static_cast<int>(rank);
    ++begun_[rank];
    missing_[rank] = 2;
    if (!over_ && events_.now() >= stop_s_) {
        over_ = true;
        last_ = begun_[rank];
    }
    messages_.receive(self, 1 - self, size_B, kTag, kContext, [this, rank] {
        ++exchanged_;
        finish_part(rank);
    });
    messages_.send(self, 1 - self, size_B, kTag, kContext, [this, rank] { finish_part(rank); });
}

void RankPair::finish_part(std::size_t rank) {
    if (--missing_[rank] > 0) return;
    if (!over_ || begun_[rank] < last_) return begin(rank);
    resting_[rank] = true;
    if (resting_[0] && resting_[1] && events_.now() < stop_s_) exchange(message_B_, stop_s_);
}

}  // namespace fairlead::sim
