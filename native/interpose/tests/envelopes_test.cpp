// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/envelopes.hpp"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

using record::End;
using record::kAnySource;
using record::kAnyTag;
using record::kNoNumber;
using record::Message;
using record::number_of;

Message begun(Envelopes& envelopes, End end, int peer, int tag, std::uint64_t communicator = 1) {
    Message message{};
    message.communicator = communicator;
    message.peer = peer;
    message.tag = tag;
    message.end = end;
    set_number(message, envelopes.begin(envelope_of(message)));
    return message;
}

void end_wildcard(Envelopes& envelopes, Message& message, int peer, int tag) {
    message.peer = peer;
    message.tag = tag;
    envelopes.end_wildcard(message);
}

TEST(Envelopes, EachIsCountedByItself) {
    Envelopes envelopes;
    EXPECT_EQ(number_of(begun(envelopes, End::send, 2, 7)), 1U);
    EXPECT_EQ(number_of(begun(envelopes, End::send, 2, 7)), 2U);
    EXPECT_EQ(number_of(begun(envelopes, End::send, 3, 7)), 1U);
    EXPECT_EQ(number_of(begun(envelopes, End::send, 2, 8)), 1U);
    EXPECT_EQ(number_of(begun(envelopes, End::send, 2, 7, 5)), 1U);
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 2, 7)), 1U);
    EXPECT_EQ(number_of(begun(envelopes, End::send, 2, 7)), 3U);
}

TEST(Envelopes, StridesOfRanksAndTagsAreKeptApart) {
    Envelopes envelopes;
    for (const std::uint32_t number : {1U, 2U}) {
        for (int peer = 0; peer < 64; ++peer) {
            for (int tag = 0; tag < 64; ++tag) {
                EXPECT_EQ(number_of(begun(envelopes, End::send, 1024 * peer, 4096 * tag)), number);
            }
        }
    }
}

TEST(Envelopes, ALoneWildcardGetsTheNumberOfWhatItGot) {
    Envelopes envelopes;
    begun(envelopes, End::receive, 2, 7);
    Message any = begun(envelopes, End::receive, kAnySource, 7);
    begun(envelopes, End::send, 2, 7);
    end_wildcard(envelopes, any, 2, 7);
    EXPECT_EQ(number_of(any), 2U);
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 2, 7)), 3U);
}

TEST(Envelopes, WhileAWildcardIsOpenNothingIsCertain) {
    Envelopes envelopes;
    Message any = begun(envelopes, End::receive, 2, kAnyTag);
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 2, 7)), kNoNumber);
    end_wildcard(envelopes, any, 2, 7);
    EXPECT_EQ(number_of(any), kNoNumber);
    // Both are counted: what follows is certain again.
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 2, 7)), 3U);
}

TEST(Envelopes, OfSeveralOpenWildcardsNoneIsCertain) {
    Envelopes envelopes;
    Message first = begun(envelopes, End::receive, kAnySource, 7);
    Message second = begun(envelopes, End::receive, kAnySource, 7);
    end_wildcard(envelopes, first, 2, 7);
    end_wildcard(envelopes, second, 2, 7);
    EXPECT_EQ(number_of(first), kNoNumber);
    EXPECT_EQ(number_of(second), kNoNumber);
    Message third = begun(envelopes, End::receive, kAnySource, 7);
    end_wildcard(envelopes, third, 2, 7);
    EXPECT_EQ(number_of(third), 3U);
}

TEST(Envelopes, AfterACancelledReceiveItsEnvelopeHasNoNumbers) {
    Envelopes envelopes;
    const Message cancelled = begun(envelopes, End::receive, 2, 7);
    envelopes.cancel(cancelled);
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 2, 7)), kNoNumber);
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 3, 7)), 1U);
    envelopes.cancel(begun(envelopes, End::receive, kAnySource, 7));
    EXPECT_EQ(number_of(begun(envelopes, End::receive, 3, 7)), 2U);
}

TEST(Envelopes, ThereAreNotMoreOfThemThanTheirMemoryAllows) {
    Envelopes envelopes;
    for (int tag = 0; tag < 8192; ++tag) {
        ASSERT_EQ(number_of(begun(envelopes, End::send, 0, tag)), 1U);
    }
    EXPECT_EQ(number_of(begun(envelopes, End::send, 0, 9000)), kNoNumber);
    EXPECT_EQ(number_of(begun(envelopes, End::send, 0, 1)), 2U);
}

}  // namespace
}  // namespace fairlead
