// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/core/sharing.hpp"
#include "fairlead/core/types.hpp"
#include "json/json_fields.hpp"

namespace fairlead::agent {

/// A host of the job, in the same order for all agents.
struct ManagedHost {
    static constexpr WholeLimits port_limits{1, 65535};

    /// name in messages
    std::string name{};
    /// IP address, different for each host, all of one family
    std::string address{};
    /// UDP and TCP port of that host's agent
    std::uint32_t port = 0;
};

/// Baseline of the cluster, from `fairlead characterize`.
struct Base {
    static constexpr RealLimits age_s_limits{0.0, 1000000000.0};
    static constexpr WholeLimits sizes_B_limits{1, 1099511627776};
    static constexpr RealLimits latency_s_limits{1e-09, 3600.0};
    static constexpr RealLimits rate_bps_limits{1e-09, 1000000000000000.0};
    static constexpr WholeLimits groups_limits{0, 1023};
    static constexpr RealLimits own_latency_s_limits{1e-09, 3600.0};
    static constexpr RealLimits own_rate_bps_limits{1e-09, 1000000000000000.0};

    /// how long ago it was measured
    double age_s = 0.0;
    /// message sizes of `latency_s`
    std::vector<std::uint64_t> sizes_B{};
    /// one-way latency by [size][source][destination], hosts or groups; null: not measured
    nlohmann::json latency_s{};
    /// throughput by [source][destination], hosts or groups; null: not measured
    nlohmann::json rate_bps{};
    /// group of each host; `latency_s` and `rate_bps` are then those of pairs between two groups or within one; absent:
    /// they are by host
    std::optional<std::vector<std::uint64_t>> groups{};
    /// if there are groups: one-way latency by [size][from this agent's host, then to it][other host]; null: not
    /// measured
    nlohmann::json own_latency_s{};
    /// the same for throughput, by [from this agent's host, then to it][other host]
    nlohmann::json own_rate_bps{};
};

/// Baselines are learnt while the program runs.
struct Learn {
    static constexpr RealLimits link_bps_limits{1e-09, 1000000000000000.0};

    /// highest rate at which earlier runs sent from this host
    std::optional<double> link_bps{};
};

/// Input for the agent's decisions.
struct Manage {
    static constexpr WholeLimits seed_limits{0, 9007199254740992};

    /// baseline of the cluster, from `fairlead characterize`
    Base base{};
    /// list of `[k, m, [[i, j], ...]]`: traffic from k to m slows each path i → j. Or the same of groups of hosts: an
    /// object with `groups`, by host, `hurts`, such a list of groups, and `fills`, by source a digit for each
    /// destination: the sum of 1 if traffic between the two fills a link between their groups, 2 if that of the source,
    /// 4 if that of the destination
    core::SharingRelation shares{0};
    /// settings by name, for example `{"congestion_level.medium_factor": 2}`
    nlohmann::json settings{};
    /// baselines are learnt; those in `base` are known from the start
    std::optional<Learn> learn{};
    /// list of `[peer, [[size_B, weight], ...]]`: message sizes that the program exchanges with a peer
    nlohmann::json mix{};
    /// false: no probes and no automatic reroutes, only manual ones
    bool automatic = true;
    /// added to the seed of random choices
    std::uint64_t seed = 0;
};

/// The relay plane; it excludes `guardian`.
struct RelayOptions {
    static constexpr WholeLimits capacity_B_limits{1024, 268435456};

    /// directory in which ranks find the agent's socket
    std::string directory{};
    /// size of each pool of frames
    std::uint32_t capacity_B = 2097152;
};

/// Tests: error added to the agent's clock.
struct ClockError {
    static constexpr RealLimits offset_s_limits{-1000000.0, 1000000.0};
    static constexpr RealLimits drift_limits{-0.001, 0.001};
    static constexpr RealLimits origin_s_limits{0.0, 9000000000.0};

    /// constant error
    double offset_s = 0.0;
    /// growth of the error [s per s]
    double drift = 0.0;
    /// when the error by drift is zero, in s since the epoch; default: the start
    std::optional<double> origin_s{};
};

/// The first line of input.
struct ConfigCommand {
    static constexpr WholeLimits self_limits{0, 1023};
    static constexpr WholeLimits uid_limits{0, 4294967295};
    static constexpr RealLimits lease_s_limits{0.1, 86400.0};
    static constexpr WholeLimits boot_id_limits{1, 9223372036854775807};

    /// job id, of the characters 0-9 and a-z; part of kernel names such as `fl-JOB`
    std::string job{};
    /// this agent's host
    std::uint32_t self = 0;
    /// all managed hosts, in the same order for all agents
    std::vector<ManagedHost> hosts{};
    /// command line of the guardian; null: no route plane
    std::optional<std::vector<std::string>> guardian{};
    /// user whose connections are watched and rerouted; null: the agent's own user
    std::optional<std::uint32_t> uid{};
    /// decision tables; null: only manual reroutes
    nlohmann::json manage{};
    /// relay plane; excludes `guardian`
    std::optional<RelayOptions> relay{};
    /// directory of the ranks' message rings; null: messages are not watched
    std::optional<std::string> rings{};
    /// which messages in `rings` lead to notices: `waited` (default), `always` or `never`
    std::optional<std::string> acknowledge{};
    /// time without a line after which the agent ends; null: it does not end
    std::optional<double> lease_s{};
    /// identifies this start of the host's agent; must increase with each start. Null: the host's wall clock in ns
    std::optional<std::uint64_t> boot_id{};
    /// tests: error added to the agent's clock
    std::optional<ClockError> clock_test{};
};

/// A TCP ping-pong, with clock exchanges by UDP before and after it.
struct PingpongCommand {
    static constexpr WholeLimits sizes_B_limits{1, 67108864};
    static constexpr WholeLimits exchanges_limits{1, 100000};
    static constexpr WholeLimits warmup_limits{0, 100000};
    static constexpr RealLimits timeout_s_limits{0.1, 86400.0};

    std::int64_t id = 0;
    /// the other host
    core::HostId peer = core::kNoHost;
    /// message sizes
    std::vector<std::uint64_t> sizes_B{};
    /// exchanges per size
    std::uint32_t exchanges = 0;
    /// unreported exchanges before them
    std::uint32_t warmup = 0;
    /// time after which the measurement fails
    double timeout_s = 25.0;
};

/// Sends as many bytes as TCP connections carry.
struct BulkCommand {
    static constexpr RealLimits duration_s_limits{0.001, 600.0};
    static constexpr WholeLimits streams_limits{1, 64};
    static constexpr RealLimits timeout_s_limits{0.1, 86400.0};

    std::int64_t id = 0;
    /// the other host
    core::HostId peer = core::kNoHost;
    /// how long to send
    double duration_s = 0.0;
    /// TCP connections
    std::uint32_t streams = 0;
    /// time beyond the duration after which the measurement fails
    double timeout_s = 25.0;
};

/// Small UDP probes. Fails if no peer answers any of them within 1 s.
struct ProbeCommand {
    static constexpr WholeLimits count_limits{1, 10000};
    static constexpr RealLimits interval_s_limits{0.0, 60.0};

    std::int64_t id = 0;
    /// hosts
    std::vector<core::HostId> peers{};
    /// probes per host
    std::uint32_t count = 0;
    /// interval between two of these
    double interval_s = 0.0;
};

/// Reroutes the traffic to a peer until it is restored.
struct RerouteCommand {
    std::int64_t id = 0;
    /// destination of the traffic
    core::HostId peer = core::kNoHost;
    /// relay to use
    core::HostId relay = core::kNoHost;
};

/// Reroutes the traffic to a peer by another equal-cost path until it is restored.
struct RerouteByWayCommand {
    static constexpr WholeLimits way_limits{1, 7};

    std::int64_t id = 0;
    /// destination of the traffic
    core::HostId peer = core::kNoHost;
    /// number of the path, up to `ways.count`
    std::uint32_t way = 0;
};

/// Restores the traffic to its direct path; succeeds if it is already there.
struct RestoreCommand {
    std::int64_t id = 0;
    /// destination of the traffic
    core::HostId peer = core::kNoHost;
};

/// Restores all pairs but those rerouted on command, and reroutes none for a while; the commands `reroute`,
/// `reroute_by_way` and `restore` work on.
struct PauseCommand {
    static constexpr RealLimits for_s_limits{0.0, 3600.0};

    std::int64_t id = 0;
    /// length from now on, whatever was said before; 0: the pause ends, and detours that it interrupted are taken again
    double for_s = 0.0;
};

/// How far the program's traffic is.
struct ProgressCommand {
    std::int64_t id = 0;
};

/// Replaces the known shared bottlenecks.
struct SharesCommand {
    std::int64_t id = 0;
    /// as in manage
    core::SharingRelation shares{0};
};

/// Tests: the agent's clock jumps.
struct StepClockCommand {
    static constexpr RealLimits offset_s_limits{-1000000.0, 1000000.0};

    std::int64_t id = 0;
    /// size of the jump
    double offset_s = 0.0;
};

/// Renews the lease. It has no answer.
struct LeaseCommand {
};

/// Ends the agent.
struct StopCommand {
};

/// What comes after the configuration.
using Command = std::variant<PingpongCommand, BulkCommand, ProbeCommand, RerouteCommand, RerouteByWayCommand,
                             RestoreCommand, PauseCommand, ProgressCommand, SharesCommand, StepClockCommand,
                             LeaseCommand, StopCommand>;

/// The agent that a message comes to: hosts are checked against this.
struct Receiver {
    core::HostId self = 0;
    core::HostId host_count = 0;
};

/// Each throws ProtocolError where the object is not as it must be.
ConfigCommand read_config(const nlohmann::json& object);
Manage read_manage(const nlohmann::json& object, const std::string& what, Receiver receiver);
/// `type`: the object's.
Command read_command(const std::string& type, const nlohmann::json& object, Receiver receiver);

}  // namespace fairlead::agent
