// SPDX-License-Identifier: Apache-2.0
#include "plane/plane.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include "plane/filter.hpp"
#include "plane/footprint.hpp"
#include "plane/routing.hpp"
#include "protocol/names.hpp"

namespace fairlead::guardian {

namespace {

constexpr std::chrono::milliseconds kTearDownPatience{1000};
// That the kernel takes.
constexpr std::uint32_t least_ip_mtu_B(int family) {
    return family == AF_INET6 ? least_mtu_B(family) : 68;
}

void quietly(const std::string&, const std::string&) {}

// What the dead left. Throws KernelError EADDRINUSE if a guardian of our own job lives.
void remove_dead(Netlink& netlink, const std::string& own_job) {
    const std::vector<Footprint> footprints = survey(netlink);
    for (const Footprint& footprint : footprints)
        if (footprint.alive && footprint.job == own_job)
            throw KernelError(EADDRINUSE, "job " + own_job + " already has a guardian on this host");
    for (const Footprint& footprint : footprints)
        if (!footprint.alive) remove(netlink, footprint, false, quietly);
}

void remove_job(Netlink& netlink, const std::string& job) {
    for (const Footprint& footprint : survey(netlink))
        if (footprint.job == job) remove(netlink, footprint, false, quietly);
}

// The underlay's own value, if it has to be put back when the last overlay on this device goes: either we are about to
// change it, or another job has.
std::optional<std::uint32_t> rp_filter_to_restore(Netlink& netlink, const Underlay& underlay, const RpFilter& now) {
    if (now.strict()) return now.device;
    for (const DeviceRecord& other : list_devices(netlink))
        if (other.underlay == underlay.name && other.underlay_rp_filter) return other.underlay_rp_filter;
    return std::nullopt;
}

}  // namespace

KernelPlane::KernelPlane(Netlink& netlink, Setup setup, std::uint32_t user)
    : netlink_(netlink),
      setup_(std::move(setup)),
      underlay_(find_underlay(netlink, setup_.device, setup_.hosts[setup_.self].address)),
      user_(user),
      detours_(setup_.hosts.size()),
      tried_(setup_.hosts.size()) {
    const NamespaceLock lock = lock_namespace();
    remove_dead(netlink_, setup_.job);
    presence_ = claim_presence(setup_.job);  // only now, or our own job would seem alive
    std::optional<std::uint32_t> slot;
    try {
        slot = slot_ = free_slot(survey(netlink_), user);
        build(user);
    } catch (...) {
        // What cannot be taken back is the next guardian's, or that of --clean; the first failure is what is told.
        try {
            remove(netlink_, unfinished(netlink_, setup_.job, slot), false, quietly);
        } catch (const std::exception&) {
        }
        throw;
    }
}

void KernelPlane::build(std::uint32_t user) {
    // IPv6 has no such filter.
    const RpFilter rp_filter = setup_.family() == AF_INET ? get_rp_filter(netlink_, underlay_.index) : RpFilter{};
    device_index_ =
        create_device(netlink_, setup_, underlay_, rp_filter_to_restore(netlink_, underlay_, rp_filter), user);
    for (std::uint32_t way = 1; way <= setup_.ways; ++way)
        way_indices_.push_back(create_way(netlink_, setup_, underlay_, way));
    add_inner_filter(setup_, slot_);
    bring_up(netlink_, setup_, device_index_);
    add_outer_filter(setup_);
    // Strict on the underlay would drop what a rerouted destination sends back on the direct path, since the kernel
    // looks up the reverse path as user 0 and may find the rerouted route.
    if (rp_filter.strict()) set_rp_filter(netlink_, underlay_.index, 2);
    start_device(netlink_, setup_, device_index_);
    add_last_hops(netlink_, setup_, slot_, device_index_);
    add_rules(netlink_, setup_, slot_);
    build_ways();
}

// After the rule that claims the slot, by which what is left of them is known to be the job's.
void KernelPlane::build_ways() {
    for (std::uint32_t way = 1; way <= setup_.ways; ++way) {
        const std::uint32_t index = way_indices_[way - 1];
        bring_up(netlink_, setup_, index);
        start_way(netlink_, setup_, index);
        add_way_rule(netlink_, setup_, slot_, way, index);
    }
}

std::uint32_t KernelPlane::device_index(const Reroute& reroute) const {
    return reroute.way == 0 ? device_index_ : way_indices_[reroute.way - 1];
}

bool KernelPlane::reroutes() const {
    return std::any_of(detours_.begin(), detours_.end(), [](const auto& detour) { return detour.has_value(); });
}

// The least of the direct route's and of both legs', each leg's less what encapsulation takes.
std::uint32_t KernelPlane::mtu_B(const Reroute& reroute) {
    const Address& relay = setup_.hosts[reroute.relay].address;
    std::uint32_t leg_B = std::min(underlay_.mtu_B, route_mtu_B(netlink_, setup_, relay));
    if (reroute.leg_mtu_B != 0) leg_B = std::min(leg_B, reroute.leg_mtu_B);
    const std::uint32_t inner_B = leg_B - std::min(leg_B, encapsulation_B(setup_.family()));
    return std::min(inner_B, route_mtu_B(netlink_, setup_, setup_.hosts[reroute.destination].address));
}

void KernelPlane::reroute(const Reroute& reroute) {
    const std::uint32_t mtu = mtu_B(reroute);
    const std::uint32_t least_B = least_mtu_B(setup_.family());
    if (mtu < least_B)
        throw KernelError(EMSGSIZE, (reroute.way == 0 ? "the detour over " : "the equal-cost path to ") +
                                        to_string(setup_.hosts[reroute.relay].address) + " has room for packets of " +
                                        std::to_string(mtu) + " bytes, fewer than " + std::to_string(least_B));
    const Detour detour{reroute, mtu};
    try {
        lead(detour);
    } catch (const std::exception&) {
        // The route may be there all the same, where the kernel's answer was lost, and nobody would watch it.
        take_back(detour);
        throw;
    }
    detours_[reroute.destination] = detour;
    end_trial(reroute.destination);
}

void KernelPlane::lead(const Detour& detour) {
    const std::uint32_t index = device_index(detour.reroute);
    if (detour.reroute.way != 0) add_peer(netlink_, setup_, index, detour.reroute.destination);
    add_rerouted_route(netlink_, setup_, detour.reroute, rerouted_table(slot_), index, detour.mtu_B);
    renew_lookups(netlink_, setup_, slot_);
}

void KernelPlane::stop_leading(std::uint32_t destination) {
    remove_route(netlink_, {rerouted_table(slot_), setup_.hosts[destination].address, {}, setup_.family()});
    renew_lookups(netlink_, setup_, slot_);
    detours_[destination].reset();
}

// The path before the last reroute; the direct path where that cannot be had any more: who watches the detour sees it.
void KernelPlane::take_back(const Detour& detour) {
    const std::uint32_t destination = detour.reroute.destination;
    try {
        if (detours_[destination]) return lead(*detours_[destination]);
    } catch (const std::exception&) {
    }
    try {
        stop_leading(destination);
    } catch (const std::exception& failure) {
        detours_[destination] = detour;  // for the withdrawal
        throw Uncertain("a reroute to " + to_string(setup_.hosts[destination].address) +
                        " can be neither installed nor removed: " + failure.what());
    }
}

void KernelPlane::lead_echoes(const Echoes& echoes) {
    if (echoes_led_) throw KernelError(EALREADY, "echoes have their ports already");
    echoes_led_ = true;
    add_echo_rules(netlink_, setup_, echoes, slot_, user_);
}

void KernelPlane::attempt(const Try& trial) {
    const Reroute as_reroute{trial.destination, trial.relay, trial.leg_mtu_B, trial.way};
    const std::uint32_t index = device_index(as_reroute);
    // Whether it has enough room is for the reroute to say, with the reason.
    const std::uint32_t mtu = std::max(mtu_B(as_reroute), least_ip_mtu_B(setup_.family()));
    tried_[trial.destination] = true;
    try {
        if (trial.way != 0) add_peer(netlink_, setup_, index, trial.destination);
        add_rerouted_route(netlink_, setup_, as_reroute, trial_table(slot_), index, mtu);
    } catch (const std::exception&) {
        end_trial(trial.destination);
        throw;
    }
}

// A route that stays leads nothing but echoes, which are not sent: the next trial replaces it, or the end of the job.
void KernelPlane::end_trial(std::uint32_t destination) noexcept {
    if (!tried_[destination]) return;
    try {
        remove_route(netlink_, {trial_table(slot_), setup_.hosts[destination].address, {}, setup_.family()});
        tried_[destination] = false;
    } catch (const std::exception&) {
    }
}

void KernelPlane::restore(const Restore& back) {
    if (detours_[back.destination]) stop_leading(back.destination);
    end_trial(back.destination);
}

void KernelPlane::withdraw() {
    // Each is tried, also after one that failed: what can be given back is given back.
    std::exception_ptr first_failure;
    for (std::uint32_t host = 0; host < detours_.size(); ++host) {
        try {
            restore({host});
        } catch (const std::exception&) {
            if (!first_failure) first_failure = std::current_exception();
        }
    }
    if (first_failure) std::rethrow_exception(first_failure);
}

void KernelPlane::tear_down() {
    // Who holds the lock for long, a stopped guardian for example, does not keep our own things in the kernel. The slot
    // is safe without it: its last rule goes last. A job that is set up in this moment may find the underlay's filter
    // loose that is strict a moment later.
    std::optional<NamespaceLock> lock;
    try {
        lock = NamespaceLock::wait(kTearDownPatience);
    } catch (const std::exception&) {
    }
    // Removes the routes too, last hops and all.
    remove_job(netlink_, setup_.job);
    detours_.assign(detours_.size(), std::nullopt);
    tried_.assign(tried_.size(), false);
}

}  // namespace fairlead::guardian
