// SPDX-License-Identifier: Apache-2.0
#include "reroutes/route_hold.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr double kLongestHold = 16.0;  // after trials in vain, of the longest hold
}  // namespace

/// Drawn: jobs that met on a detour must not all leave it in the same moment.
void RouteHold::hold(Time now, Random& random) {
    const double jitter = settings_.detour.hold_jitter;
    hold_until_ = now + hold_s_ * (1.0 - jitter + 2.0 * jitter * random.uniform());
}

/// Where a change improved nothing, as on paths that are all full, another would hardly do so: whoever goes on looking
/// chases others from path to path. It stays until others have come. A trial that improved nothing ends, for a detour
/// that does not pay can only cost. From relay to relay is none: what the pair had before was not the direct path.
/// A return that improved nothing was wrong: the direct path is full after all. That is no reason to stay there, and
/// says nothing against detours; the hold of the return, twice as long as that of the change before, is enough.
bool RouteHold::on_sample(const SocketSample& sample, bool on_detour, Time now, Random& random) {
    const DetourSettings& detour = settings_.detour;
    switch (judge_.add(sample, now)) {
        case ChangeJudge::Verdict::none:
            return false;
        case ChangeJudge::Verdict::worse:
            hold_s_ = detour.hold_s;
            hold_until_ = now;
            return false;
        case ChangeJudge::Verdict::lost:
            if (on_detour) {
                try_direct(now);
            } else {
                trust_detours(now);
            }
            return on_detour;
        case ChangeJudge::Verdict::in_vain:
            break;
    }
    if (unseen_ && on_trial_ && on_detour) {
        vain_hold_s_ = std::clamp(2.0 * vain_hold_s_, detour.hold_max_s, kLongestHold * detour.hold_max_s);
        unseen_until_ = now + vain_hold_s_;
        return true;
    }
    if (!on_detour) return false;
    hold_s_ = detour.hold_max_s;
    hold(now, random);
    if (!learns_ || !on_trial_) return false;
    vain_hold_s_ = std::clamp(2.0 * vain_hold_s_, detour.hold_max_s, kLongestHold * detour.hold_max_s);
    hold_until_ = now + vain_hold_s_;
    return true;
}

/// A detour that carries much less than the direct path did before the congestion may still carry more than the direct
/// path does now. Only a measurement tells: the pair returns, and may be rerouted again at once if it gets less there.
void RouteHold::try_direct(Time now) {
    vain_hold_s_ = settings_.detour.hold_max_s;
    hold_until_ = now + vain_hold_s_;
}

void RouteHold::trust_detours(Time now) {
    hold_until_ = unseen_until_ = now;
    trusted_until_ = now + settings_.detour.hold_max_s;
}

void RouteHold::rerouted(const Change& change, Time now, Random& random) {
    const DetourSettings& detour = settings_.detour;
    const bool soon = now - last_change_ < detour.hold_max_s;
    if (change.from_direct) left_direct_at_ = now;
    if (!change.manual) {
        if (change.from_direct) {
            const bool relapse = now - last_return_ < detour.relapse_s;
            dwell_s_ = relapse ? std::min(2.0 * dwell_s_, detour.dwell_max_s) : detour.dwell_s;
            if (change.away_for_s) dwell_s_ = std::max(dwell_s_, std::min(*change.away_for_s, detour.dwell_max_s));
        }
        if (!change.from_direct && soon) {
            hold_s_ = std::min(2.0 * hold_s_, detour.hold_max_s);
        } else if (!soon) {
            hold_s_ = detour.hold_s;
        }
        hold(now, random);
        last_change_ = now;
    }
    // What it got before its first reroute of late may be of the time before the congestion.
    unseen_ = change.unseen;
    const bool must_improve = learns_ || unseen_;
    const bool comparable = !change.from_direct || soon || must_improve;
    const bool chosen = !change.manual && !change.ahead;
    on_trial_ = change.from_direct && (must_improve || (chosen && now >= trusted_until_));
    judge_.changed(chosen && comparable, now, on_trial_ && !must_improve ? settings_.service.lost_share : 0.0,
                   change.manual || must_improve || now < trusted_until_ ? 0.0 : change.free_bps);
}

void RouteHold::restored(RestoreReason reason, bool manual, Time now, Random& random) {
    if (reason == RestoreReason::paused) {  // it says nothing about the paths
        hold_until_ = now;
        return judge_.changed(false, now, 0.0);
    }
    const DetourSettings& detour = settings_.detour;
    last_return_ = now;
    if (!manual) last_change_ = now;
    if (reason == RestoreReason::detour_slow) {
        hold_s_ = std::min(2.0 * hold_s_, detour.hold_max_s);
        hold(now, random);
    } else if (reason == RestoreReason::direct_good || reason == RestoreReason::idle) {
        // What was learnt on the detours ends with the congestion: the next one is left as soon as the first.
        hold_s_ = detour.hold_s;
        hold_until_ = now;
        vain_hold_s_ = 0.0;
        trusted_until_ = now;
    }
    const bool compares = reason == RestoreReason::in_vain && !learns_;
    judge_.changed(reason == RestoreReason::detour_slow, now, compares ? 1.0 / (1.0 + settings_.service.margin) : 0.0);
}

bool RouteHold::ready_for_trial(Time now) {
    if (now - congested_at_ > settings_.learn.memory_s) judge_.restart();
    congested_at_ = now;
    return judge_.ready();
}

}  // namespace fairlead::core
