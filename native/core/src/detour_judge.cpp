// SPDX-License-Identifier: Apache-2.0
#include "detour_judge.hpp"

namespace fairlead::core {

namespace {
constexpr double kLeastBusy_s = 0.012;  // the kernel counts busy time in ticks of up to 4 ms
}  // namespace

DetourJudge::Verdict DetourJudge::add(const SocketSample& sample, Time now) {
    history_[next_] = Point{now, sample.delivered_B, sample.busy_s};
    next_ = (next_ + 1) % kHistory;
    if (now < deaf_until_) return Verdict::none;
    const std::optional<Service> got = meter_.add(sample, now);
    if (!got) return Verdict::none;
    return away_ ? on_detour(*got) : on_direct(*got);
}

DetourJudge::Verdict DetourJudge::on_direct(const Service& got) {
    direct_ = got;
    if (compared_) {
        const bool pays = compared_->rate_bps >= (1.0 + settings_.margin) * got.rate_bps;
        compared_.reset();
        reference_ = pays ? std::nullopt : direct_;
        return pays ? Verdict::detour_pays : Verdict::direct_pays;
    }
    if (!reference_ || got.rate_bps >= settings_.collapse * reference_->rate_bps) return Verdict::none;
    reference_.reset();
    return Verdict::worse;
}

/// A detour that gives about what the pair had, or much more than it had under congestion, needs no trial; neither does
/// that of a pair that sent too little under congestion to tell, for it has little to lose.
DetourJudge::Verdict DetourJudge::on_detour(const Service& got) {
    if (judged_) return Verdict::none;
    judged_ = true;
    if (!congested_) return Verdict::none;
    const bool kept = direct_ && got.rate_bps >= settings_.kept * direct_->rate_bps;
    const bool gained = got.rate_bps >= settings_.gained * congested_->rate_bps;
    if (kept || gained) return Verdict::none;
    detour_ = got;
    return Verdict::doubtful;
}

void DetourJudge::left_direct(Time since, Time now) {
    congested_ = service_since(since);
    reference_.reset();
    restart(true, now);
}

void DetourJudge::changed_detour(Time now) {
    restart(true, now);
}

void DetourJudge::returned(bool for_trial, Time now) {
    compared_ = for_trial ? detour_ : std::nullopt;
    restart(false, now);
}

void DetourJudge::restart(bool away, Time now) {
    away_ = away;
    judged_ = false;
    detour_.reset();
    meter_.restart();
    deaf_until_ = now + settings_.deaf_s;
}

std::optional<Service> DetourJudge::service_since(Time since) const {
    const Point& last = history_[(next_ + kHistory - 1) % kHistory];
    const Point* first = &last;
    // Others may have told of the congestion just now: then the little time before it counts as well.
    for (std::size_t age = 1; age < kHistory && (first->at > since || last.busy_s - first->busy_s < kLeastBusy_s);
         ++age) {
        const Point& older = history_[(next_ + kHistory - 1 - age) % kHistory];
        if (older.at < 0.0 || older.delivered_B > first->delivered_B) break;
        first = &older;
    }
    const double busy_s = last.busy_s - first->busy_s;
    if (busy_s < kLeastBusy_s) return std::nullopt;
    return Service{8.0 * static_cast<double>(last.delivered_B - first->delivered_B) / busy_s, 0.0};
}

}  // namespace fairlead::core
