// SPDX-License-Identifier: Apache-2.0
#include "plane.hpp"

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "filter.hpp"
#include "footprint.hpp"
#include "names.hpp"
#include "routing.hpp"

namespace fairlead::guardian {

namespace {

Presence claim_presence(const std::string& job) {
    auto presence = Presence::claim(presence_name(job));
    if (!presence) throw KernelError(EADDRINUSE, "job " + job + " already has a guardian on this host");
    return std::move(*presence);
}

constexpr std::chrono::milliseconds kTearDownPatience{1000};

void quietly(const std::string&, const std::string&) {}

// What the dead left. Our own job counts as dead here: its name was free until we took it just now.
void remove_dead(Netlink& netlink, const std::string& own_job) {
    for (const Footprint& footprint : survey(netlink))
        if (!footprint.alive || footprint.job == own_job) remove(netlink, footprint, false, quietly);
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

RoutePlane::RoutePlane(Netlink& netlink, Setup setup)
    : netlink_(netlink),
      setup_(std::move(setup)),
      presence_(claim_presence(setup_.job)),
      underlay_(find_underlay(netlink, setup_.device, setup_.hosts[setup_.self].address)),
      moved_(setup_.hosts.size()) {
    const NamespaceLock lock = lock_namespace();
    remove_dead(netlink_, setup_.job);
    try {
        build();
    } catch (const KernelError&) {
        remove_job(netlink_, setup_.job);
        throw;
    }
}

void RoutePlane::build() {
    slot_ = free_slot(survey(netlink_));
    const RpFilter rp_filter = get_rp_filter(netlink_, underlay_.index);
    device_index_ = create_device(netlink_, setup_, underlay_, rp_filter_to_restore(netlink_, underlay_, rp_filter));
    add_inner_filter(setup_, slot_);
    bring_up(netlink_, device_index_);
    add_outer_filter(setup_);
    // Strict on the underlay would drop what a moved destination sends back on the direct path, since the kernel looks
    // up the reverse path as user 0 and may find the moved route.
    if (rp_filter.strict()) set_rp_filter(netlink_, underlay_.index, 2);
    start_device(netlink_, setup_, device_index_);
    add_last_hops(netlink_, setup_, slot_, device_index_);
    add_rules(netlink_, setup_, slot_);
}

void RoutePlane::move(const Move& move) {
    add_moved_route(netlink_, setup_, move, slot_, device_index_, underlay_.mtu_B - kEncapsulation_B);
    moved_[move.destination] = true;
}

void RoutePlane::give_back(const Return& back) {
    if (!moved_[back.destination]) return;
    remove_route(netlink_, {moved_table(slot_), setup_.hosts[back.destination].address, {}});
    moved_[back.destination] = false;
}

void RoutePlane::withdraw() {
    // Each is tried, also after one that failed: what can be given back is given back.
    std::optional<KernelError> first_failure;
    for (std::uint32_t host = 0; host < moved_.size(); ++host) {
        try {
            give_back({host});
        } catch (const KernelError& failure) {
            if (!first_failure) first_failure = failure;
        }
    }
    if (first_failure) throw *first_failure;
}

void RoutePlane::tear_down() {
    // Who holds the lock for long, a stopped guardian for example, does not keep our own things in the kernel. The slot
    // is safe without it: its last rule goes last. A job that is set up in this moment may find the underlay's filter
    // loose that is strict a moment later.
    std::optional<NamespaceLock> lock;
    try {
        lock = NamespaceLock::wait(kTearDownPatience);
    } catch (const KernelError&) {
    }
    // Removes the routes too, last hops and all.
    remove_job(netlink_, setup_.job);
    moved_.assign(moved_.size(), false);
}

}  // namespace fairlead::guardian
