// SPDX-License-Identifier: Apache-2.0
// Base latency per ordered pair and message size, base throughput per pair, and how old they are. Pairs of hosts whose
// own values are not known have those of the pair of their groups, where there are groups.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class BaseTable {
  public:
    explicit BaseTable(HostId host_count, BaseSettings settings = {});

    HostId host_count() const { return host_count_; }

    /// Measured values; they replace what was known for that pair (and size). `when` is the time of the measurement
    /// on this host's clock, negative for one made before the agent started. Throws std::invalid_argument for a pair
    /// outside the job or a value that is not finite and positive.
    void set_latency(Pair pair, std::uint64_t size_B, double latency_s, Time when);
    void set_throughput(Pair pair, double rate_bps, Time when);

    /// One-way time of a message of this size on the free path: interpolated between measured sizes on the
    /// logarithms of size and time, below the smallest its value, above the largest continued with the base throughput
    /// (or the last slope per byte). Nothing if the pair was never measured.
    std::optional<double> latency_s(Pair pair, std::uint64_t size_B) const;
    /// Smallest measured size's latency.
    std::optional<double> latency_s(Pair pair) const;
    std::optional<double> throughput_bps(Pair pair) const;

    /// Age of the pair's youngest confirmation; nothing if never measured.
    std::optional<double> age_s(Pair pair, Time now) const;

    /// By host, the number of its group. Throws std::invalid_argument for one that is not of this job.
    void set_groups(std::vector<HostId> group_of);
    /// As for a pair of hosts: of pairs between two groups, or within one.
    void set_latency_between(Pair groups, std::uint64_t size_B, double latency_s, Time when);
    void set_throughput_between(Pair groups, double rate_bps, Time when);

    struct Shift {
        double from_s = 0.0;
        double to_s = 0.0;
    };
    /// A running measurement of the smallest size's latency. One near the base confirms it (its age starts anew); a
    /// shift that lasted for the whole shift window becomes the new base, all sizes being moved by the same time.
    std::optional<Shift> observe(Pair pair, double latency_s, Time now);

  private:
    struct Point {
        std::uint64_t size_B = 0;
        double latency_s = 0.0;
    };
    /// A run of samples that were all away from the base to the same side.
    struct Away {
        Time since = 0.0;
        std::uint32_t samples = 0;
        double min_s = 0.0;
        bool above = false;
    };
    struct Entry {
        std::vector<Point> points;  ///< by size
        double rate_bps = 0.0;      ///< 0: unknown
        Time confirmed = 0.0;
        Away away;
    };

    using Entries = std::unordered_map<std::size_t, Entry>;  // by pair_index, of hosts or of groups

    Entry& entry(Pair pair);
    Entry& entry_between(Pair groups);
    const Entry* find(Pair pair) const;
    static void put_latency(Entry& target, std::uint64_t size_B, double latency_s, Time when);
    static void put_throughput(Entry& target, double rate_bps, Time when);
    static double slope_s_per_B(const Entry& entry);

    HostId host_count_;
    BaseSettings settings_;
    std::vector<HostId> group_of_;  ///< empty: there are no groups
    Entries of_hosts_;
    Entries between_groups_;
};

}  // namespace fairlead::core
