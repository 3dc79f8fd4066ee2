// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/noise_sources.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead::benchmark {
namespace {

constexpr std::string_view kInterrupts =
    "           CPU0       CPU2       \n"
    " 24:          1          7  IO-APIC   5-edge      ACPI:Ged\n"
    " 41:      44413          2  PCI-MSIX-0000:00:04.0   1-edge      virtio3-rx\n"
    " 18:          3          4  IO-APIC   18-fasteoi   ahci, i801_smbus\n"
    "LOC:   79061213   76688727   Local timer interrupts\n"
    "ERR:          5\n"
    "MIS:          0\n";

std::vector<std::pair<std::string, std::uint64_t>> pairs_of(const std::vector<Counter>& counters) {
    std::vector<std::pair<std::string, std::uint64_t>> pairs;
    for (const Counter& each : counters) {
        pairs.emplace_back(each.name, each.count);
    }
    return pairs;
}

using Pairs = std::vector<std::pair<std::string, std::uint64_t>>;

TEST(NoiseSources, AProcessorsInterruptsHaveTheNamesOfDevices) {
    EXPECT_EQ(
        pairs_of(counters_of(kInterrupts, 2)),
        (Pairs{{"ACPI:Ged", 7}, {"virtio3-rx", 2}, {"ahci, i801_smbus", 4}, {"Local timer interrupts", 76688727}}));
    EXPECT_EQ(counters_of(kInterrupts, 0).at(1).count, 44413U);
    EXPECT_TRUE(counters_of(kInterrupts, 1).empty()) << "it is off line";
    EXPECT_TRUE(counters_of("", 0).empty());
}

TEST(NoiseSources, SoftirqsHaveTheirKey) {
    const auto found =
        counters_of("                    CPU0\n      TIMER:    3085037\n        RCU: 5\n", 0, "softirq ");
    EXPECT_EQ(pairs_of(found), (Pairs{{"softirq TIMER", 3085037}, {"softirq RCU", 5}}));
}

TEST(NoiseSources, WhatTheHypervisorTook) {
    constexpr std::string_view text =
        "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 1 2 3 4 5 6 7 88 9 10\ncpu10 0 0 0 0 0 0 0 5 0 0\n";
    EXPECT_EQ(steal_ticks(text, 1), 88U);
    EXPECT_EQ(steal_ticks(text, 10), 5U);
    EXPECT_EQ(steal_ticks(text, 0), std::nullopt);
    EXPECT_EQ(steal_ticks("cpu1 1 2 3\n", 1), std::nullopt) << "kernels before steal";
}

TEST(NoiseSources, ALookNumbersSetsOfSources) {
    NoiseSources sources(0);
    sources.look();
    const auto number = sources.look();
    ASSERT_TRUE(number.has_value());
    ASSERT_LT(*number, sources.sets().size());
    EXPECT_TRUE(sources.sets()[0].empty());
    for (const auto& set : sources.sets()) {
        for (const std::size_t place : set) {
            EXPECT_LT(place, sources.names().size());
        }
    }
}

}  // namespace
}  // namespace fairlead::benchmark
