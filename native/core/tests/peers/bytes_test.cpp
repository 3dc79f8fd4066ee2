// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/bytes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fairlead::core {
namespace {

TEST(ByteWriter, PutsTheLeastByteFirst) {
    std::array<std::uint8_t, 16> space{};
    ByteWriter writer(space);
    writer.put(std::uint16_t{0x0102});
    writer.put(std::int32_t{-2});
    writer.put(true);
    writer.padding(2);
    EXPECT_EQ(writer.length(), 9U);
    EXPECT_EQ(space, (std::array<std::uint8_t, 16>{2, 1, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0}));
}

TEST(ByteWriter, WritesNothingAfterTheEndAndSaysSo) {
    std::array<std::uint8_t, 5> space{};
    ByteWriter writer(std::span<std::uint8_t>(space).first(3));
    writer.put(std::uint16_t{0xffff});
    EXPECT_EQ(writer.length(), 2U);
    writer.put(std::uint16_t{0xffff});
    EXPECT_EQ(writer.length(), 0U);
    writer.put(std::uint8_t{0xff});
    EXPECT_EQ(writer.length(), 0U) << "a failure stays one";
    EXPECT_EQ(space[3], 0);
    EXPECT_EQ(space[4], 0);
    ByteWriter failed(space);
    failed.put(std::uint8_t{1});
    failed.fail();
    EXPECT_EQ(failed.length(), 0U);
}

TEST(ByteReader, TakesWhatWasPut) {
    std::array<std::uint8_t, 32> space{};
    ByteWriter writer(space);
    writer.put(std::uint8_t{0xfe});
    writer.put(std::uint64_t{0x0102030405060708});
    writer.put(std::int64_t{-5});
    writer.put(-1.5);
    ASSERT_EQ(writer.length(), 25U);
    ByteReader reader(std::span<std::uint8_t>(space).first(writer.length()));
    EXPECT_EQ(reader.take<std::uint8_t>(), 0xfe);
    EXPECT_EQ(reader.take<std::uint64_t>(), 0x0102030405060708U);
    EXPECT_EQ(static_cast<std::int64_t>(reader.take<std::uint64_t>()), -5);
    EXPECT_EQ(reader.rest().size(), 8U);
    EXPECT_DOUBLE_EQ(std::bit_cast<double>(reader.take<std::uint64_t>()), -1.5);
    EXPECT_TRUE(reader.rest().empty());
    EXPECT_FALSE(reader.too_short());
}

TEST(ByteReader, AfterAFieldThatIsNotAllThereAllAreZero) {
    const std::array<std::uint8_t, 3> bytes{1, 2, 3};
    ByteReader reader(bytes);
    EXPECT_EQ(reader.take<std::uint32_t>(), 0U);
    EXPECT_TRUE(reader.too_short());
    EXPECT_EQ(reader.take<std::uint8_t>(), 0) << "also those for which there was room";
    EXPECT_TRUE(reader.rest().empty());
}

}  // namespace
}  // namespace fairlead::core
