// SPDX-License-Identifier: Apache-2.0
#include "roles/relay_desk.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::core {

namespace {
constexpr double kEnoughShare = 0.5;  // of the budget
}  // namespace

RelayDesk::RelayDesk(HostId host_count, double budget_bps, const RelaySettings& settings)
    : host_count_(host_count), budget_bps_(budget_bps), settings_(settings) {}

double RelayDesk::granted_bps() const {
    double sum = 0.0;
    for (const Grant& grant : grants_) sum += grant.rate_bps;
    return sum;
}

void RelayDesk::on_interface(double rate_bps) {
    measured_bps_ = rate_bps;
    highest_bps_ = std::max(highest_bps_, rate_bps);
}

/// What all that passes the interface is held against. The budget comes of one connection to one host, and an interface
/// may carry many of those at once.
double RelayDesk::whole_bps() const {
    return std::max(budget_bps_, highest_bps_);
}

/// What this pair gets if all that are granted share alike what others leave of the interface.
double RelayDesk::fair_bps(Pair path) const {
    const auto others =
        std::ranges::count_if(grants_, [&](const Grant& g) { return g.path != path && g.rate_bps > 0; });
    const double foreign_bps = std::max(0.0, measured_bps_ - granted_bps());
    return std::min(budget_bps_, whole_bps() - foreign_bps) / static_cast<double>(others + 1);
}

bool RelayDesk::request(Pair path, double rate_bps, double least_bps, Time now) {
    if (!valid(path, host_count_)) return false;
    const auto same = std::find_if(grants_.begin(), grants_.end(), [&](const Grant& g) { return g.path == path; });
    const double present_bps = same != grants_.end() ? same->rate_bps : 0.0;
    const double granted_to_others_bps = granted_bps() - present_bps;
    const double others_bps = std::max(granted_to_others_bps, measured_bps_ - present_bps);
    // A single grant may exceed what is left: half of a relay is still better than a congested path.
    const bool only = granted_to_others_bps <= 0.0;
    const bool enough = same != grants_.end() || others_bps <= (1.0 - kEnoughShare) * whole_bps();
    const bool room = granted_to_others_bps + rate_bps <= budget_bps_ && others_bps + rate_bps <= whole_bps();
    if (rate_bps > 0.0 && budget_bps_ > 0.0 && !(only && enough) && !room) {
        const double fair_bps = this->fair_bps(path);
        if (least_bps <= 0.0 || least_bps > fair_bps) return false;
        rate_bps = std::min(rate_bps, fair_bps);
    }
    if (same != grants_.end()) {
        *same = Grant{path, rate_bps, now};
    } else {
        grants_.push_back(Grant{path, rate_bps, now});
    }
    return true;
}

void RelayDesk::release(Pair path) {
    std::erase_if(grants_, [&](const Grant& grant) { return grant.path == path; });
}

void RelayDesk::renew(Pair path, double rate_bps, Time now) {
    if (!valid(path, host_count_)) return;
    const auto same = std::find_if(grants_.begin(), grants_.end(), [&](const Grant& g) { return g.path == path; });
    if (same != grants_.end()) {
        same->renewed = now;
    } else {
        const double share_bps = budget_bps_ > 0.0 ? std::max(0.0, fair_bps(path)) : rate_bps;
        grants_.push_back(Grant{path, std::min(rate_bps, share_bps), now});
    }
}

void RelayDesk::forget(HostId source) {
    std::erase_if(grants_, [&](const Grant& grant) { return grant.path.source == source; });
}

void RelayDesk::expire(Time now) {
    std::erase_if(grants_, [&](const Grant& grant) { return now - grant.renewed >= settings_.lease_s; });
}

std::vector<Pair> RelayDesk::granted() const {
    std::vector<Pair> paths;
    paths.reserve(grants_.size());
    for (const Grant& grant : grants_) paths.push_back(grant.path);
    return paths;
}

double RelayDesk::load() const {
    return budget_bps_ > 0.0 ? std::max(granted_bps() / budget_bps_, measured_bps_ / whole_bps())
                             : static_cast<double>(grants_.size());
}

Time RelayDesk::next_deadline() const {
    Time next = HUGE_VAL;
    for (const Grant& grant : grants_) next = std::min(next, grant.renewed + settings_.lease_s);
    return next;
}

}  // namespace fairlead::core
