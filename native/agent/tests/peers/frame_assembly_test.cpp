// SPDX-License-Identifier: Apache-2.0
#include "peers/frame_assembly.hpp"

#include <gtest/gtest.h>

#include "peers/stream.hpp"

namespace fairlead::agent {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::optional<Bytes> add(FrameAssembly& assembly, core::HostId source, const Bytes& part, bool begins, bool ends) {
    const auto whole = assembly.add({{9, source}, begins, ends, part});
    if (!whole) return std::nullopt;
    return Bytes(whole->begin(), whole->end());
}

TEST(FrameAssembly, PartsOfSeveralSourcesAlternate) {
    FrameAssembly assembly;
    EXPECT_EQ(add(assembly, 1, {1, 2}, true, false), std::nullopt);
    EXPECT_EQ(add(assembly, 2, {7}, true, false), std::nullopt);
    EXPECT_EQ(add(assembly, 3, {5, 5}, true, true), (Bytes{5, 5})) << "a frame of one part";
    EXPECT_EQ(add(assembly, 1, {3}, false, false), std::nullopt);
    EXPECT_EQ(add(assembly, 2, {8}, false, true), (Bytes{7, 8}));
    EXPECT_EQ(add(assembly, 1, {4}, false, true), (Bytes{1, 2, 3, 4}));
}

TEST(FrameAssembly, AWholeFrameStaysUntilItIsTaken) {
    FrameAssembly assembly;
    add(assembly, 1, {1}, true, false);
    for (int look = 0; look < 3; ++look) EXPECT_EQ(add(assembly, 1, {2}, false, true), (Bytes{1, 2}));
    assembly.done(1);
    add(assembly, 1, {3}, true, false);
    EXPECT_EQ(add(assembly, 1, {4}, false, true), (Bytes{3, 4}));
}

TEST(FrameAssembly, WhatAConnectionLostIsDropped) {
    FrameAssembly assembly;
    EXPECT_EQ(add(assembly, 1, {2}, false, false), std::nullopt) << "its beginning went another way";
    EXPECT_EQ(add(assembly, 1, {3}, false, true), std::nullopt);
    add(assembly, 1, {4}, true, false);
    add(assembly, 1, {5}, true, false);
    EXPECT_EQ(add(assembly, 1, {6}, false, true), (Bytes{5, 6})) << "the rest of the earlier one never comes";
    assembly.done(1);
    add(assembly, 1, {7}, true, false);
    EXPECT_EQ(add(assembly, 1, {8}, true, true), (Bytes{8}));
    EXPECT_EQ(add(assembly, 1, {9}, false, true), std::nullopt);
}

TEST(FrameAssembly, NoMoreMemoryThanTheLongestFrame) {
    FrameAssembly assembly;
    const Bytes part(kMaxPart_B);
    add(assembly, 1, part, true, false);
    std::size_t held_B = part.size();
    for (; held_B + part.size() <= relay::wire::kMaxFrame_B; held_B += part.size()) {
        add(assembly, 1, part, false, false);
    }
    EXPECT_THROW(add(assembly, 1, part, false, false), StreamError);
}

}  // namespace
}  // namespace fairlead::agent
