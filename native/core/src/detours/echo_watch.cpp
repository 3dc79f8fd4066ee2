// SPDX-License-Identifier: Apache-2.0
#include "detours/echo_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fairlead::core {

void EchoWatch::sent(std::uint32_t token, Time now) {
    waiting_.push_back({token, now});
    last_ = now;
}

EchoTime echo_time(Time left, std::optional<Time> free_departure, Time now) {
    return {now - left, free_departure ? std::optional(*free_departure - left) : std::nullopt};
}

bool EchoWatch::answered(std::uint32_t token, Time now, std::optional<Time> free_departure) {
    const auto found =
        std::find_if(waiting_.begin(), waiting_.end(), [token](const Sent& each) { return each.token == token; });
    if (found == waiting_.end()) return false;
    const double round_trip_s = now - found->at;
    recent_.push_back(echo_time(found->at, free_departure, now));
    if (recent_.size() > kRecent) recent_.pop_front();
    if (!smoothed_s_) {
        smoothed_s_ = round_trip_s;
        deviation_s_ = round_trip_s / 2.0;
    } else {
        deviation_s_ += (std::abs(round_trip_s - *smoothed_s_) - deviation_s_) / 4.0;
        *smoothed_s_ += (round_trip_s - *smoothed_s_) / 8.0;
    }
    waiting_.erase(waiting_.begin(), found + 1);
    return true;
}

double EchoWatch::patience_s(const EchoSettings& settings) const {
    if (!smoothed_s_) return settings.patience_first_s;
    return std::clamp(*smoothed_s_ + 4.0 * deviation_s_, settings.patience_min_s, settings.patience_max_s);
}

int EchoWatch::missing(const EchoSettings& settings, Time now) const {
    const double patience = patience_s(settings);
    return static_cast<int>(
        std::count_if(waiting_.begin(), waiting_.end(), [&](const Sent& each) { return now - each.at >= patience; }));
}

Time EchoWatch::next(double usual_s, const EchoSettings& settings) const {
    if (!last_) return -std::numeric_limits<Time>::infinity();
    if (waiting_.empty()) return *last_ + usual_s;
    const Time missing_from = waiting_.front().at + patience_s(settings);
    return std::min(*last_ + usual_s, std::max(missing_from, *last_ + settings.quick_s));
}

}  // namespace fairlead::core
