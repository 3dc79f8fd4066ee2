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

namespace fairlead::guardian {

constexpr std::size_t kMaxHosts = 1024;        // hosts of one job
constexpr std::size_t kMaxAgentPorts = 8;      // different agent ports within one job (each costs a routing rule)
constexpr std::size_t kMaxJobLength = 12;      // "fl-" + job is a device name, at most 15 characters
constexpr std::size_t kMaxDeviceLength = 15;   // IFNAMSIZ - 1
constexpr std::size_t kMaxReasonLength = 239;  // text of a reply
constexpr std::uint32_t kMaxNetworkId = (1u << 24) - 1;
constexpr std::uint32_t kMaxGrace_ms = 60'000;
constexpr std::uint32_t kDefaultGrace_ms = 1'000;
// The overlay's UDP port: below the ports that Linux gives to outgoing connections, and none that is known for VXLANs
// of others (4789, 8472), which share their sockets by port.
constexpr std::uint16_t kFirstOverlayPort = 20'000;
constexpr std::uint16_t kLastOverlayPort = 29'999;
constexpr std::uint16_t kFirstAgentPort = 1'024;  // services have those below

// An IPv4 address in host byte order: 10.64.0.1 is 0x0a400001.
using Address = std::uint32_t;

struct Host {
    Address address = 0;           // on the underlay
    std::uint16_t agent_port = 0;  // UDP and TCP, from kFirstAgentPort; the job's users' traffic from and to it stays
    bool operator==(const Host&) const = default;
};

// Makes the overlay of a job on this host. Not while there is one: a guardian has one job at a time.
struct Setup {
    std::string job;               // 1 to 12 characters of 0-9 a-z
    std::string device;            // the underlay device, which has hosts[self].address
    std::uint32_t self = 0;        // index of this host in `hosts`
    std::vector<Host> hosts;       // 2 to kMaxHosts, different addresses; the same list in the same order on all hosts
    std::uint32_t network_id = 0;  // VXLAN network identifier, 1 to 2^24-1, random per job, the same on all hosts
    std::uint16_t overlay_port = 0;  // kFirst- to kLastOverlayPort, random per job, the same on all hosts
    std::uint32_t uid_first = 0;     // sockets of these users move (both ends included)
    std::uint32_t uid_last = 0;
    std::uint32_t grace_ms = kDefaultGrace_ms;  // how long the overlay outlives an agent that died
    bool operator==(const Setup&) const = default;
};

// From now on packets to hosts[destination] travel over hosts[relay]. Replaces an earlier move of that destination.
struct Move {
    std::uint32_t destination = 0;
    std::uint32_t relay = 0;
    bool operator==(const Move&) const = default;
};

// Packets to hosts[destination] take the direct path again. Not an error if they already did.
struct Return {
    std::uint32_t destination = 0;
    bool operator==(const Return&) const = default;
};

// Removes everything at once, also what others forward through this host. (Closing the socket instead withdraws this
// host's own routes at once and everything else after the grace time.)
struct Teardown {
    bool operator==(const Teardown&) const = default;
};

struct Request {
    std::uint32_t id = 0;
    std::variant<Setup, Move, Return, Teardown> body;
    bool operator==(const Request&) const = default;
};

struct Reply {
    std::uint32_t id = 0;
    int error = 0;       // 0 or an errno value; anything but 0 means that the request had no effect
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

// Setup is checked whole; Move and Return only for the bound kMaxHosts, since the number of hosts is the guardian's to
// know (check() below).
std::variant<Request, Refusal> decode_request(std::span<const std::byte> packet);
std::optional<Reply> decode_reply(std::span<const std::byte> packet);

// What is wrong with a set-up, or nothing. Used by decode_request, and by an agent that wants to know beforehand.
std::optional<std::string> check(const Setup& setup);
// The same for requests that refer to a set-up.
std::optional<std::string> check(const Move& move, const Setup& setup);
std::optional<std::string> check(const Return& back, const Setup& setup);

bool valid_job(std::string_view job);
std::string to_string(Address address);

}  // namespace fairlead::guardian
