// SPDX-License-Identifier: Apache-2.0
#include "peers/sealed_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/keys.hpp"

namespace fairlead::agent {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes sealed(const std::vector<Bytes>& frames) {
    RecordSealer sealer(key_of(1));
    Bytes stream;
    core::HostId host = 0;
    for (const Bytes& frame : frames) {
        sealer.seal({{static_cast<core::HostId>(host + 1), host}, host == 0, host == 1, frame}, stream);
        ++host;
    }
    return stream;
}

/// What comes out of a stream that arrives in pieces; and what ends it, if something does.
struct Opened {
    std::vector<Bytes> frames;
    std::vector<Journey> journeys;
    std::optional<RecordOpener::Fault> fault;
};

Opened open(std::span<const std::uint8_t> stream, std::size_t piece_B, std::uint8_t key = 1) {
    RecordOpener opener(key_of(key));
    Opened opened;
    while (!stream.empty()) {
        const auto space = opener.space();
        const std::size_t size_B = std::min({piece_B, space.size(), stream.size()});
        std::copy_n(stream.begin(), size_B, space.begin());
        stream = stream.subspan(size_B);
        opener.filled(size_B);
        for (;;) {
            const auto next = opener.front();
            if (std::holds_alternative<RecordOpener::Incomplete>(next)) break;
            if (const auto* const fault = std::get_if<RecordOpener::Fault>(&next)) {
                opened.fault = *fault;
                return opened;
            }
            const Record& record = std::get<Record>(next);
            EXPECT_EQ(record.begins, opened.frames.empty());
            EXPECT_EQ(record.ends, opened.frames.size() == 1);
            opened.frames.emplace_back(record.part.begin(), record.part.end());
            opened.journeys.push_back(record.journey);
            opener.pop();
        }
    }
    return opened;
}

const std::vector<Bytes> kFrames{Bytes(1, 7), Bytes(), Bytes(300, 8), Bytes(kMaxPart_B, 9)};

TEST(SealedRecords, ComeBackInOrderHoweverTheyAreCut) {
    const Bytes stream = sealed(kFrames);
    EXPECT_EQ(stream.size(), 4 * kRecordOverhead_B + 1 + 300 + kMaxPart_B);
    for (const std::size_t piece_B : {1U, 7U, 4096U, 1'000'000U}) {
        const Opened opened = open(stream, piece_B);
        EXPECT_FALSE(opened.fault);
        EXPECT_EQ(opened.frames, kFrames) << "in pieces of " << piece_B;
        EXPECT_EQ(opened.journeys, (std::vector<Journey>{{1, 0}, {2, 1}, {3, 2}, {4, 3}}));
    }
}

TEST(SealedRecords, TheLongestFitsAndALongerOneIsRefused) {
    const Bytes longest(kMaxPart_B, 3);
    EXPECT_EQ(open(sealed({longest, kFrames[0]}), 65536).frames, (std::vector<Bytes>{longest, kFrames[0]}));
    EXPECT_THROW(sealed({Bytes(kMaxPart_B + 1)}), std::length_error);
}

TEST(SealedRecords, AFrameStaysAtTheFrontUntilItIsTaken) {
    const Bytes stream = sealed(kFrames);
    RecordOpener opener(key_of(1));
    std::copy(stream.begin(), stream.end(), opener.space().begin());
    opener.filled(stream.size());
    for (int look = 0; look < 3; ++look) {
        const auto next = opener.front();
        ASSERT_TRUE(std::holds_alternative<Record>(next));
        EXPECT_EQ(std::get<Record>(next).part.size(), 1U);
    }
    opener.pop();
    EXPECT_EQ(std::get<Record>(opener.front()).part.size(), 0U);
}

TEST(SealedRecords, WhatIsChangedLeftOutOrRepeatedEndsTheStream) {
    const Bytes good = sealed({Bytes(10, 1), Bytes(10, 2), Bytes(10, 3)});
    const std::size_t record_B = good.size() / 3;
    for (std::size_t place = 0; place < record_B; ++place) {
        Bytes changed = good;
        changed[place] ^= 1;
        const Opened opened = open(changed, 65536);
        EXPECT_TRUE(opened.frames.empty()) << "byte " << place;
        // With another byte 1 the record is longer than this stream, and waited for.
        EXPECT_EQ(opened.fault.has_value(), place != 1) << "byte " << place;
    }
    Bytes without_second = good;
    without_second.erase(without_second.begin() + static_cast<std::ptrdiff_t>(record_B),
                         without_second.begin() + static_cast<std::ptrdiff_t>(2 * record_B));
    EXPECT_EQ(open(without_second, 65536).frames.size(), 1U);
    EXPECT_EQ(open(without_second, 65536).fault, RecordOpener::Fault::not_sealed);
    Bytes repeated(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(record_B));
    repeated.insert(repeated.end(), good.begin(), good.begin() + static_cast<std::ptrdiff_t>(record_B));
    EXPECT_EQ(open(repeated, 65536).fault, RecordOpener::Fault::not_sealed);
    EXPECT_EQ(open(good, 65536, 2).fault, RecordOpener::Fault::not_sealed) << "another connection's key";
}

TEST(SealedRecords, AnImpossibleLengthIsSeenBeforeMemoryIsTakenForIt) {
    for (const std::uint32_t length_B : {0U, 4U, static_cast<std::uint32_t>(kMaxSealed_B + 1), 0xffffffffU}) {
        Bytes stream(4);
        for (std::size_t i = 0; i < 4; ++i) stream[i] = static_cast<std::uint8_t>(length_B >> (8 * i));
        EXPECT_EQ(open(stream, 4).fault, RecordOpener::Fault::bad_length) << length_B;
    }
}

}  // namespace
}  // namespace fairlead::agent
