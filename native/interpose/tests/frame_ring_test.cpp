// SPDX-License-Identifier: Apache-2.0
#include "relay/channel/frame_ring.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "relay/channel/channel.hpp"

namespace fairlead::relay {
namespace {

constexpr std::uint64_t kRing_B = 8192;
using Bytes = std::vector<std::uint8_t>;

/// A channel's memory as both sides have it: mapped twice.
struct Shared {
    int fd = memfd_create("test", MFD_CLOEXEC);
    bool sized = ftruncate(fd, static_cast<off_t>(ChannelMemory::size_B(3, kRing_B))) == 0;
    ChannelMemory rank{fd, 3, kRing_B};
    ChannelMemory agent{fd, 3, kRing_B};
    ~Shared() { close(fd); }
};

Bytes frame_of(std::size_t size_B, std::size_t number) {
    Bytes frame(size_B);
    for (std::size_t i = 0; i < size_B; ++i) frame[i] = static_cast<std::uint8_t>(i + number);
    return frame;
}

TEST(FrameRing, FramesComeOutAsTheyWentInAcrossItsEnd) {
    Shared shared;
    FrameWriter writer(shared.rank.to_agent());
    FrameReader reader(shared.agent.to_agent());
    for (std::size_t number = 0; number < 500; ++number) {
        const Bytes frame = frame_of(number * 37 % 3000, number);
        ASSERT_TRUE(writer.room(frame.size()));
        writer.write(frame);
        const auto front = reader.front();
        ASSERT_TRUE(front);
        EXPECT_TRUE(std::ranges::equal(*front, frame)) << number;
        reader.pop();
        EXPECT_FALSE(reader.front());
    }
    EXPECT_EQ(writer.read_B(), writer.written_B());
}

TEST(FrameRing, RoomIsWhatTheReaderHasTaken) {
    Shared shared;
    FrameWriter writer(shared.agent.to_rank());
    FrameReader reader(shared.rank.to_rank());
    EXPECT_TRUE(writer.room(kRing_B - 8));
    EXPECT_FALSE(writer.room(kRing_B - 7));
    for (int i = 0; i < 8; ++i) writer.write(frame_of(1016, 0));
    EXPECT_FALSE(writer.room(0));
    reader.front();
    reader.pop();
    EXPECT_TRUE(writer.room(1016));
    EXPECT_FALSE(writer.room(1017));
}

TEST(FrameRing, NoNumberOfTheOtherSideIsTrusted) {
    Shared shared;
    FrameWriter writer(shared.rank.to_agent());
    RingCounters& counters = *shared.rank.to_agent().counters;
    writer.write(frame_of(100, 0));
    const auto refused = [&] {
        FrameReader reader(shared.agent.to_agent());
        EXPECT_THROW(reader.front(), CorruptRing);
    };
    for (const std::uint64_t written_B : {kRing_B + 1, std::uint64_t{7}, ~std::uint64_t{0}, std::uint64_t{104}}) {
        counters.written_B = written_B;
        refused();
    }
    counters.written_B = 112;
    for (const std::uint64_t length_B : {std::uint64_t{105}, kRing_B, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
        std::memcpy(shared.rank.to_agent().at(0), &length_B, sizeof length_B);
        refused();
    }
    counters.read_B = 113;
    EXPECT_THROW(writer.read_B(), CorruptRing);
}

TEST(FrameRing, TheBellIsRungOnceForEachWish) {
    RingCounters counters{};
    EXPECT_FALSE(take_wish(counters));
    want_bell(counters);
    EXPECT_TRUE(take_wish(counters));
    EXPECT_FALSE(take_wish(counters));
}

TEST(ChannelMemory, BothSidesSeeTheSamePlaces) {
    Shared shared;
    shared.agent.place(2) = Place::relay;
    EXPECT_EQ(shared.rank.place(2).load(), Place::relay);
    EXPECT_EQ(shared.rank.place(1).load(), Place::unknown);
}

}  // namespace
}  // namespace fairlead::relay
