// SPDX-License-Identifier: Apache-2.0
// The overlay device of a job: a VXLAN that learns nothing, with one fixed forwarding entry and one permanent
// neighbour per peer, which routes name as their gateway. No address is assigned to the device. Ways are further such
// devices, each with a network identifier and one source port of its own, by which switches that hash outer headers
// give it a path: they lead straight to destinations, forward nothing, and get a peer's entries once they lead there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/netlink.hpp"
#include "kernel/presence.hpp"
#include "protocol/protocol.hpp"

namespace fairlead::guardian {

// The device that carries the overlay.
struct Underlay {
    std::string name;
    std::uint32_t index = 0;
    std::uint32_t mtu_B = 0;
    std::uint32_t gso_max_B = 0;  // what segmentation offload may leave in one packet; 0: unknown
};

// Throws KernelError: ENODEV if there is no such device, EADDRNOTAVAIL if it does not have the address.
Underlay find_underlay(Netlink& netlink, const std::string& name, const Address& address);

// A host as a gateway on the overlay: of IPv4 its underlay address. Of IPv6 a link-local one: the kernel takes no other
// that it knows on another device.
Address gateway_of(const Setup& setup, std::size_t host);

// What a device remembers of its making, so that a later --clean can undo the rest; kept in the device's alias.
struct DeviceRecord {
    std::string name;
    std::uint32_t index = 0;
    std::string underlay;
    std::optional<std::uint32_t> underlay_rp_filter;  // the value to restore, if it was changed
    std::optional<ProcessId> maker;                   // the guardian
    std::optional<std::uint32_t> user;                // whom it served
};

// The overlay devices in this network namespace, of all jobs, dead or alive.
std::vector<DeviceRecord> list_devices(Netlink& netlink);

// A device of a way.
struct WayRecord {
    std::string name;
    std::uint32_t index = 0;
    std::string job;
    std::uint32_t way = 0;
};
std::vector<WayRecord> list_ways(Netlink& netlink);

// Makes a way's device, down. Returns its index.
std::uint32_t create_way(Netlink& netlink, const Setup& setup, const Underlay& underlay, std::uint32_t way);
// After bring_up: no forwarding, reverse-path lookups by mark.
void start_way(Netlink& netlink, const Setup& setup, std::uint32_t index);
// The entries by which packets reach this host on the device; not an error if they are there.
void add_peer(Netlink& netlink, const Setup& setup, std::uint32_t index, std::size_t peer);

// Makes the device, down, with its record. Returns its index.
std::uint32_t create_device(Netlink& netlink, const Setup& setup, const Underlay& underlay,
                            std::optional<std::uint32_t> underlay_rp_filter, std::uint32_t user);
// From then on the device has its UDP port. Throws KernelError EADDRINUSE if somebody else has, another VXLAN too.
void bring_up(Netlink& netlink, const Setup& setup, std::uint32_t index);
// Forwarding on and, of IPv4, reverse-path lookups by mark, on this device only; then the peers' entries. Throws
// KernelError EOPNOTSUPP where the kernel cannot forward IPv6 on one device only and does not on all.
void start_device(Netlink& netlink, const Setup& setup, std::uint32_t index);
bool delete_device(Netlink& netlink, const std::string& name);

// Reverse-path filtering: the kernel uses the maximum of `all` and the device's own value; 1 is strict.
struct RpFilter {
    std::uint32_t all = 0;
    std::uint32_t device = 0;
    bool strict() const { return std::max(all, device) == 1; }
};
RpFilter get_rp_filter(Netlink& netlink, std::uint32_t device_index);
void set_rp_filter(Netlink& netlink, std::uint32_t device_index, std::uint32_t value);

}  // namespace fairlead::guardian
