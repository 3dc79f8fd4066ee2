// SPDX-License-Identifier: Apache-2.0
// What an agent and its guardian say to each other over one SOCK_SEQPACKET pair (the guardian's fd 0).
//
// One packet is one message; every message has the fixed size of its type and native byte order (both ends are on one
// machine). The agent sends requests and the guardian answers each with one reply that repeats the request's id, in the
// order of the requests. Decoding is pure: it looks at bytes only, believes no length, count or index in them, and
// either returns a request whose every field is in range, or says what is wrong with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/address.hpp"

namespace fairlead::guardian {

constexpr std::size_t kMaxHosts = 1024;        // hosts of one job
constexpr std::size_t kMaxAgentPorts = 8;      // different agent ports within one job (each costs a routing rule)
constexpr std::size_t kMaxJobLength = 12;      // "fl-" + job is a device name, at most 15 characters
constexpr std::size_t kMaxDeviceLength = 15;   // IFNAMSIZ - 1
constexpr std::size_t kMaxReasonLength = 239;  // text of a reply
constexpr std::uint32_t kMaxWays = 7;          // equal-cost paths (each costs a device)
constexpr std::uint32_t kMaxNetworkId = (1u << 24) - 1;
constexpr std::uint32_t kMaxGrace_ms = 60'000;
constexpr std::uint32_t kDefaultGrace_ms = 1'000;
constexpr std::uint32_t kMaxLease_ms = 60'000;
// The overlay's UDP port: below the ports that Linux gives to outgoing connections, and none that is known for VXLANs
// of others (4789, 8472), which share their sockets by port.
constexpr std::uint16_t kFirstOverlayPort = 20'000;
constexpr std::uint16_t kLastOverlayPort = 29'999;
// Outer packets leave from these ports. Ordinary users' sockets cannot have them, so what comes from others is nobody's
// that the kernel wrapped. The same that Linux' NFS client takes (sunrpc.min_resvport), so networks let them pass, and
// above 623 and 664, which some network cards keep for their management controllers. As many as it has values tell
// flows apart for equal-cost paths; a way has one of them alone.
constexpr std::uint16_t kFirstSourcePort = 665;
constexpr std::uint16_t kLastSourcePort = 1023;
// A detour that leaves less of a packet is refused: what every host takes whole (IPv4: RFC 791, IPv6: RFC 8200).
constexpr std::uint32_t least_mtu_B(int family) {
    return family == AF_INET6 ? 1280 : 576;
}
constexpr std::uint16_t kFirstAgentPort = 1'024;  // services have those below

struct Host {
    Address address;               // on the underlay
    std::uint16_t agent_port = 0;  // UDP and TCP, from kFirstAgentPort; the job's users' traffic from and to it stays
    bool operator==(const Host&) const = default;
};

// Makes the overlay of a job on this host. Not while there is one: a guardian has one job at a time.
struct Setup {
    std::string job;         // 1 to 12 characters of 0-9 a-z
    std::string device;      // the underlay device, which has hosts[self].address
    std::uint32_t self = 0;  // index of this host in `hosts`
    // 2 to kMaxHosts, different addresses of one family; the same list in the same order on all hosts
    std::vector<Host> hosts;
    std::uint32_t network_id = 0;    // VXLAN network identifier, 1 to 2^24-1, random per job, the same on all hosts
    std::uint16_t overlay_port = 0;  // kFirst- to kLastOverlayPort, random per job, the same on all hosts
    std::uint32_t uid_first = 0;     // sockets of these users are rerouted (both ends included)
    std::uint32_t uid_last = 0;
    std::uint32_t grace_ms = kDefaultGrace_ms;  // how long the overlay outlives an agent that died
    std::uint32_t ways = 0;                     // devices that lead straight to destinations, 0 to kMaxWays
    bool operator==(const Setup&) const = default;

    // Of all hosts' addresses.
    int family() const { return hosts.empty() ? AF_UNSPEC : hosts.front().address.family(); }
    const Address& own() const { return hosts[self].address; }
};

// From now on packets to hosts[destination] travel over hosts[relay], or by one of the ways straight to it. Replaces an
// earlier reroute of that destination.
struct Reroute {
    std::uint32_t destination = 0;
    std::uint32_t relay = 0;
    std::uint32_t leg_mtu_B = 0;  // of the relay's route to the destination, which only the relay knows; 0: not known
    std::uint32_t way = 0;        // its number, from 1: then `relay` is the destination itself; 0: over the relay
    bool operator==(const Reroute&) const = default;
};

// Packets to hosts[destination] take the direct path again. Not an error if they already did.
struct Restore {
    std::uint32_t destination = 0;
    bool operator==(const Restore&) const = default;
};

// UDP from these two ports of this host's address takes the path of rerouted packets, whatever the port that it goes
// to, so that what comes back proves that way: from the first by the routes of rerouted destinations, from the second
// by those that Try makes. Once after Setup. Where the guardian serves an ordinary user, from his sockets only.
struct Echoes {
    std::uint16_t lasting_port = 0;  // both from kFirstAgentPort, different, no agent's and not the overlay's
    std::uint16_t trial_port = 0;
    bool operator==(const Echoes&) const = default;
};

// From now on what leaves from Echoes' trial_port to hosts[destination] travels over hosts[relay] or by a way; nothing
// else does.
// Replaces an earlier trial of that destination, so what is to go by that has to leave before.
struct Try {
    std::uint32_t destination = 0;
    std::uint32_t relay = 0;
    std::uint32_t leg_mtu_B = 0;  // as in Reroute
    std::uint32_t way = 0;        // as in Reroute
    bool operator==(const Try&) const = default;
};

// From now on an agent that says nothing for so long while something is rerouted counts as dead, as if it had closed
// the socket: one that is stopped watches no detour. The guardian's own pauses do not count.
struct Lease {
    std::uint32_t length_ms = 0;  // 1 to kMaxLease_ms
    bool operator==(const Lease&) const = default;
};

// Removes everything at once, also what others forward through this host. (Closing the socket instead withdraws this
// host's own routes at once and everything else after the grace time.)
struct Teardown {
    bool operator==(const Teardown&) const = default;
};

using Body = std::variant<Setup, Reroute, Restore, Teardown, Echoes, Try, Lease>;

struct Request {
    std::uint32_t id = 0;
    Body body;
    bool operator==(const Request&) const = default;
};

struct Reply {
    std::uint32_t id = 0;
    // 0 or an errno value. Anything but 0 means that the request had no effect, also where the kernel did it and its
    // answer was lost, but for these: after Reroute, the destination may be on the direct path instead of on an earlier
    // detour; after Try, nothing is tried; after Restore, it is on either, and Restore may be asked for again; after
    // Echoes, none are to be relied on; after Teardown, something is left. Where a Reroute can be neither made nor
    // taken back, the guardian ends instead of answering.
    int error = 0;
    std::string reason;  // for people; empty when error is 0
    bool operator==(const Reply&) const = default;
};

// Why a packet is no valid request. `id` is that of the packet if it was long enough to have one, else 0.
struct Refusal {
    std::uint32_t id = 0;
    int error = 0;  // EBADMSG: not a message of this protocol; EINVAL: a field out of range
    std::string reason;
};

using Packet = std::vector<std::byte>;

// The largest packet of either direction; a receive buffer of this size + 1 shows every oversized packet as such.
extern const std::size_t kMaxPacket_B;

// Throws std::length_error if a string or list does not fit its field. No other check: the guardian does those.
Packet encode(const Request& request);
Packet encode(const Reply& reply);  // cuts the reason to kMaxReasonLength

// Setup is checked whole; Reroute and Restore only for the bound kMaxHosts, since the number of hosts is the guardian's
// to know (check() below).
std::variant<Request, Refusal> decode_request(std::span<const std::byte> packet);
std::optional<Reply> decode_reply(std::span<const std::byte> packet);

// What is wrong with a set-up, or nothing. Used by decode_request, and by an agent that wants to know beforehand.
std::optional<std::string> check(const Setup& setup);
// The same for requests that refer to a set-up.
std::optional<std::string> check(const Reroute& reroute, const Setup& setup);
std::optional<std::string> check(const Restore& back, const Setup& setup);
std::optional<std::string> check(const Echoes& echoes, const Setup& setup);
std::optional<std::string> check(const Try& trial, const Setup& setup);

// Whether echoes cannot come from this port: it is an agent's, the overlay's, or a service's.
bool taken(std::uint16_t port, const Setup& setup);

bool valid_job(std::string_view job);
inline std::string to_string(const Address& address) {
    return address.text();
}

}  // namespace fairlead::guardian
