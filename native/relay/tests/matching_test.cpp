// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/matching.hpp"

#include <gtest/gtest.h>

namespace fairlead::relay {
namespace {

constexpr Tag kA = 1;
constexpr Tag kB = 2;

using Posting = MatchingQueue::Posting;

Relayed relayed(Process peer, MessageId message) {
    return {.peer = peer, .message = message, .size_B = 8, .inlined = true};
}

/// A queue of four sources, and what its events led to.
struct Rig {
    MatchingQueue queue{4};
    Effects effects;

    Posting post(ReceiveId receive, Pattern pattern) { return queue.post(receive, pattern, effects); }
    std::vector<Match> matches() { return std::exchange(effects.matches, {}); }
};

TEST(Matching, WithoutTakeoverTheLibraryMatches) {
    Rig rig;
    EXPECT_EQ(rig.post(1, {0, kA}), Posting::native);
    EXPECT_EQ(rig.queue.next_to_cancel(), std::nullopt);
    rig.queue.native_completed(1, 0, rig.effects);
    rig.queue.native_extracted(0, rig.effects);
    EXPECT_EQ(rig.queue.accounted(0), 2U);
    EXPECT_TRUE(rig.matches().empty());
    EXPECT_THROW(rig.queue.native_completed(1, 0, rig.effects), std::logic_error) << "twice";
    EXPECT_THROW(rig.queue.pulled(7, 0, kA, rig.effects), std::logic_error);
}

TEST(Matching, TakesReceivesOverYoungestFirst) {
    Rig rig;
    for (const ReceiveId receive : {1U, 2U, 3U}) rig.post(receive, {});
    rig.queue.take_over(rig.effects);
    EXPECT_EQ(rig.queue.next_to_cancel(), 3U);
    rig.queue.cancelled(3, rig.effects);
    EXPECT_EQ(rig.queue.next_to_cancel(), 2U);
    rig.queue.cancel_failed(2, rig.effects);
    EXPECT_EQ(rig.queue.next_to_cancel(), 1U);
    EXPECT_FALSE(rig.queue.settled());
    rig.queue.cancelled(1, rig.effects);
    EXPECT_TRUE(rig.queue.settled());
    EXPECT_EQ(rig.queue.next_to_cancel(), std::nullopt);

    rig.queue.pulled(70, 2, kA, rig.effects);
    EXPECT_EQ(rig.matches(), (std::vector<Match>{{1, {2, kA, NativeHandle{70}}}})) << "the oldest first";
}

TEST(Matching, ARelayedMessageWaitsForTheNativeOnesBeforeIt) {
    Rig rig;
    rig.post(1, {0, kA});
    rig.queue.relayed(relayed(0, 1), 0, kA, 2, rig.effects);
    EXPECT_TRUE(rig.queue.taken_over());
    rig.queue.cancelled(1, rig.effects);
    EXPECT_EQ(rig.queue.held(), 1U);
    EXPECT_EQ(rig.post(2, {0, kAnyTag}), Posting::queued);
    EXPECT_EQ(rig.post(3, {}), Posting::queued);
    rig.queue.pulled(70, 0, kA, rig.effects);
    EXPECT_TRUE(rig.effects.released.empty());
    rig.queue.pulled(71, 0, kB, rig.effects);
    EXPECT_EQ(rig.matches(),
              (std::vector<Match>{
                  {1, {0, kA, NativeHandle{70}}}, {2, {0, kB, NativeHandle{71}}}, {3, {0, kA, relayed(0, 1)}}}));
    EXPECT_EQ(rig.effects.released, std::vector<Process>{0});
}

TEST(Matching, AMatchedReceiveCountsOnceItsSourceIsKnown) {
    Rig rig;
    rig.post(1, {kAnySource, kA});
    rig.queue.relayed(relayed(3, 1), 3, kA, 1, rig.effects);
    rig.queue.cancel_failed(1, rig.effects);
    rig.post(2, {3, kA});
    EXPECT_TRUE(rig.matches().empty()) << "receive 1 may have got the message that goes before";
    rig.queue.native_completed(1, 3, rig.effects);
    EXPECT_EQ(rig.matches(), (std::vector<Match>{{2, {3, kA, relayed(3, 1)}}}));
}

TEST(Matching, NothingMatchesWhileTheLibraryStillMay) {
    Rig rig;
    rig.post(1, {1, kA});
    rig.queue.relayed(relayed(0, 1), 0, kA, 0, rig.effects);
    rig.post(2, {0, kA});
    EXPECT_TRUE(rig.matches().empty());
    rig.queue.native_cancelled(1, rig.effects);
    EXPECT_EQ(rig.matches(), (std::vector<Match>{{2, {0, kA, relayed(0, 1)}}}));
}

TEST(Matching, ReturnsOnlyWhenNothingIsLeft) {
    Rig rig;
    rig.queue.take_over(rig.effects);
    EXPECT_TRUE(rig.queue.may_return());
    rig.post(1, {0, kA});
    EXPECT_FALSE(rig.queue.may_return()) << "a receive";
    EXPECT_TRUE(rig.queue.withdraw(1));
    EXPECT_FALSE(rig.queue.withdraw(1));
    rig.queue.pulled(70, 0, kB, rig.effects);
    EXPECT_FALSE(rig.queue.may_return()) << "a message";
    EXPECT_THROW(rig.queue.return_to_native(), std::logic_error);
    EXPECT_EQ(rig.queue.extract({0, kB})->body, (std::variant<NativeHandle, Relayed>{NativeHandle{70}}));
    rig.queue.relayed(relayed(0, 1), 0, kA, 2, rig.effects);
    EXPECT_FALSE(rig.queue.may_return()) << "a message that waits for native ones";
    rig.queue.pulled(71, 0, kB, rig.effects);
    EXPECT_EQ(rig.post(2, {0, kB}), Posting::matched);
    EXPECT_EQ(rig.post(3, {0, kA}), Posting::matched);
    rig.queue.return_to_native();
    EXPECT_EQ(rig.post(4, {0, kA}), Posting::native);
}

TEST(Matching, ProbesFindWhatAReceiveWouldGet) {
    Rig rig;
    rig.queue.take_over(rig.effects);
    EXPECT_EQ(rig.queue.probe({}), nullptr);
    rig.queue.pulled(70, 1, kA, rig.effects);
    rig.queue.pulled(71, 0, kA, rig.effects);
    EXPECT_EQ(rig.queue.probe({})->source, 1);
    EXPECT_EQ(rig.queue.probe({0, kAnyTag})->source, 0);
    EXPECT_EQ(rig.queue.probe({0, kB}), nullptr);
    EXPECT_EQ(rig.queue.unexpected(), 2U);
    EXPECT_EQ(rig.queue.extract({})->source, 1);
    EXPECT_EQ(rig.queue.extract({1, kAnyTag}), std::nullopt);
}

TEST(Matching, RefusesWhatCannotBe) {
    Rig rig;
    EXPECT_THROW(rig.queue.relayed(relayed(0, 1), 4, kA, 0, rig.effects), ProtocolError);
    EXPECT_THROW(rig.queue.relayed(relayed(0, 1), -1, kA, 0, rig.effects), ProtocolError);
    rig.queue.native_extracted(0, rig.effects);
    EXPECT_THROW(rig.queue.relayed(relayed(0, 1), 0, kA, 0, rig.effects), ProtocolError) << "one is here already";
    EXPECT_FALSE(rig.queue.taken_over());
}

}  // namespace
}  // namespace fairlead::relay
