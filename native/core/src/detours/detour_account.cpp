// SPDX-License-Identifier: Apache-2.0
#include "detours/detour_account.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
/// Of which a median is worth something: the newest may be of congestion that no probe has found yet.
constexpr std::size_t kEnough = 8;
}  // namespace

void DetourAccount::on_direct(const SocketSample& sample) {
    const double before_s = last_busy_s_.value_or(sample.busy_s);
    last_busy_s_ = sample.busy_s;
    if (sample.srtt_s <= 0.0 || sample.busy_s <= before_s) return;
    free_s_[next_] = sample.srtt_s;
    next_ = (next_ + 1) % kKept;
    count_ = std::min(count_ + 1, kKept);
}

double DetourAccount::free_round_trip_s() const {
    if (count_ < kEnough) return 0.0;
    std::array<double, kKept> sorted = free_s_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count_ / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count_));
    return *middle;
}

/// On a queue-free direct path the same bytes would have been in flight for the share that its round trips are shorter;
/// on a congested one for longer. A gain is at most the time that has passed: how much longer a program would have
/// waited in a long queue depends on more than one pair. Losses count only where the direct path is low: before that
/// nobody would send the pair back.
void DetourAccount::on_detour(const SocketSample& sample, const DirectPath& direct, Time now) {
    const double before_s = last_busy_s_.value_or(sample.busy_s);
    const double elapsed_s = last_busy_s_ ? now - last_at_ : 0.0;
    last_busy_s_ = sample.busy_s;
    last_at_ = now;
    const double busy_s = std::clamp(sample.busy_s - before_s, 0.0, std::max(0.0, elapsed_s));
    const double free_s = free_round_trip_s();
    if (busy_s <= 0.0 || free_s <= 0.0 || sample.srtt_s <= 0.0) return;
    const double direct_s = free_s + direct.queue_s;
    if (direct.low) {
        lost_s_ += busy_s * std::max(0.0, 1.0 - direct_s / sample.srtt_s);
    } else {
        const double sooner_s = busy_s * std::max(0.0, direct_s / sample.srtt_s - 1.0);
        gained_s_ += losing_ ? elapsed_s : std::min(sooner_s, elapsed_s);
    }
}

}  // namespace fairlead::core
