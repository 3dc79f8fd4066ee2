// SPDX-License-Identifier: Apache-2.0
#include "plane/footprint.hpp"

#include <net/if.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <map>

#include "kernel/presence.hpp"
#include "plane/filter.hpp"
#include "protocol/names.hpp"

namespace fairlead::guardian {

namespace {

bool within(std::uint32_t priority, std::uint32_t first) {
    return priority >= first && priority < first + kSlots;
}

std::string name_of(const ShownRoute& route) {
    return (route.destination ? to_string(*route.destination) : "default") + " table " + std::to_string(route.table);
}

// Runs each step, remembers the first failure, and tells it when all have run.
class Steps {
  public:
    explicit Steps(bool dry_run) : dry_run_(dry_run) {}
    template <typename Step>
    void run(const Report& report, const std::string& kind, const std::string& name, Step step) {
        try {
            if (!dry_run_) step();
            report(kind, name);
        } catch (const std::exception&) {
            if (!first_failure_) first_failure_ = std::current_exception();
        }
    }
    // False as well where it cannot be told; that is remembered as a failed step is.
    template <typename Condition>
    bool holds(Condition condition) {
        try {
            return condition();
        } catch (const std::exception&) {
            if (!first_failure_) first_failure_ = std::current_exception();
            return false;
        }
    }
    void finish() const {
        if (first_failure_) std::rethrow_exception(first_failure_);
    }

  private:
    bool dry_run_;
    std::exception_ptr first_failure_;
};

// Whether the underlay's reverse-path filter is still as we set it and no other overlay needs it so.
bool rp_filter_is_ours(Netlink& netlink, const DeviceRecord& device, std::uint32_t underlay_index) {
    for (const DeviceRecord& other : list_devices(netlink))
        if (other.name != device.name && other.underlay == device.underlay && other.underlay_rp_filter) return false;
    return underlay_index != 0 && get_rp_filter(netlink, underlay_index).device == 2;
}

void restore_rp_filter(Netlink& netlink, const DeviceRecord& device, Steps& steps, const Report& report) {
    const std::uint32_t underlay_index = if_nametoindex(device.underlay.c_str());
    if (!device.underlay_rp_filter) return;
    if (!steps.holds([&] { return rp_filter_is_ours(netlink, device, underlay_index); })) return;
    steps.run(report, "rp_filter", device.underlay + " " + std::to_string(*device.underlay_rp_filter),
              [&] { set_rp_filter(netlink, underlay_index, *device.underlay_rp_filter); });
}

}  // namespace

std::vector<Footprint> survey(Netlink& netlink) {
    std::map<std::string, Footprint> by_job;
    std::map<std::uint32_t, std::string> job_of_slot;
    for (DeviceRecord& device : list_devices(netlink)) by_job[*job_of(device.name, kDevicePrefix)].device = device;
    for (const WayRecord& way : list_ways(netlink)) by_job[way.job].ways.push_back(way);
    for (std::string& name : list_filters()) by_job[*job_of(name, kFilterPrefix)].filter = name;
    const auto rules = list_rules(netlink);
    for (const ShownRule& rule : rules)
        if (auto job = job_of(rule.input_device, kDevicePrefix)) job_of_slot[rule.slot()] = *job;
    for (const ShownRule& rule : rules) by_job[job_of_slot[rule.slot()]].rules.push_back(rule);
    for (const ShownRoute& route : list_routes(netlink)) by_job[job_of_slot[route.slot()]].routes.push_back(route);

    std::vector<Footprint> footprints;
    for (auto& [job, footprint] : by_job) {
        footprint.job = job;
        footprint.alive = !job.empty() && alive(job, footprint.device ? footprint.device->maker : std::nullopt);
        footprints.push_back(std::move(footprint));
    }
    return footprints;
}

Footprint unfinished(Netlink& netlink, const std::string& job, std::optional<std::uint32_t> slot) {
    Footprint footprint;
    footprint.job = job;
    for (DeviceRecord& device : list_devices(netlink))
        if (device.name == device_name(job)) footprint.device = device;
    for (const WayRecord& way : list_ways(netlink))
        if (way.job == job) footprint.ways.push_back(way);
    footprint.filter = filter_name(job);
    for (const ShownRule& rule : list_rules(netlink))
        if (rule.slot() == slot) footprint.rules.push_back(rule);
    for (const ShownRoute& route : list_routes(netlink))
        if (route.slot() == slot) footprint.routes.push_back(route);
    return footprint;
}

std::uint32_t free_slot(const std::vector<Footprint>& footprints, std::uint32_t user) {
    std::vector<bool> used(kSlots);
    std::ptrdiff_t own = 0;
    for (const Footprint& footprint : footprints) {
        for (const ShownRule& rule : footprint.rules) used[rule.slot()] = true;
        for (const ShownRoute& route : footprint.routes) used[route.slot()] = true;
        if (footprint.device && footprint.device->user == user) ++own;
    }
    const auto free = std::count(used.begin(), used.end(), false);
    if (free == 0)
        throw KernelError(ENOSPC, "all " + std::to_string(kSlots) + " slots for jobs on this host are in use");
    if (user != 0 && own >= free)
        throw KernelError(ENOSPC, "user " + std::to_string(user) + " has " + std::to_string(own) +
                                      " jobs on this host, and the last " + std::to_string(free) + " of " +
                                      std::to_string(kSlots) + " slots are reserved for others");
    return static_cast<std::uint32_t>(std::find(used.begin(), used.end(), false) - used.begin());
}

void remove(Netlink& netlink, const Footprint& footprint, bool dry_run, const Report& report) {
    Steps steps(dry_run);
    const auto remove_rules = [&](std::uint32_t first) {
        for (const ShownRule& rule : footprint.rules)
            if (within(rule.priority, first))
                steps.run(report, "rule", std::to_string(rule.priority), [&] { remove_rule(netlink, rule); });
    };
    const auto remove_routes = [&](bool last_hops) {
        for (const ShownRoute& route : footprint.routes)
            if (route.last_hop() == last_hops)
                steps.run(report, "route", name_of(route), [&] { remove_route(netlink, route); });
    };
    remove_rules(kUserPriority);
    remove_routes(false);
    // Before the device, whose alias is all that remembers the value.
    if (footprint.device) restore_rp_filter(netlink, *footprint.device, steps, report);
    for (const WayRecord& way : footprint.ways)
        steps.run(report, "device", way.name, [&] { delete_device(netlink, way.name); });
    // The device before the last-hop table: while it forwards, the table's last entry must be there to forbid.
    if (footprint.device)
        steps.run(report, "device", footprint.device->name, [&] { delete_device(netlink, footprint.device->name); });
    // Once more: guardians that end side by side, without the lock, have seen each other's devices and left the filter
    // to each other. The last one to delete its device sees none.
    if (footprint.device && !dry_run) restore_rp_filter(netlink, *footprint.device, steps, report);
    remove_routes(true);
    if (footprint.filter) steps.run(report, "filter", *footprint.filter, [&] { remove_filter(*footprint.filter); });
    remove_rules(kExemptionPriority);
    remove_rules(kContinuePriority);
    // Last, because by one of them everything else of the slot is known to be of this job.
    remove_rules(kLastHopPriority);
    steps.finish();
}

void stop_leading(Netlink& netlink, const std::string& job) {
    Steps steps(false);
    const Report quietly = [](const std::string&, const std::string&) {};
    for (const Footprint& footprint : survey(netlink)) {
        if (footprint.job != job || footprint.alive) continue;
        // The rule first: with it all destinations are direct, also for connections that look up their route again only
        // when a rule changes (renew_lookups).
        for (const ShownRule& rule : footprint.rules)
            if (within(rule.priority, kUserPriority))
                steps.run(quietly, "rule", "", [&] { remove_rule(netlink, rule); });
        for (const ShownRoute& route : footprint.routes)
            if (route.rerouted()) steps.run(quietly, "route", "", [&] { remove_route(netlink, route); });
    }
    steps.finish();
}

}  // namespace fairlead::guardian
