// SPDX-License-Identifier: Apache-2.0
#include "detours/detour.hpp"

#include <algorithm>
#include <cmath>

#include "detours/way_queue.hpp"
#include "fairlead/core/congestion_level.hpp"

namespace fairlead::core {

namespace {
constexpr int kAskDirectly = 2;  // missing echoes
}  // namespace

Detour::Detour(const Job& job, HostId destination, HostId relay, bool manual, Time now)
    : job_(&job),
      destination_(destination),
      relay_(relay),
      manual_(manual),
      since_(now),
      next_direct_(now + job.settings.detour.direct_period_s),
      next_legs_(is_way(relay) ? HUGE_VAL : now + job.settings.detour.legs_period_s) {}

void Detour::measure(Paths& paths, Time now, Random& random, Outbox& out) {
    if (now >= next_direct_) {
        paths.probes().burst(destination_, now, out.actions());
        // At random: a queue of few streams rises and falls with a period of its own, and may be empty half of the
        // time.
        next_direct_ = now + job_->settings.detour.direct_period_s * (0.5 + random.uniform());
    }
    if (now >= next_legs_) check_legs(paths, now, out);
}

void Detour::check_legs(Paths& paths, Time now, Outbox& out) {
    if (is_way(relay_)) return;
    const Time last = next_legs_ - job_->settings.detour.legs_period_s;
    if (now < next_legs_ && now - last < job_->settings.detour.legs_apart_s) return;
    next_legs_ = now + job_->settings.detour.legs_period_s;
    legs_awaited_ = true;
    legs_token_ = out.token();
    paths.probes().burst(relay_, now, out.actions());
    out.send(relay_, wire::PathQuery{legs_token_, destination_});
}

bool Detour::take(HostId from, const wire::PathReport& report) {
    if (relay_ != from || !legs_awaited_ || legs_token_ != report.token) return false;
    legs_awaited_ = false;
    second_ = leg_of(report);
    return true;
}

bool Detour::slow(const Paths& paths, const Traffic& traffic, Time now) const {
    if (legs_awaited_ || !second_) return false;
    const Time asked_at = next_legs_ - job_->settings.detour.legs_period_s;
    const DelayWindow::Summary first = paths.probes().forward(relay_, asked_at);
    if (first.samples < job_->settings.congestion_level.min_samples) return false;
    const double second_s = second_->usable ? second_->queue_delay_s : 0.0;
    return first.low_s + second_s >= paths.leave_threshold_s(destination_) && !fills(paths, traffic, now);
}

bool Detour::way_slow(const Paths& paths, const Traffic& traffic, Time now) const {
    const std::optional<double> queue_s = way_queue_s(paths, now);
    return queue_s && *queue_s >= paths.leave_threshold_s(destination_) && !fills(paths, traffic, now);
}

/// Nothing: it leads over a relay, or it is not known yet.
std::optional<double> Detour::way_queue_s(const Paths& paths, Time now) const {
    if (!is_way(relay_) || echoes_.recent().size() < EchoWatch::kRecent) return std::nullopt;
    const Time recent = now - 4.0 * job_->settings.detour.direct_period_s;
    double least_s = HUGE_VAL;
    for (const EchoTime& echo : echoes_.recent()) {
        least_s = std::min(least_s, core::way_queue_s(paths, destination_, echo, recent));
    }
    return least_s;
}

bool Detour::fills(const Paths& paths, const Traffic& traffic, Time now) const {
    if (is_way(relay_)) {
        const double whole_bps = paths.base().throughput_bps(job_->path_to(destination_)).value_or(0.0);
        return whole_bps > 0.0 && traffic.rate_bps(destination_, now) >= job_->settings.detour.fills_share * whole_bps;
    }
    const double first_bps = paths.base().throughput_bps(job_->path_to(relay_)).value_or(0.0);
    const double second_bps = paths.base().throughput_bps({relay_, destination_}).value_or(0.0);
    const double narrow_bps = first_bps > 0.0 && second_bps > 0.0 ? std::min(first_bps, second_bps) : 0.0;
    return narrow_bps > 0.0 && traffic.rate_bps(destination_, now) >= job_->settings.detour.fills_share * narrow_bps;
}

bool Detour::direct_queues_longer(const Paths& paths, Time now) const {
    const double absorbed_s = paths.probes().absorbed_s(destination_);
    if (!is_way(relay_) || absorbed_s <= 0.0) return false;
    const std::optional<double> queue_s = way_queue_s(paths, now);
    if (!queue_s) return true;
    const Time recent = now - 2.0 * job_->settings.detour.direct_period_s;
    const double free_s = std::max(0.0, paths.base_latency_s(job_->path_to(destination_)) - absorbed_s);
    return paths.probes().forward_raw_s(destination_, recent) >=
           *queue_s + level_threshold_s(CongestionLevel::medium, free_s, job_->settings.congestion_level);
}

std::optional<double> Detour::latency_s(const Paths& paths, const Traffic& traffic, Time now) const {
    if (is_way(relay_)) {
        const LegState whole{way_queue_s(paths, now).value_or(0.0), paths.probes().half_round_trip_s(destination_),
                             true};
        return direct_latency_s(paths.base(), job_->path_to(destination_), whole, traffic.mix(destination_));
    }
    LegState first = paths.state(relay_, now - 2.0 * job_->settings.detour.legs_period_s);
    first.usable = true;
    return detour_latency_s(paths.base(), job_->path_to(destination_), relay_, first, second_.value_or(LegState{}),
                            traffic.mix(destination_), job_->settings.choice);
}

void Detour::send_echo(Time now, Outbox& out) {
    const wire::Echo echo{out.token(), job_->self, destination_, relay_, 0};
    if (job_->proves) {
        out.emit(SendEcho{echo, false});
    } else {
        out.send(relay_, echo);
    }
    if (echoes_.missing(job_->settings.echo, now) >= kAskDirectly) {
        if (!asked_directly_) asked_directly_ = now;
        out.send(destination_, wire::Heartbeat{false});
    } else {
        asked_directly_.reset();
    }
    echoes_.sent(echo.token, now);
}

Time Detour::next_echo(bool in_use) const {
    const EchoSettings& settings = job_->settings.echo;
    return echoes_.next(in_use ? settings.period_s : settings.idle_s, settings);
}

}  // namespace fairlead::core
