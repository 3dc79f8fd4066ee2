// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/wire.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "fairlead/core/random.hpp"

namespace fairlead::core::wire {
namespace {

constexpr HostId kHosts = 16;

std::vector<Message> one_of_each() {
    LoadReport load;
    load.token = 9;
    load.entries = {{3, kNoHost, 123456789012ULL, 12ULL, 1448ULL, 4000000000U, 77U}, {4, 7, 0, 0}};
    return {
        Probe{7, -5, 100},
        ProbeReply{7, 1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 0.25, 3},
        Hello{kHosts, true},
        Goodbye{},
        PathQuery{1, 15},
        PathReport{1, 15, 3, 2, 0.010, 80e-6, 0.5},
        Notice{1, 2, CongestionLevel::high, 0.020},
        LoadQuery{9, false},
        load,
        RelayRequest{5, 6, 1e9, 2e6},
        RelayGrant{5, 6, 1450},
        RelayRefuse{5, 6, RefuseReason::stopping},
        RelayRelease{6},
        Heartbeat{false, {{3, 1e6}, {4, 0.0}}},
        SendQuery{{{1, {0xFEDCBA9876543210ULL, 3, 4, -7, 0xFFFFFE}}, {2, {5, 6, 7, 8, 0}}}},
        SendReport{{{1, 65536, -10, 5, 5, true}}},
        RanksHere{{0, 7, 4000000000U}, 0x1122334455667788ULL},
        Echo{8, 1, 2, 3, 5},
        EchoReply{8, 1, 2, 3, -12345}};
}

std::vector<std::uint8_t> bytes_of(const Message& message) {
    std::vector<std::uint8_t> bytes(kMaxMessage_B);
    bytes.resize(encode(message, bytes));
    return bytes;
}

DecodeError error_of(const std::vector<std::uint8_t>& bytes, HostId hosts = kHosts) {
    const Decoded decoded = decode(bytes, hosts);
    EXPECT_TRUE(std::holds_alternative<DecodeError>(decoded));
    return std::holds_alternative<DecodeError>(decoded) ? std::get<DecodeError>(decoded) : DecodeError{99};
}

TEST(Wire, EveryMessageComesBack) {
    const std::vector<Message> all = one_of_each();
    EXPECT_EQ(all.size(), std::variant_size_v<Message>);
    for (const Message& message : all) {
        const Decoded decoded = decode(bytes_of(message), kHosts);
        ASSERT_TRUE(std::holds_alternative<Message>(decoded)) << "kind " << message.index();
        EXPECT_EQ(std::get<Message>(decoded), message) << "kind " << message.index();
    }
}

TEST(Wire, LayoutIsLittleEndian) {
    const std::vector<std::uint8_t> expected = {kVersion, 5, 0x04, 0x03, 0x02, 0x01, 0x0f, 0x00};
    EXPECT_EQ(bytes_of(PathQuery{0x01020304, 15}), expected);
}

TEST(Wire, EveryPrefixIsTooShortAndEveryExtraByteTooLong) {
    for (const Message& message : one_of_each()) {
        const std::vector<std::uint8_t> whole = bytes_of(message);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            EXPECT_EQ(error_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}),
                      DecodeError::too_short);
        }
        std::vector<std::uint8_t> more = whole;
        more.push_back(0);
        EXPECT_EQ(error_of(more), DecodeError::too_long);
    }
}

TEST(Wire, RefusesWhatCannotBe) {
    std::vector<std::uint8_t> bytes = bytes_of(PathQuery{1, 15});
    EXPECT_EQ(error_of(bytes, 15), DecodeError::bad_host);
    bytes[0] = kVersion + 1;
    EXPECT_EQ(error_of(bytes), DecodeError::bad_version);
    bytes[0] = kVersion;
    bytes[1] = 0;
    EXPECT_EQ(error_of(bytes), DecodeError::unknown_kind);
    bytes[1] = 200;
    EXPECT_EQ(error_of(bytes), DecodeError::unknown_kind);
    EXPECT_EQ(error_of(bytes_of(Notice{2, 2, CongestionLevel::low, 0.0})), DecodeError::bad_host);
    EXPECT_EQ(error_of(bytes_of(Echo{1, 2, 2, 3})), DecodeError::bad_host);
    EXPECT_EQ(error_of(bytes_of(EchoReply{1, 2, 3, 3})), DecodeError::bad_host);
    EXPECT_EQ(error_of(bytes_of(Echo{1, 2, 3, way_of(kMaxWays)})), DecodeError::bad_host);
    EXPECT_EQ(error_of(bytes_of(Echo{1, 2, 3, kNoHost})), DecodeError::bad_host);
    EXPECT_EQ(error_of(bytes_of(Notice{1, 2, CongestionLevel{3}, 0.0})), DecodeError::bad_value);
    EXPECT_EQ(error_of(bytes_of(PathReport{1, 2, 3, 4, 0.0, 0.0, 0.0})), DecodeError::bad_value);
    EXPECT_EQ(error_of(bytes_of(RelayRefuse{1, 2, RefuseReason{9}})), DecodeError::bad_value);
    for (const double value :
         {-1.0, -0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
        EXPECT_EQ(error_of(bytes_of(RelayRequest{1, 2, value})), DecodeError::bad_value) << value;
    }
    bytes = bytes_of(Heartbeat{true});
    bytes[2] = 2;
    EXPECT_EQ(error_of(bytes), DecodeError::bad_value);
    EXPECT_EQ(error_of(bytes_of(Heartbeat{false, {{kHosts, 1e6}}})), DecodeError::bad_host);
    EXPECT_EQ(error_of(bytes_of(Heartbeat{false, {{1, -1.0}}})), DecodeError::bad_value);
    bytes = bytes_of(Probe{1, 2, 4});
    bytes.back() = 1;
    EXPECT_EQ(error_of(bytes), DecodeError::bad_value) << "padding";
    EXPECT_EQ(error_of(std::vector<std::uint8_t>(kMaxMessage_B + 1, kVersion)), DecodeError::too_long);
}

TEST(Wire, EchoesMayTakeAWay) {
    for (const HostId way : {way_of(0), way_of(kMaxWays - 1)}) {
        const Message echo = Echo{1, 2, 3, way};
        EXPECT_EQ(std::get<Message>(decode(bytes_of(echo), kHosts)), echo);
        const Message reply = EchoReply{1, 2, 3, way};
        EXPECT_EQ(std::get<Message>(decode(bytes_of(reply), kHosts)), reply);
    }
}

TEST(Wire, EncodeKeepsItsLimits) {
    std::array<std::uint8_t, kMaxMessage_B> out{};
    LoadReport load;
    load.entries.resize(kMaxLoadEntries);
    EXPECT_GT(encode(load, out), 0U);
    load.entries.resize(kMaxLoadEntries + 1);
    EXPECT_EQ(encode(load, out), 0U);
    Heartbeat beat;
    beat.uses.resize(kMaxRelayUses);
    EXPECT_LE(encode(beat, out), 1400U) << "one packet";
    EXPECT_GT(encode(beat, out), 0U);
    beat.uses.resize(kMaxRelayUses + 1);
    EXPECT_EQ(encode(beat, out), 0U);
    EXPECT_GT(encode(ProbeReply{1, 2, 3, 4, 0.0, kMaxPadding_B}, out), 0U);
    EXPECT_EQ(encode(Probe{1, 2, kMaxPadding_B + 1}, out), 0U);
    EXPECT_EQ(encode(Echo{1, 2, 3, 4, 0}, out), kEcho_B);
    EXPECT_EQ(encode(Echo{1, 2, 3, 4, kMaxEchoPadding_B}, out), kMaxMessage_B);
    EXPECT_EQ(encode(Echo{1, 2, 3, 4, kMaxEchoPadding_B + 1}, out), 0U);
    EXPECT_EQ(encode(LoadQuery{1}, std::span(out).first(6)), 0U);
    EXPECT_EQ(encode(LoadQuery{1}, std::span(out).first(1)), 0U);
    EXPECT_EQ(encode(LoadQuery{1}, std::span(out).first(7)), 7U);
}

TEST(Wire, WhatRandomBytesDecodeToEncodesToThem) {
    Random random(1);
    int decoded = 0;
    for (int i = 0; i < 60000; ++i) {
        std::vector<std::uint8_t> bytes(random.below(24) + 2);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(4));
        bytes[0] = kVersion;
        bytes[1] = static_cast<std::uint8_t>(random.below(20));
        const Decoded result = decode(bytes, kHosts);
        if (const Message* message = std::get_if<Message>(&result)) {
            ++decoded;
            EXPECT_EQ(bytes_of(*message), bytes);
        }
    }
    EXPECT_GT(decoded, 100);
}

}  // namespace
}  // namespace fairlead::core::wire
