// SPDX-License-Identifier: Apache-2.0
#include "traffic/service.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
/// Of the free path's throughput: who gets less while it sends waits for round trips.
constexpr double kBulkShare = 0.1;
/// Of which a trial takes the mean: some samples are close together, and a single window may hold no large message.
constexpr int kTrialWindows = 3;
/// Until the mean is worth something, and what the newest counts in it.
constexpr int kWindows = 3;
constexpr double kNewest = 0.3;
}  // namespace

void ServiceMeter::restart() {
    samples_ = 0;
    any_ = false;
    sum_B_ = busy_s_ = sum_round_trip_s_ = 0.0;
    round_trips_known_ = true;
}

std::optional<Service> ServiceMeter::add(const SocketSample& sample, Time now) {
    const double elapsed_s = any_ ? now - last_at_ : 0.0;
    const std::uint64_t carried_B = any_ && sample.delivered_B > last_B_ ? sample.delivered_B - last_B_ : 0;
    any_ = true;
    last_at_ = now;
    last_B_ = std::max(last_B_, sample.delivered_B);
    if (elapsed_s <= 0.0 || (carried_B == 0 && sample.in_flight_B == 0)) return std::nullopt;
    sum_B_ += static_cast<double>(carried_B);
    busy_s_ += elapsed_s;
    sum_round_trip_s_ += sample.srtt_s;
    round_trips_known_ = round_trips_known_ && sample.srtt_s > 0.0;
    if (++samples_ < wanted_) return std::nullopt;
    const Service got{8.0 * sum_B_ / busy_s_, round_trips_known_ ? sum_round_trip_s_ / samples_ : 0.0};
    samples_ = 0;
    sum_B_ = busy_s_ = sum_round_trip_s_ = 0.0;
    round_trips_known_ = true;
    return got;
}

bool ChangeJudge::improved(const Service& before, const Service& after) const {
    const bool sooner =
        after.round_trip_s > 0.0 && after.round_trip_s <= (1.0 - settings_.margin) * before.round_trip_s;
    return sooner || after.rate_bps >= (1.0 + settings_.margin) * before.rate_bps;
}

ChangeJudge::Verdict ChangeJudge::add(const SocketSample& sample, Time now) {
    if (now < deaf_until_) return Verdict::none;
    const std::optional<Service> got = meter_.add(sample, now);
    if (!got) return Verdict::none;
    latest_ = got;
    note(*got);
    if (before_) {
        trial_bps_ += got->rate_bps;
        if (least_share_ > 0.0 && ++trial_windows_ < kTrialWindows) return Verdict::none;
        const bool lost = trial_bps_ < least_share_ * trial_windows_ * before_->rate_bps;
        const bool paid = !chosen_ || improved(*before_, *got);
        before_.reset();
        if (lost) return Verdict::lost;
        reference_ = paid ? std::nullopt : got;
        return paid ? Verdict::none : Verdict::in_vain;
    }
    if (reference_ && improved(*got, *reference_) && got->rate_bps < settings_.collapse * reference_->rate_bps) {
        reference_.reset();
        return Verdict::worse;
    }
    return Verdict::none;
}

/// Messages come and go, so a single time says little.
void ChangeJudge::note(const Service& got) {
    if (got.rate_bps < kBulkShare * free_bps_) return;
    mean_bps_ += (windows_ == 0 ? 1.0 : kNewest) * (got.rate_bps - mean_bps_);
    ++windows_;
}

bool ChangeJudge::gets_little() const {
    return windows_ >= kWindows && mean_bps_ < settings_.lost_share * free_bps_;
}

void ChangeJudge::restart() {
    latest_.reset();
    meter_.restart();
}

void ChangeJudge::changed(bool chosen, Time now, double least_share, double free_bps) {
    before_ = chosen || least_share > 0.0 ? latest_ : std::nullopt;
    // Of a detour on which the mean is known, that: its last window may hold no large message.
    if (before_ && least_share > 0.0 && free_bps_ > 0.0 && windows_ >= kWindows) before_->rate_bps = mean_bps_;
    free_bps_ = free_bps;
    windows_ = 0;
    chosen_ = chosen;
    least_share_ = least_share;
    trial_bps_ = 0.0;
    trial_windows_ = 0;
    latest_.reset();
    reference_.reset();
    meter_.restart();
    deaf_until_ = now + settings_.deaf_s;
}

}  // namespace fairlead::core
