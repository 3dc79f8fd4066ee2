// SPDX-License-Identifier: Apache-2.0
// The names and numbers by which everything of ours in the kernel is told from everything else.
//
// Up to 20 jobs share a network namespace; each has a slot, and the slot gives its rule priorities and table numbers.
// All exemptions of all jobs come before the user rules of all jobs, so that no job reroutes another's outer packets.
//
//   5000 + slot   packets that came in on the job's overlay: last-hop table
//   5000 + slot   (a second rule) reverse-path lookups for such packets, told by their mark: the same table
//   5000 + slot   (one more for each way) the same for packets that came in by it: the way's table
//   5000 + slot   (two more, once asked for) echoes, told by the port that they come from: paths of rerouted packets
//   5020 + slot   outer packets and agents' ports: go to 5080 + slot, that is on with the host's own rules
//   5040 + slot   packets of the job's users: table of rerouted destinations
//   5080 + slot   no operation (the target of the exemptions)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/protocol.hpp"

namespace fairlead::guardian {

constexpr std::uint8_t kRouteProtocol = 70;
constexpr std::uint32_t kSlots = 20;
constexpr std::uint32_t kLastHopPriority = 5000;
constexpr std::uint32_t kExemptionPriority = 5020;
constexpr std::uint32_t kUserPriority = 5040;
constexpr std::uint32_t kContinuePriority = 5080;
constexpr std::uint32_t kFirstPriority = 5000;
constexpr std::uint32_t kLastPriority = 5099;

constexpr std::uint32_t kFirstTable = 0x464c0000;  // "FL": far from tables that people number by hand
constexpr std::uint32_t rerouted_table(std::uint32_t slot) {
    return kFirstTable + 2 * slot;
}
constexpr std::uint32_t last_hop_table(std::uint32_t slot) {
    return kFirstTable + 2 * slot + 1;
}
// Of detours that are tried before anything is rerouted.
constexpr std::uint32_t kFirstTrialTable = kFirstTable + 2 * kSlots;
constexpr std::uint32_t trial_table(std::uint32_t slot) {
    return kFirstTrialTable + slot;
}
// By which reverse-path lookups of packets that came in by a way find its device. Ways have numbers from 1.
constexpr std::uint32_t kFirstWayTable = kFirstTrialTable + kSlots;
constexpr std::uint32_t way_table(std::uint32_t slot, std::uint32_t way) {
    return kFirstWayTable + slot * kMaxWays + way - 1;
}
constexpr std::uint32_t kEndOfTables = kFirstWayTable + kSlots * kMaxWays;

// Put on packets as they come in on the overlay and taken off when they are delivered or forwarded. Away from the bits
// that container networks use (0x0f00, 0x4000, 0x8000, 0x00ff0000).
constexpr std::uint32_t mark(std::uint32_t slot, std::uint32_t way = 0) {
    static_assert(kSlots <= 0x20 && kMaxWays < 0x100 / 0x20);
    return 0x46000000 + 0x20 * way + slot;
}

// Inner Ethernet, outer IP, UDP and VXLAN headers.
constexpr std::uint32_t encapsulation_B(int family) {
    return family == AF_INET6 ? 70 : 50;
}

constexpr std::string_view kDevicePrefix = "fl-";
constexpr std::string_view kFilterPrefix = "fairlead_";

inline std::string device_name(std::string_view job) {
    return std::string(kDevicePrefix) + std::string(job);
}
inline std::string way_prefix(std::uint32_t way) {
    return std::string("f").append(std::to_string(way)).append("-");  // GCC 12 warns of the sum where it inlines it
}
inline std::string way_device_name(std::string_view job, std::uint32_t way) {
    return way_prefix(way) + std::string(job);
}
// A way's network identifier and its one source port. They follow from the job's, so they are the same on all hosts;
// ports are apart, for hashes that tell neighbouring ones apart by their last bits alone.
constexpr std::uint32_t way_network_id(std::uint32_t network_id, std::uint32_t way) {
    return (network_id - 1 + way) % kMaxNetworkId + 1;
}
constexpr std::uint16_t way_source_port(std::uint32_t network_id, std::uint32_t way) {
    constexpr std::uint32_t kPorts = kLastSourcePort - kFirstSourcePort + 1;
    constexpr std::uint32_t kApart = 83;
    return static_cast<std::uint16_t>(kFirstSourcePort + (network_id + kApart * way) % kPorts);
}
inline std::string filter_name(std::string_view job) {
    return std::string(kFilterPrefix) + std::string(job);
}

// The job in a device or filter name, if it is one of ours.
inline std::optional<std::string> job_of(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix) || !valid_job(name.substr(prefix.size()))) return std::nullopt;
    return std::string(name.substr(prefix.size()));
}

}  // namespace fairlead::guardian
