// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/clock_sync.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::core {

namespace {

constexpr double kNanosecond_s = 1e-9;
constexpr std::size_t kBuckets = 64;
constexpr double kFirstBucketWidth_s = 0.5;
// Over a span much shorter than this, noise of the limits says more than drift does: prefer no drift.
constexpr double kDriftPenalty_s = 0.5;
constexpr int kSearchSteps = 60;
// How far off a message's time has to be for a stepped clock: drift that changes and time stamps do less, and a message
// that waits a second is rare, and looked into for nothing.
constexpr double kStep_s = 0.010;
constexpr double kLongestWay_s = 1.0;
constexpr std::int64_t kFar_ns = std::int64_t{1} << 60;       // 36 years
constexpr std::int64_t kFarthest_ns = std::int64_t{1} << 62;  // 146 years

/// Whether differences of the two can be relied on.
bool near(std::int64_t stamp_ns, std::int64_t reference_ns) {
    std::int64_t distance_ns = 0;
    return !__builtin_sub_overflow(stamp_ns, reference_ns, &distance_ns) && distance_ns <= kFar_ns &&
           distance_ns >= -kFar_ns;
}

/// Whether it can be a clock's: differences of such stamps do not overflow.
bool possible(std::int64_t stamp_ns) {
    return stamp_ns <= kFarthest_ns && stamp_ns >= -kFarthest_ns;
}

/// Place of the maximum of a concave function on [low, high].
template <typename F>
double maximize(F f, double low, double high) {
    for (int i = 0; i < kSearchSteps; ++i) {
        const double a = low + (high - low) / 3.0;
        const double b = high - (high - low) / 3.0;
        if (f(a) < f(b)) {
            low = a;
        } else {
            high = b;
        }
    }
    return (low + high) / 2.0;
}

/// The point between `inside` (where the predicate holds) and `outside` up to which it holds.
template <typename Predicate>
double edge(Predicate holds, double inside, double outside) {
    if (holds(outside)) return outside;
    for (int i = 0; i < kSearchSteps; ++i) {
        const double middle = (inside + outside) / 2.0;
        (holds(middle) ? inside : outside) = middle;
    }
    return inside;
}

}  // namespace

ClockSync::ClockSync(double max_drift, double wander)
    : max_drift_(max_drift), wander_(wander), bucket_width_s_(kFirstBucketWidth_s) {}

double ClockSync::own_x(std::int64_t own_ns) const {
    return static_cast<double>(own_ns - own_reference_ns_) * kNanosecond_s;
}

double ClockSync::peer_x(std::int64_t peer_ns) const {
    return static_cast<double>(peer_ns - peer_reference_ns_) * kNanosecond_s;
}

ClockSync::Corridor ClockSync::corridor(double drift) const {
    Corridor range{-HUGE_VAL, HUGE_VAL};
    for (const Bucket& bucket : buckets_) {
        range.high = std::min(range.high, bucket.upper.y - drift * bucket.upper.x);
        range.low = std::max(range.low, bucket.lower.y - drift * bucket.lower.x);
    }
    return range;
}

std::optional<Queueing> ClockSync::add(const Exchange& exchange) {
    const auto [t1, t2, t3, t4] = exchange;
    // Compared as unsigned differences only after the order is known, so that no stamp can overflow.
    if (t4 < t1 || t3 < t2) return std::nullopt;
    const auto whole = static_cast<std::uint64_t>(t4) - static_cast<std::uint64_t>(t1);
    const auto held = static_cast<std::uint64_t>(t3) - static_cast<std::uint64_t>(t2);
    if (held > whole) return std::nullopt;
    const bool all_possible = possible(t1) && possible(t2) && possible(t3) && possible(t4);
    if (!all_possible || !near(t4, t1) || !near(t3, t2)) return std::nullopt;
    const bool far = !near(t1, own_reference_ns_) || !near(t4, own_reference_ns_) || !near(t2, peer_reference_ns_) ||
                     !near(t3, peer_reference_ns_);
    if (buckets_.empty() || far) begin_at(t1, t2);
    const Limit upper{own_x(t1), peer_x(t2) - own_x(t1)};
    const Limit lower{own_x(t4), peer_x(t3) - own_x(t4)};
    const double round_trip_s = static_cast<double>(whole - held) * kNanosecond_s;

    const std::size_t before = buckets_.size();
    store(upper, lower);
    if (buckets_.size() != before || corridor(drift_).width() < 0.0) refit(upper, lower);
    const Corridor range = corridor(drift_);
    return Queueing{std::max(0.0, upper.y - drift_ * upper.x - range.high),
                    std::max(0.0, range.low - (lower.y - drift_ * lower.x)), round_trip_s};
}

/// Of a clock that has stepped so far, as that of a machine without one of its own does once it hears the time, nothing
/// is kept.
void ClockSync::begin_at(std::int64_t own_ns, std::int64_t peer_ns) {
    if (!buckets_.empty()) ++steps_;
    buckets_.clear();
    bucket_width_s_ = kFirstBucketWidth_s;
    drift_ = 0.0;
    own_reference_ns_ = own_ns;
    peer_reference_ns_ = peer_ns;
}

void ClockSync::store(Limit upper, Limit lower) {
    if (buckets_.empty() || upper.x >= buckets_.back().begin + bucket_width_s_) {
        if (buckets_.size() == kBuckets) merge_buckets();
        buckets_.push_back(Bucket{upper.x, upper, lower});
        return;
    }
    Bucket& bucket = buckets_.back();
    if (upper.y - drift_ * upper.x < bucket.upper.y - drift_ * bucket.upper.x) bucket.upper = upper;
    if (lower.y - drift_ * lower.x > bucket.lower.y - drift_ * bucket.lower.x) bucket.lower = lower;
}

/// Halves the number of buckets and doubles their width: memory stays bounded, and the minimum is never forgotten, so
/// that congestion that lasts for minutes does not become the normal state.
void ClockSync::merge_buckets() {
    std::vector<Bucket> merged;
    merged.reserve(kBuckets);
    for (std::size_t i = 0; i + 1 < buckets_.size(); i += 2) {
        const Bucket& a = buckets_[i];
        const Bucket& b = buckets_[i + 1];
        const bool upper_a = a.upper.y - drift_ * a.upper.x <= b.upper.y - drift_ * b.upper.x;
        const bool lower_a = a.lower.y - drift_ * a.lower.x >= b.lower.y - drift_ * b.lower.x;
        merged.push_back(Bucket{a.begin, upper_a ? a.upper : b.upper, lower_a ? a.lower : b.lower});
    }
    buckets_ = std::move(merged);
    bucket_width_s_ *= 2.0;
}

/// The widest corridor, and all drifts that leave one. False if there is none.
bool ClockSync::fit() {
    const auto slack = [this](double drift) { return corridor(drift).width() - kDriftPenalty_s * std::abs(drift); };
    const auto fits = [this](double drift) { return corridor(drift).width() >= 0.0; };
    drift_ = maximize(slack, -max_drift_, max_drift_);
    if (!fits(drift_)) {
        // The penalty may have pulled the maximum out of a narrow corridor.
        drift_ = maximize([this](double drift) { return corridor(drift).width(); }, -max_drift_, max_drift_);
        if (!fits(drift_)) return false;
    }
    drift_low_ = edge(fits, drift_, -max_drift_);
    drift_high_ = edge(fits, drift_, max_drift_);
    return true;
}

/// Fits; where no line fits any more, a clock stepped or its drift changed: older exchanges are dropped by halves.
void ClockSync::refit(Limit upper, Limit lower) {
    while (!fit()) {
        ++steps_;
        if (buckets_.size() > 1) {
            buckets_.erase(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(buckets_.size() / 2));
        } else {
            buckets_.assign(1, Bucket{upper.x, upper, lower});
            bucket_width_s_ = kFirstBucketWidth_s;
            drift_ = 0.0;
            drift_low_ = -max_drift_;
            drift_high_ = max_drift_;
            return;
        }
    }
}

/// Middle of all offsets at x (from the references) that some fitting line passes through.
double ClockSync::middle(double x, double* error_s) const {
    const auto highest = [&](double drift) { return corridor(drift).high + drift * x; };
    const auto lowest = [&](double drift) { return -(corridor(drift).low + drift * x); };
    const double high = highest(maximize(highest, drift_low_, drift_high_));
    const double low = -lowest(maximize(lowest, drift_low_, drift_high_));
    if (error_s != nullptr) {
        *error_s = std::max(0.0, (high - low) / 2.0) + wander_ * std::abs(x - buckets_.front().begin);
    }
    return (high + low) / 2.0;
}

std::optional<ClockEstimate> ClockSync::at(std::int64_t own_ns) const {
    if (buckets_.empty()) return std::nullopt;
    ClockEstimate estimate;
    const double y = middle(own_x(own_ns), &estimate.error_s);
    estimate.offset_s =
        (static_cast<double>(peer_reference_ns_) - static_cast<double>(own_reference_ns_)) * kNanosecond_s + y;
    estimate.drift = drift_;
    return estimate;
}

bool ClockSync::contradicted_by(std::int64_t sent_peer_ns, std::int64_t received_own_ns) const {
    if (buckets_.empty()) return false;
    if (!near(sent_peer_ns, peer_reference_ns_) || !near(received_own_ns, own_reference_ns_)) return true;
    const double x = own_x(received_own_ns);
    const double at_x = peer_x(sent_peer_ns) - x - drift_ * x;
    const Corridor range = corridor(drift_);
    const double unsure_s = (drift_high_ - drift_low_) * std::abs(x - buckets_.back().begin);
    return at_x > range.high + kStep_s + unsure_s || at_x < range.low - kLongestWay_s - unsure_s;
}

std::optional<double> ClockSync::forward_s(std::int64_t sent_own_ns, std::int64_t received_peer_ns) const {
    if (buckets_.empty()) return std::nullopt;
    const double sent = own_x(sent_own_ns);
    return peer_x(received_peer_ns) - sent - middle(sent, nullptr);
}

std::optional<std::int64_t> ClockSync::free_departure_ns(std::int64_t received_peer_ns) const {
    if (buckets_.empty() || !near(received_peer_ns, peer_reference_ns_)) return std::nullopt;
    const double x = (peer_x(received_peer_ns) - corridor(drift_).high) / (1.0 + drift_);
    return own_reference_ns_ + static_cast<std::int64_t>(x / kNanosecond_s);
}

}  // namespace fairlead::core
