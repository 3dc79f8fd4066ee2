// SPDX-License-Identifier: Apache-2.0
// What everything in fairlead::core speaks about: hosts by index, ordered host pairs, congestion levels, time as an
// argument.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fairlead/core/generated/enums.hpp"

namespace fairlead::core {

/// Seconds of one monotonic clock of this host. The library has no clock: every call that needs the time is given it.
using Time = double;

/// Index of a host in the job's host list.
using HostId = std::uint16_t;

/// "No host": the direct path where a relay is expected.
inline constexpr HostId kNoHost = 0xffff;

/// Hosts a job may have; keeps every index and every per-pair table bounded.
inline constexpr HostId kMaxHosts = 1024;

/// In place of a relay: another equal-cost path to the destination itself, which the data plane's outer header with
/// that number takes. Such numbers follow kFirstWay and are no hosts.
inline constexpr HostId kFirstWay = 0xff00;
inline constexpr int kMaxWays = 7;
inline constexpr bool is_way(HostId relay) {
    return relay >= kFirstWay && relay < kFirstWay + kMaxWays;
}
/// Of a way's number, from 0.
inline constexpr HostId way_of(int number) {
    return static_cast<HostId>(kFirstWay + number);
}
inline constexpr int way_number(HostId way) {
    return way - kFirstWay;
}

/// An ordered host pair: the directed path from source to destination.
struct Pair {
    HostId source = kNoHost;
    HostId destination = kNoHost;
    friend bool operator==(const Pair&, const Pair&) = default;
};

/// Row-major index of an ordered pair in tables of host_count^2 entries.
inline std::size_t pair_index(Pair pair, HostId host_count) {
    return static_cast<std::size_t>(pair.source) * host_count + pair.destination;
}

/// Whether both ends exist and differ.
inline bool valid(Pair pair, HostId host_count) {
    return pair.source < host_count && pair.destination < host_count && pair.source != pair.destination;
}

}  // namespace fairlead::core
