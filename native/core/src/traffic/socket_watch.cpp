// SPDX-License-Identifier: Apache-2.0
#include "traffic/socket_watch.hpp"

#include <algorithm>
#include <utility>

#include "fairlead/core/congestion_level.hpp"

namespace fairlead::core {

namespace {
// Samples that are kept are at least this far apart: many load queries in a row would shorten the history.
constexpr double kApart_s = 0.010;
// Of the time between two samples: a pair that had bytes to send for that much of it sent them without a break.
constexpr double kWithoutBreak = 0.95;
}  // namespace

void SocketWatch::store(const SocketSample& sample, Time now) {
    if (count_ > 1 && now - ago(1).at < kApart_s) {
        next_ = (next_ + kHistory - 1) % kHistory;
        --count_;
    }
    history_[next_] = Point{now, sample.delivered_B, sample.retransmits, sample.busy_s, sample.in_flight_B};
    next_ = (next_ + 1) % kHistory;
    count_ = std::min(count_ + 1, kHistory);
}

const SocketWatch::Point& SocketWatch::before_window(Time now, double window_s) const {
    std::size_t age = 0;
    while (age + 1 < count_ && ago(age).at > now - window_s) ++age;
    return ago(age);
}

double SocketWatch::rate_bps(Time now, double window_s) const {
    if (count_ < 2) return 0.0;
    const Point& from = before_window(now, window_s);
    const double elapsed_s = now - from.at;
    if (elapsed_s <= 0.0) return 0.0;
    return 8.0 * static_cast<double>(ago(0).delivered_B - from.delivered_B) / elapsed_s;
}

double SocketWatch::service_of_late_bps(Time now) const {
    if (count_ < 2) return 0.0;
    const Point& from = before_window(now, kOfLate_s);
    const double busy_s = ago(0).busy_s - from.busy_s;
    return busy_s > 0.0 ? 8.0 * static_cast<double>(ago(0).delivered_B - from.delivered_B) / busy_s : 0.0;
}

std::uint64_t SocketWatch::burst_B() const {
    std::uint64_t most_B = 0;
    std::uint64_t from_B = 0;  // delivered before what was under way without a break
    for (std::size_t age = count_; age-- > 0;) {
        const Point& now = ago(age);
        if (now.at < ago(0).at - kOfLate_s) {
            from_B = now.delivered_B;
            continue;
        }
        const bool goes_on = age + 1 < count_ && now.in_flight_B > 0 && ago(age + 1).in_flight_B > 0 &&
                             now.busy_s - ago(age + 1).busy_s >= kWithoutBreak * (now.at - ago(age + 1).at);
        if (!goes_on) from_B = now.delivered_B;
        most_B = std::max(most_B, now.delivered_B - from_B + now.in_flight_B);
    }
    return most_B;
}

std::uint64_t SocketWatch::retransmits(Time now, double window_s) const {
    if (count_ < 2) return 0;
    return ago(0).retransmits - before_window(now, window_s).retransmits;
}

bool SocketWatch::paused(Suspicion sign, const Settings& settings, Time now) const {
    if (backoff_s_ <= 0.0 || now >= look_again_) return false;
    if ((cleared_signs_ & (1U << static_cast<unsigned>(sign))) == 0) return false;
    return sign != Suspicion::delay || !grown(settings);
}

bool SocketWatch::grown(const Settings& settings) const {
    const double cleared_s = std::max(cleared_srtt_s_, cleared_before_s_);
    return srtt_s_ > settings.suspicion.growth_factor * cleared_s + settings.congestion_level.floor_s;
}

void SocketWatch::watch_rate(const SocketSample& sample, double base_bps, const Settings& settings, Time now) {
    const double rate = rate_bps(now, settings.own_load.window_s);
    best_rate_bps_ = std::max(best_rate_bps_, rate);
    const double elapsed_s = count_ > 1 ? now - ago(1).at : 0.0;
    peak_rate_bps_ = std::max(rate, peak_rate_bps_ * std::max(0.0, 1.0 - elapsed_s / settings.relay.peak_memory_s));
    const bool is_short = sample.network_limited && base_bps > 0.0 && rate * settings.suspicion.rate_factor < base_bps;
    short_samples_ = is_short ? short_samples_ + 1 : 0;
}

Suspicion SocketWatch::on_sample(const SocketSample& given, double base_round_trip_s, double base_bps,
                                 const Settings& settings, Time now) {
    SocketSample sample = given;
    if (count_ > 0) {
        // Totals never fall; one that does is taken as it was.
        sample.delivered_B = std::max(sample.delivered_B, ago(0).delivered_B);
        sample.retransmits = std::max(sample.retransmits, ago(0).retransmits);
        if (now <= ago(0).at) return Suspicion::none;
    }
    const bool first = count_ == 0;
    if (first) first_ = now;
    const Point last = first ? Point{now, sample.delivered_B, sample.retransmits, sample.busy_s, 0} : ago(0);
    store(sample, now);
    const bool progress = sample.delivered_B > last.delivered_B;
    if (progress || sample.in_flight_B == 0 || first) {
        last_progress_ = now;
        progressed(now);
    }
    one_ = {now - sample.stuck_s, sample.stuck_retransmits};
    one_before_.retransmits = std::min(one_before_.retransmits, one_.retransmits);
    in_flight_B_ = sample.in_flight_B;
    rto_s_ = sample.rto_s;
    const bool acknowledges = !first && sample.received_B > last_received_B_;
    last_received_B_ = std::max(last_received_B_, sample.received_B);
    if (progress || sample.in_flight_B > 0 || acknowledges) {
        last_active_ = now;
        seen_ = true;
    }
    stalled_ = sample.in_flight_B > 0 && now - last_progress_ >= settings.suspicion.stall_s;
    watch_rate(sample, base_bps, settings, now);
    if (!progress && sample.in_flight_B == 0) {
        if (now - last_active_ >= settings.suspicion.active_s) slow_since_.reset();
        return Suspicion::none;
    }
    srtt_s_ = sample.srtt_s;
    watch_delay(sample, base_round_trip_s, settings, now);

    const Suspicion found = sign(sample, last, settings);
    if (found == Suspicion::none || paused(found, settings, now)) return Suspicion::none;
    last_sign_ = found;
    return found;
}

void SocketWatch::progressed(Time now) {
    together_ = {now, count_ > 0 ? ago(0).retransmits : 0};
}

void SocketWatch::begin_anew(Time now) {
    slow_since_.reset();
    progressed(now);
    one_before_ = {now, one_.retransmits};
}

bool SocketWatch::stuck(const SuspicionSettings& settings, Time now) const {
    // With the peer's window closed nothing is in flight.
    if (in_flight_B_ == 0 || rto_s_ <= 0.0 || count_ == 0) return false;
    const double wait_s = std::max(settings.stuck_s, settings.stuck_timeouts * rto_s_);
    const auto enough = static_cast<std::uint64_t>(settings.stuck_retransmits);
    const bool together = now - together_.since >= wait_s && ago(0).retransmits - together_.retransmits >= enough;
    const bool one =
        now - std::max(one_.since, one_before_.since) >= wait_s && one_.retransmits - one_before_.retransmits >= enough;
    return together || one;
}

void SocketWatch::watch_delay(const SocketSample& sample, double base_round_trip_s, const Settings& settings,
                              Time now) {
    double free_s = sample.min_rtt_s;
    if (base_round_trip_s > 0.0 && (free_s <= 0.0 || base_round_trip_s < free_s)) free_s = base_round_trip_s;
    const bool known = sample.srtt_s > 0.0 && free_s > 0.0;
    excess_s_ = known ? std::max(0.0, sample.srtt_s - free_s) : 0.0;
    if (!known || excess_s_ < level_threshold_s(CongestionLevel::medium, free_s, settings.congestion_level)) {
        slow_since_.reset();
    } else if (!slow_since_) {
        slow_since_ = now;
    }
}

Suspicion SocketWatch::sign(const SocketSample& sample, const Point& last, const Settings& settings) const {
    if (stalled_) return Suspicion::stall;
    const auto allowed = static_cast<std::uint64_t>(settings.suspicion.retransmits);
    if (sample.retransmits - last.retransmits >= allowed) return Suspicion::loss;
    if (slow_since_) return Suspicion::delay;
    return short_samples_ >= settings.suspicion.rate_samples ? Suspicion::shortfall : Suspicion::none;
}

void SocketWatch::cleared(const SuspicionSettings& settings, Time now) {
    if (now - look_again_ > settings.backoff_max_s) confirmed();  // the last false alarm is long past
    backoff_s_ = backoff_s_ > 0.0 ? std::min(2.0 * backoff_s_, settings.backoff_max_s) : settings.backoff_min_s;
    cleared_signs_ |= 1U << static_cast<unsigned>(last_sign_);
    cleared_before_s_ = std::exchange(cleared_srtt_s_, srtt_s_);
    look_again_ = now + backoff_s_;
}

}  // namespace fairlead::core
