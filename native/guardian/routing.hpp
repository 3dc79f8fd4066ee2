// SPDX-License-Identifier: Apache-2.0
// Policy rules and routes of a job, told from others by protocol 70 and by the slot's priorities and tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netlink.hpp"
#include "protocol.hpp"

namespace fairlead::guardian {

struct ShownRule {
    std::uint32_t priority = 0;
    std::string input_device;        // of last-hop rules: by it a slot is known to belong to a job
    std::vector<std::byte> message;  // the whole netlink message, to delete exactly this rule

    std::uint32_t slot() const;
};

// The rules with our protocol within our priorities, in the order of their priority.
std::vector<ShownRule> list_rules(Netlink& netlink);
bool remove_rule(Netlink& netlink, const ShownRule& rule);

// Adds all rules of the job; the one that claims the slot comes first, the one that moves users' packets last.
void add_rules(Netlink& netlink, const Setup& setup, std::uint32_t slot);

struct ShownRoute {
    std::uint32_t table = 0;
    std::optional<Address> destination;  // nothing for the entry that forbids all else
    std::optional<Address> gateway;

    std::uint32_t slot() const;
    bool moved() const;  // a moved destination, not a last hop
};

// The routes with our protocol in our tables.
std::vector<ShownRoute> list_routes(Netlink& netlink);
bool remove_route(Netlink& netlink, const ShownRoute& route);

// For packets that came in on the overlay: to every peer straight, and nowhere else. One detour, never two, no loops.
void add_last_hops(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint32_t device_index);

// Replaces a route of the same destination. Returns after the kernel has acknowledged it.
void add_moved_route(Netlink& netlink, const Setup& setup, const Move& move, std::uint32_t slot,
                     std::uint32_t device_index, std::uint32_t mtu_B);

}  // namespace fairlead::guardian
