// SPDX-License-Identifier: Apache-2.0
#include "search/search_pause.hpp"

namespace fairlead::core {

namespace {
constexpr double kLongestFailed_s = 60.0;
}  // namespace

bool SearchPause::gets_less(double own_share, Time now) const {
    if (now < next_search_ - backoff_s_ + settings_.report.keep_backoff_s) return false;
    return own_share < settings_.own_load.less_share * explained_share_;
}

void SearchPause::kept(Time now) {
    backoff_s_ = std::clamp(2.0 * backoff_s_, settings_.report.keep_backoff_s, settings_.report.keep_backoff_max_s);
    next_search_ = now + backoff_s_;
}

void SearchPause::cleared(Time now) {
    backoff_s_ = 0.0;
    next_search_ = now + settings_.suspicion.backoff_min_s / 2.0;
}

void SearchPause::reroute_failed(Time now) {
    const double first_s = settings_.detour.failed_backoff_s;
    failed_backoff_s_ = std::clamp(2.0 * failed_backoff_s_, first_s, std::max(kLongestFailed_s, first_s));
    next_search_ = now + failed_backoff_s_;
}

void SearchPause::rerouted() {
    backoff_s_ = 0.0;
    failed_backoff_s_ = 0.0;
    last_reason_.reset();
}

void SearchPause::gave_way(Time now) {
    backoff_s_ = 0.0;
    next_search_ = next_relook_ = now + settings_.choice.settle_s;
}

bool SearchPause::reports(KeepReason reason, Time now) {
    if (last_reason_ == reason && now - last_report_ < settings_.report.kept_period_s) return false;
    last_reason_ = reason;
    last_report_ = now;
    return true;
}

}  // namespace fairlead::core
