// SPDX-License-Identifier: Apache-2.0
// What the route plane of a job has in the kernel, as the kernel tells it. Removing goes by this alone, whether a
// guardian takes down its own or clears away what another left when it was killed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/netlink.hpp"
#include "plane/overlay.hpp"
#include "plane/routing.hpp"

namespace fairlead::guardian {

struct Footprint {
    std::string job;  // empty: rules or routes of a slot that no last-hop rule claims
    bool alive = false;
    std::optional<DeviceRecord> device;
    std::vector<WayRecord> ways;
    std::optional<std::string> filter;
    std::vector<ShownRule> rules;
    std::vector<ShownRoute> routes;

    bool empty() const { return !device && ways.empty() && !filter && rules.empty() && routes.empty(); }
};

// Of all jobs in this network namespace, ordered by job. Throws KernelError.
std::vector<Footprint> survey(Netlink& netlink);

// Of one job whose set-up failed: its slot, once it has one, may not be claimed by a rule yet. Asks rtnetlink alone, so
// that most goes also where nftables is what failed. Throws KernelError.
Footprint unfinished(Netlink& netlink, const std::string& job, std::optional<std::uint32_t> slot);

// Lowest slot that no footprint uses. A user other than root has no more jobs than he leaves places for others. Throws
// KernelError ENOSPC if there is none for him.
std::uint32_t free_slot(const std::vector<Footprint>& footprints, std::uint32_t user);

// One thing of a footprint: kind is "rule", "route", "device", "filter" or "rp_filter".
using Report = std::function<void(const std::string& kind, const std::string& name)>;

// Removes all of it, in an order in which no packet escapes to where it should not go, and reports each thing. With
// dry_run it only reports. Goes on past what cannot be removed and then throws the first failure. Call with the
// namespace locked.
void remove(Netlink& netlink, const Footprint& footprint, bool dry_run, const Report& report);

// Removes only what leads packets of the job's users to overlay devices, unless a guardian of the job lives. Goes on
// past what cannot be removed and then throws the first failure. Call with the namespace locked.
void stop_leading(Netlink& netlink, const std::string& job);

}  // namespace fairlead::guardian
