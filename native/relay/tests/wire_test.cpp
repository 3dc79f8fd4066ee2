// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fairlead/core/random.hpp"

namespace fairlead::relay::wire {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr Process kProcesses = 8;

Bytes bytes_of(const Frame& frame, const Bytes& payload = {}) {
    Bytes bytes(kHeader_B + kMaxBody_B + payload.size());
    bytes.resize(encode(frame, payload, bytes));
    return bytes;
}

std::vector<std::pair<Frame, Bytes>> one_of_each() {
    const Progress progress{11, 7, 1ULL << 40};
    return {{{1, 2, 0, progress, Pull{}, 0xfedcba9876543210ULL}, {}},
            {{1, 2, 9, progress, Envelope{3, 0x1122334455667788ULL, 5, 6, 12, 4, true, true}}, {1, 2, 3, 4}},
            {{1, 2, 9, progress, Envelope{3, 4, 5, 0x7fffffff, 0, kMaxMessage_B, false, false}}, {}},
            {{1, 2, 9, progress, Envelope{3, 4, 5, 6, 0, 0, false, true}}, {}},
            {{7, 0, 1, {}, Pull{3}}, {}},
            {{7, 0, 1, {}, Payload{3, 1ULL << 33, 3}}, {9, 8, 7}},
            {{7, 0, ~0ULL, {}, Matched{3}}, {}},
            {{7, 0, 1, {}, Consent{Consent::Step::ask}}, {}},
            {{7, 0, 2, progress, Consent{Consent::Step::give_back}}, {}}};
}

DecodeError error_of(const Bytes& bytes, Process processes = kProcesses) {
    const auto decoded = decode(bytes, processes);
    EXPECT_TRUE(std::holds_alternative<DecodeError>(decoded));
    return std::holds_alternative<DecodeError>(decoded) ? std::get<DecodeError>(decoded) : DecodeError{99};
}

TEST(RelayWire, EveryFrameComesBack) {
    for (const auto& [frame, payload] : one_of_each()) {
        const Bytes bytes = bytes_of(frame, payload);
        const auto decoded = decode(bytes, kProcesses);
        ASSERT_TRUE(std::holds_alternative<Decoded>(decoded)) << "body " << frame.body.index();
        EXPECT_EQ(std::get<Decoded>(decoded).frame, frame) << "body " << frame.body.index();
        EXPECT_TRUE(std::ranges::equal(std::get<Decoded>(decoded).payload, payload));
        EXPECT_EQ(std::get<std::size_t>(length_of(bytes).value()), bytes.size());
    }
}

TEST(RelayWire, LayoutIsLittleEndianAndBeginsWithTheLength) {
    const Bytes expected = {62, 0, 0, 0, kVersion, 2, 1, 0, 0, 0, 2, 0, 0, 0, 9, 4, 0, 0, 0, 0, 0,
                            0,  5, 0, 0, 0,        0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0,
                            0,  0, 0, 0, 8,        0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(bytes_of({1, 2, 5, {6, 7, 8}, Pull{0x103}, 0x409}), expected);
}

TEST(RelayWire, AFrameMaySayThatItsReceiverWasHeard) {
    for (const auto& [frame, payload] : one_of_each()) {
        Bytes bytes = bytes_of(frame, payload);
        EXPECT_FALSE(std::get<Ends>(ends_of(bytes, kProcesses)).heard);
        say_heard(bytes);
        EXPECT_TRUE(std::get<Ends>(ends_of(bytes, kProcesses)).heard);
        EXPECT_EQ(std::get<Decoded>(decode(bytes, kProcesses)).frame, frame) << "body " << frame.body.index();
    }
}

TEST(RelayWire, AFrameTellsAgentsWhoseItIs) {
    const auto read = ends_of(bytes_of({1, 2, 5, {}, Pull{3}, 0xfedcba9876543210ULL}), kProcesses);
    const Ends& ends = std::get<Ends>(read);
    EXPECT_EQ(ends.from, 1U);
    EXPECT_EQ(ends.to, 2U);
    EXPECT_EQ(ends.world, 0xfedcba9876543210ULL);
}

TEST(RelayWire, EveryOtherLengthIsRefused) {
    for (const auto& [frame, payload] : one_of_each()) {
        const Bytes whole = bytes_of(frame, payload);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
            EXPECT_EQ(error_of(part), DecodeError::bad_length);
            // The same when the header agrees with what is there.
            if (length >= 4) part[0] = static_cast<std::uint8_t>(length);
            EXPECT_EQ(error_of(part), DecodeError::bad_length);
        }
        Bytes more = whole;
        more.push_back(0);
        EXPECT_EQ(error_of(more), DecodeError::bad_length);
        ++more[0];
        EXPECT_EQ(error_of(more), DecodeError::bad_length);
    }
}

TEST(RelayWire, AStreamWithAnImpossibleLengthIsLost) {
    EXPECT_EQ(length_of(Bytes{1, 2, 3}), std::nullopt);
    EXPECT_EQ(std::get<DecodeError>(length_of(Bytes{kHeader_B - 1, 0, 0, 0}).value()), DecodeError::bad_length);
    EXPECT_EQ(std::get<DecodeError>(length_of(Bytes{0xff, 0xff, 0xff, 0xff}).value()), DecodeError::bad_length);
    EXPECT_EQ(std::get<std::size_t>(length_of(Bytes{kHeader_B, 0, 0, 0, 1}).value()), kHeader_B);
}

TEST(RelayWire, RefusesWhatCannotBe) {
    const Bytes pull = bytes_of({1, 2, 5, {}, Pull{3}});
    const auto with = [&](std::size_t place, std::uint8_t value) {
        Bytes bytes = pull;
        bytes[place] = value;
        return error_of(bytes);
    };
    EXPECT_EQ(with(4, kVersion + 1), DecodeError::bad_version);
    EXPECT_EQ(with(5, 6), DecodeError::unknown_kind);
    EXPECT_EQ(with(5, 0), DecodeError::bad_value) << "bare progress has no sequence number";
    EXPECT_EQ(with(22, 0), DecodeError::bad_value) << "a body has one";
    EXPECT_EQ(with(6, 2), DecodeError::bad_process) << "to itself";
    EXPECT_EQ(error_of(pull, 2), DecodeError::bad_process);
    EXPECT_EQ(with(kHeader_B, 0), DecodeError::bad_value) << "messages are numbered from 1";
    Bytes envelope = bytes_of({1, 2, 5, {}, Envelope{1, 0, 0, 0, 0, 8, false, false}});
    envelope.back() = 4;
    EXPECT_EQ(error_of(envelope), DecodeError::bad_value) << "flags";
    envelope.back() = 2;
    EXPECT_EQ(error_of(envelope), DecodeError::bad_length) << "its payload is not there";
    envelope.back() = 0;
    envelope[kHeader_B + 23] = 0x80;
    EXPECT_EQ(error_of(envelope), DecodeError::bad_value) << "a negative tag";
    Bytes consent = bytes_of({1, 2, 5, {}, Consent{Consent::Step::give_back}});
    ++consent.back();
    EXPECT_EQ(error_of(consent), DecodeError::bad_value) << "no such step";
}

TEST(RelayWire, EncodesNothingThatWouldBeRefused) {
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Pull{0}}).empty());
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Pull{3}}, {1}).empty()) << "a pull has no payload";
    EXPECT_TRUE(bytes_of({1, 2, 0, {}, Pull{}}, {1}).empty());
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Envelope{1, 0, -1, 0, 0, 8, false, false}}).empty());
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Envelope{1, 0, 0, 0, 0, 0, false, false}}).empty());
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Envelope{1, 0, 0, 0, 0, kMaxMessage_B + 1, false, false}}).empty());
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Payload{1, 0, kMaxPayload_B + 1}}, Bytes(kMaxPayload_B + 1)).empty());
    EXPECT_TRUE(bytes_of({1, 2, 5, {}, Payload{1, kMaxMessage_B, 1}}, {1}).empty());
    Bytes small(kHeader_B + 8);
    EXPECT_EQ(encode({1, 2, 5, {}, Pull{3}}, {}, small), small.size());
    small.pop_back();
    EXPECT_EQ(encode({1, 2, 5, {}, Pull{3}}, {}, small), 0U);
    EXPECT_EQ(encode({1, 2, 5, {}, Pull{3}}, {}, std::span(small).first(3)), 0U);
}

TEST(RelayWire, WhatChangedBytesDecodeToEncodesToThem) {
    core::Random random(5);
    const auto all = one_of_each();
    int decoded_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto& [frame, payload] = all[random.below(all.size())];
        Bytes bytes = bytes_of(frame, payload);
        for (std::uint64_t changes = random.below(3); changes > 0; --changes) {
            bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.below(5));
        }
        const auto decoded = decode(bytes, kProcesses);
        const auto* whole = std::get_if<Decoded>(&decoded);
        if (whole == nullptr) continue;
        ++decoded_count;
        ASSERT_EQ(bytes_of(whole->frame, Bytes(whole->payload.begin(), whole->payload.end())), bytes);
    }
    EXPECT_GT(decoded_count, 5000);
}

}  // namespace
}  // namespace fairlead::relay::wire
