// SPDX-License-Identifier: Apache-2.0
// Policy rules and routes of a job, told from others by protocol 70 and by the slot's priorities and tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/netlink.hpp"
#include "protocol/protocol.hpp"

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

// Adds all rules of the job; the one that claims the slot comes first, the one that reroutes users' packets last.
void add_rules(Netlink& netlink, const Setup& setup, std::uint32_t slot);

struct ShownRoute {
    std::uint32_t table = 0;
    std::optional<Address> destination;  // nothing for the entry that forbids all else
    std::optional<Address> gateway;
    int family = AF_INET;  // where there is no destination
    std::uint32_t device_index = 0;

    std::uint32_t slot() const;
    bool rerouted() const;  // leads a rerouted destination's packets: a trial does not
    bool last_hop() const;  // leads what came in on the overlay; all others lead what starts on this host
};

// The routes with our protocol in our tables.
std::vector<ShownRoute> list_routes(Netlink& netlink);
bool remove_route(Netlink& netlink, const ShownRoute& route);

// For packets that came in on the overlay: to every peer straight, and nowhere else. One detour, never two, no loops.
void add_last_hops(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint32_t device_index);

// By which reverse-path lookups for packets that came in by a way find its device.
void add_way_rule(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint32_t way,
                  std::uint32_t device_index);

// How long packets to `destination` may be by the host's own routes, rerouted or not: the route's MTU, lowered by what
// the kernel has learned of the path, or the device's.
std::uint32_t route_mtu_B(Netlink& netlink, const Setup& setup, const Address& destination);

// The ways of echoes: before the exemptions, since echoes go to agents' ports. `user` is whom the guardian serves:
// unless that is root, only his sockets are led.
void add_echo_rules(Netlink& netlink, const Setup& setup, const Echoes& echoes, std::uint32_t slot, std::uint32_t user);

// Has open connections find a route that came or went. Of IPv4 they do so by themselves; of IPv6 they keep the one that
// they have until a rule changes, so that one comes and goes.
void renew_lookups(Netlink& netlink, const Setup& setup, std::uint32_t slot);

// Into the table of rerouted destinations, or that of trials. Replaces a route of the same destination. Returns after
// the kernel has acknowledged it.
void add_rerouted_route(Netlink& netlink, const Setup& setup, const Reroute& reroute, std::uint32_t table,
                        std::uint32_t device_index, std::uint32_t mtu_B);

}  // namespace fairlead::guardian
