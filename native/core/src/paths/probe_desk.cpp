// SPDX-License-Identifier: Apache-2.0
#include "paths/probe_desk.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::core {

ProbeDesk::ProbeDesk(HostId self, HostId host_count, const Settings& settings)
    : self_(self),
      settings_(settings),
      paths_(host_count),
      backgrounds_(host_count, self),
      tokens_(settings.probes.max_probes_at_once) {}

void ProbeDesk::refill(Time now) {
    tokens_ =
        std::min(settings_.probes.max_probes_at_once, tokens_ + (now - refilled_) * settings_.probes.max_rate_per_s);
    refilled_ = now;
}

double ProbeDesk::cost(HostId peer, int count) const {
    return std::min(count * paths_[peer].price, settings_.probes.max_probes_at_once);
}

bool ProbeDesk::affordable(HostId peer, Time now) {
    refill(now);
    return tokens_ >= cost(peer, settings_.probes.burst);
}

bool ProbeDesk::overdrawable(Time now) {
    refill(now);
    return tokens_ >= -0.5 * settings_.probes.max_probes_at_once;
}

Burst& ProbeDesk::start(HostId peer, int count, Time now, std::vector<Action>& out) {
    Path& path = paths_[peer];
    refill(now);
    // Urgent bursts may overdraw, once the whole budget at most: what is not urgent then waits the longer.
    tokens_ = std::max(tokens_ - cost(peer, count), -settings_.probes.max_probes_at_once);
    if (path.bursts.size() == kBurstsKept) path.bursts.erase(path.bursts.begin());
    Burst burst;
    burst.id = next_id_++;
    burst.peer = peer;
    burst.started = now;
    burst.deadline =
        now + (count - 1) * settings_.probes.spacing_s + settings_.probes.answer_timeout_s + path.round_trip_s;
    burst.sent = count;
    path.bursts.push_back(burst);
    open_.insert(peer);
    out.emplace_back(std::in_place_type<SendProbes>, SendProbes{peer, burst.id, count, settings_.probes.spacing_s});
    return path.bursts.back();
}

std::uint32_t ProbeDesk::burst(HostId peer, Time now, std::vector<Action>& out) {
    for (const Burst& running : paths_[peer].bursts) {
        if (!running.done && running.sent >= settings_.probes.burst &&
            running.started >= now - settings_.probes.spacing_s) {
            return running.id;
        }
    }
    return start(peer, settings_.probes.burst, now, out).id;
}

std::optional<Burst> ProbeDesk::on_result(const ProbeResult& result, Time now) {
    Path& path = paths_[result.peer];
    if (!result.lost) {
        path.forward.add(result.forward_queue_s, result.sent_at);
        path.backward.add(result.backward_queue_s, result.sent_at);
        if (result.round_trip_s > 0.0 &&
            (path.min_round_trip_s <= 0.0 || result.round_trip_s < path.min_round_trip_s)) {
            path.min_round_trip_s = result.round_trip_s;
        }
    }
    for (Burst& burst : path.bursts) {
        if (burst.id != result.burst || burst.done) continue;
        ++(result.lost ? burst.lost : burst.answered);
        burst.run_delay_s = std::max(burst.run_delay_s, result.peer_run_delay_s);
        // The first answer shows how slow the path is: the others get the same time.
        if (burst.answered == 1) {
            burst.deadline = std::max(burst.deadline, now + (burst.sent - 1) * settings_.probes.spacing_s +
                                                          settings_.probes.answer_timeout_s / 2.0);
        }
        burst.done = burst.answered + burst.lost >= burst.sent;
        if (!burst.done) break;
        close(result.peer);
        return burst;
    }
    return std::nullopt;
}

void ProbeDesk::close(HostId peer) {
    if (std::ranges::all_of(paths_[peer].bursts, &Burst::done)) open_.erase(peer);
}

void ProbeDesk::on_run_delay(double run_delay_s) {
    for (const HostId peer : open_) {
        for (Burst& burst : paths_[peer].bursts) {
            if (!burst.done) burst.run_delay_s = std::max(burst.run_delay_s, run_delay_s);
        }
    }
}

std::vector<Burst> ProbeDesk::expire(Time now) {
    std::vector<Burst> expired;
    for (const HostId peer : open_) {
        for (Burst& burst : paths_[peer].bursts) {
            if (burst.done || now < burst.deadline) continue;
            burst.done = true;
            expired.push_back(burst);
        }
    }
    for (const Burst& burst : expired) close(burst.peer);
    return expired;
}

double ProbeDesk::host_share() const {
    return std::max(1.0, static_cast<double>(paths_.size()) / settings_.probes.hosts_at_full_rate);
}

/// The pauses grow: how far a clock may have drifted meanwhile is the better known the longer it was watched.
double ProbeDesk::next_pause_s(double pause_s) const {
    const ProbeSettings& probes = settings_.probes;
    const double grown_s =
        pause_s > 0.0 ? pause_s * probes.background_growth : probes.background_period_s * host_share();
    return std::min(grown_s, probes.background_max_s * host_share());
}

void ProbeDesk::background(Time now, std::vector<Action>& out) {
    if (!started_) {
        const double within_s = std::min(next_pause_s(0.0), settings_.probes.first_contacts_s * host_share());
        // Staggered, so that no host is probed by all others at the same moment.
        const auto hosts = static_cast<HostId>(paths_.size());
        for (HostId peer = 0; peer < hosts; ++peer) {
            const int turn = (peer + hosts - self_) % hosts;
            if (peer != self_) backgrounds_.set(peer, now + within_s * turn / static_cast<double>(hosts));
        }
        started_ = true;
    }
    if (now < backgrounds_.next()) return;
    int together = 0;
    for (HostId peer = 0; peer < paths_.size(); ++peer) {
        Path& path = paths_[peer];
        const Time due = backgrounds_.at(peer);
        if (now < due - settings_.probes.background_slack * path.background_s) continue;
        // No more at once, if it need not be, than in a small job: they would queue behind each other.
        if (now < due && together >= settings_.probes.hosts_at_full_rate) continue;
        ++together;
        // The first contact is a burst: the minimum and the clock should be known early.
        start(peer, path.background_s > 0.0 ? 1 : settings_.probes.burst, now, out);
        path.background_s = next_pause_s(path.background_s);
        backgrounds_.set(peer, now + path.background_s);
    }
}

void ProbeDesk::meet_now(HostId peer, Time now) {
    const bool waits = host_share() > 1.0;  // else its turn is soon enough
    if (waits && paths_[peer].background_s <= 0.0) bring_forward(peer, now);
}

void ProbeDesk::meet_again(HostId peer, Time now) {
    Path& path = paths_[peer];
    if (path.background_s <= next_pause_s(0.0)) return;
    path.background_s = 0.0;
    bring_forward(peer, now);
}

void ProbeDesk::bring_forward(HostId peer, Time to) {
    backgrounds_.set(peer, std::min(backgrounds_.at(peer), to));
}

std::optional<Burst> ProbeDesk::find(HostId peer, std::uint32_t id) const {
    for (const Burst& burst : paths_[peer].bursts) {
        if (burst.id == id) return burst;
    }
    return std::nullopt;
}

std::optional<Burst> ProbeDesk::completed_since(HostId peer, Time from) const {
    const std::vector<Burst>& bursts = paths_[peer].bursts;
    for (auto burst = bursts.rbegin(); burst != bursts.rend(); ++burst) {
        if (burst->done && burst->started >= from && burst->sent >= settings_.probes.burst) return *burst;
    }
    return std::nullopt;
}

DelayWindow::Summary ProbeDesk::forward(HostId peer, Time from) const {
    const Path& path = paths_[peer];
    DelayWindow::Summary summary = path.forward.summary(from, settings_.congestion_level);
    if (summary.samples == 0) return summary;
    const double absorbed_s = path.absorbed_s - path.hidden_s;
    summary.typical_s = std::max(0.0, summary.typical_s - absorbed_s);
    summary.low_s = std::max(0.0, summary.low_s - absorbed_s);
    summary.most_s = std::max(0.0, summary.most_s - absorbed_s);
    return summary;
}

/// No shift is taken off: this host learns those of its own paths only. It is the peer's path, and the peer, when a
/// notice makes it look, judges by the base that it has learnt itself.
DelayWindow::Summary ProbeDesk::backward(HostId peer, Time from) const {
    return paths_[peer].backward.summary(from, settings_.congestion_level);
}

void ProbeDesk::absorb(HostId peer, double shift_s) {
    paths_[peer].absorbed_s = std::max(0.0, paths_[peer].absorbed_s + shift_s);
}

double ProbeDesk::standing_s(HostId peer, Time from, Time to) const {
    // Probes are a spacing apart, and more if the agent had to wait for a core.
    const double bridge_s = 1.5 * settings_.probes.spacing_s;
    return paths_[peer].forward.standing_s(from, to, bridge_s, paths_[peer].absorbed_s - paths_[peer].hidden_s);
}

double ProbeDesk::forward_raw_s(HostId peer, Time from) const {
    return paths_[peer].forward.summary(from, settings_.congestion_level).typical_s + paths_[peer].hidden_s;
}

Time ProbeDesk::next_deadline(bool with_background) const {
    Time next = with_background ? backgrounds_.next() : HUGE_VAL;
    for (const HostId peer : open_) {
        for (const Burst& burst : paths_[peer].bursts) {
            if (!burst.done) next = std::min(next, burst.deadline);
        }
    }
    return next;
}

}  // namespace fairlead::core
