// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstdint>
#include <string_view>

namespace fairlead::agent {

/// Why a datagram or a connection (the last three) was refused.
enum class Refusal : std::uint8_t {
    /// shorter than header and tag
    too_short,
    /// longer than any message
    too_long,
    /// another version, or a reserved byte that is not zero
    bad_version,
    /// no such host, or this one itself
    bad_sender,
    /// made for another host
    bad_receiver,
    /// not from the sender's address and port
    bad_address,
    /// not sealed with the job's key, or modified in transit
    not_sealed,
    /// seen before, too old, or from an earlier start of the sender
    replayed,
    /// sealed correctly, but not a message of the protocol
    malformed,
    /// connection from an address outside the cluster
    bad_stranger,
    /// the peer does not have the job's secret
    bad_challenge,
    /// more than the agent serves at once
    too_many,
};

constexpr std::string_view name(Refusal value) {
    switch (value) {
        case Refusal::too_short:
            return "too short";
        case Refusal::too_long:
            return "too long";
        case Refusal::bad_version:
            return "bad version";
        case Refusal::bad_sender:
            return "unknown sender";
        case Refusal::bad_receiver:
            return "for another host";
        case Refusal::bad_address:
            return "wrong address";
        case Refusal::not_sealed:
            return "not sealed";
        case Refusal::replayed:
            return "replayed";
        case Refusal::malformed:
            return "malformed";
        case Refusal::bad_stranger:
            return "not of the cluster";
        case Refusal::bad_challenge:
            return "not authenticated";
        case Refusal::too_many:
            return "too many connections";
    }
    return "unknown";
}

/// Scheduling granted by the kernel, so that polling ranks do not starve the agent.
enum class Scheduling : std::uint8_t {
    /// SCHED_FIFO, lowest priority: needs CAP_SYS_NICE or RLIMIT_RTPRIO
    realtime,
    /// SCHED_OTHER with a slice of 0.1 ms: Linux 6.12 or newer, no privilege
    short_slice,
    /// like any other process
    normal,
};

constexpr std::string_view name(Scheduling value) {
    switch (value) {
        case Scheduling::realtime:
            return "realtime";
        case Scheduling::short_slice:
            return "short slice";
        case Scheduling::normal:
            return "normal";
    }
    return "unknown";
}

/// Severity of what is logged.
enum class LogLevel : std::uint8_t {
    /// something is missing; the agent continues without it
    warning,
    /// something does not work; the user is informed
    error,
};

constexpr std::string_view name(LogLevel value) {
    switch (value) {
        case LogLevel::warning:
            return "warning";
        case LogLevel::error:
            return "error";
    }
    return "unknown";
}

}  // namespace fairlead::agent
