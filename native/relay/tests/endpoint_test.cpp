// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/endpoint.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "digest.hpp"

namespace fairlead::relay {
namespace {

constexpr CommunicatorId kWorld = 5;
constexpr CommunicatorId kParts = kFirstRelayed + 6;
constexpr Tag kTag = 3;

/// Two processes whose frames arrive as soon as carry() is called.
struct Pair {
    explicit Pair(Settings settings = {}) : ends{{0, 2, settings}, {1, 2, settings}} {
        for (Endpoint& end : ends) end.add_communicator(kWorld, 2);
        ends[0].prefer(1, Path::relay);
    }
    /// Bodies that went from 0 to 1 and back, until nothing moved.
    std::vector<Body> carry(Time now_s = 0.0) {
        std::vector<Body> bodies;
        for (bool moved = true; moved;) {
            moved = false;
            for (const Process from : {0U, 1U}) {
                const std::vector<Process> open = ends[from].open();
                while (const auto frame = ends[from].next_frame(1 - from, now_s)) {
                    EXPECT_EQ(open, (std::vector<Process>{1 - from}));
                    moved = true;
                    if (frame->sequence != 0) bodies.push_back(frame->body);
                    ends[1 - from].receive(*frame, now_s);
                }
            }
        }
        return bodies;
    }
    MessageId send(std::uint64_t size_B, bool synchronous = false) {
        EXPECT_EQ(ends[0].choose_path(kWorld, 1), Path::relay);
        return ends[0].send(kWorld, 1, 0, kTag, size_B, synchronous);
    }
    std::vector<Endpoint> ends;
};

Match match(ReceiveId receive, const Relayed& relayed) {
    return {receive, {0, kTag, relayed}};
}

TEST(Endpoint, EveryFrameNamesTheWorld) {
    Pair pair({.world = 77});
    pair.send(100);
    const auto message = pair.ends[0].next_frame(1, 0.0);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->world, 77U);
    pair.ends[1].receive(*message, 0.0);
    const auto answer = pair.ends[1].next_frame(0, 0.0);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->sequence, 0U) << "progress alone";
    EXPECT_EQ(answer->world, 77U);
}

TEST(Endpoint, AMessageWithItsPayload) {
    Pair pair;
    pair.send(100);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Envelope{1, kWorld, 0, kTag, 0, 100, false, true}}));
    EXPECT_EQ(pair.ends[0].take_events(), (std::vector<Event>{SendDone{1, 1}}));
    EXPECT_TRUE(pair.ends[0].flushed(1));
    const auto posted = pair.ends[1].post_receive(kWorld, {0, kTag});
    EXPECT_FALSE(posted.native);
    EXPECT_EQ(pair.ends[1].take_events(),
              (std::vector<Event>{ReceiveMatched{kWorld, match(1, {0, 1, 100, false, true})}}));
    EXPECT_TRUE(pair.ends[1].may_return(kWorld));
    EXPECT_EQ(pair.ends[1].progress(0), (Progress{1, 1, 100}));
    EXPECT_EQ(pair.ends[1].open(), (std::vector<Process>{0})) << "what was received is not told yet";
    pair.carry();
    for (const Endpoint& end : pair.ends) EXPECT_EQ(end.open(), std::vector<Process>());
}

TEST(Endpoint, ASynchronousSendIsDoneWhenMatched) {
    Pair pair;
    pair.send(100, true);
    pair.carry();
    EXPECT_TRUE(pair.ends[0].take_events().empty());
    pair.ends[1].post_receive(kWorld, {});
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Matched{1}}));
    EXPECT_EQ(pair.ends[0].take_events(), (std::vector<Event>{SendDone{1, 1}}));
}

TEST(Endpoint, ALongPayloadWaitsForTheMatchAndComesInPieces) {
    Pair pair({.inline_limit_B = 10, .piece_B = 40});
    pair.send(100);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Envelope{1, kWorld, 0, kTag, 0, 100, false, false}}));
    pair.ends[1].post_receive(kWorld, {});
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Pull{1}, Payload{1, 0, 40}, Payload{1, 40, 40}, Payload{1, 80, 20}}));
    EXPECT_EQ(pair.ends[1].take_events(),
              (std::vector<Event>{ReceiveMatched{kWorld, match(1, {0, 1, 100, false, false})},
                                  Arrived{kWorld, 1, 0, 40, false}, Arrived{kWorld, 1, 40, 40, false},
                                  Arrived{kWorld, 1, 80, 20, true}}));
    EXPECT_EQ(pair.ends[0].take_events(), (std::vector<Event>{SendDone{1, 1}}));
    EXPECT_EQ(pair.ends[0].counters().waited, 1U);
}

TEST(Endpoint, ProgressIsToldWithTheNextFrameOrAfterAWhile) {
    Pair pair({.retransmit_s = 100.0, .tell_frames = 3, .tell_s = 0.5});
    Endpoint& receiver = pair.ends[1];
    pair.send(10);
    pair.carry(1.0);
    EXPECT_FALSE(pair.ends[0].flushed(1));
    EXPECT_FALSE(receiver.next_frame(0, 1.49).has_value());
    EXPECT_EQ(receiver.open(), (std::vector<Process>{0}));
    ASSERT_TRUE(receiver.next_frame(0, 1.5).has_value());  // lost
    EXPECT_FALSE(receiver.next_frame(0, 9.0).has_value()) << "told once";
    for (int i = 0; i < 2; ++i) pair.send(10);
    pair.carry(2.0);
    EXPECT_FALSE(pair.ends[0].flushed(1));
    pair.send(10);
    pair.carry(2.1);
    EXPECT_TRUE(pair.ends[0].flushed(1)) << "three frames are told of at once";

    receiver.prefer(0, Path::relay);
    pair.send(10);
    pair.carry(3.0);
    EXPECT_FALSE(pair.ends[0].flushed(1));
    EXPECT_EQ(receiver.choose_path(kWorld, 0), Path::relay);
    receiver.send(kWorld, 0, 1, kTag, 10, false);
    pair.carry(3.1);
    EXPECT_TRUE(pair.ends[0].flushed(1)) << "a message back tells it";
}

TEST(Endpoint, WhatASenderWaitsForIsToldAtOnce) {
    Pair pair({.inline_limit_B = 10, .retransmit_s = 1.0, .tell_frames = 100, .tell_s = 100.0});
    pair.send(100);
    pair.carry(0.0);
    pair.ends[1].post_receive(kWorld, {});
    pair.carry(0.0);
    EXPECT_TRUE(pair.ends[0].flushed(1)) << "the end of a pulled payload";
    pair.send(10);
    pair.carry(0.5);
    EXPECT_FALSE(pair.ends[0].flushed(1));
    pair.carry(2.0);
    EXPECT_TRUE(pair.ends[0].flushed(1)) << "what comes again was not acknowledged";
    EXPECT_EQ(pair.ends[1].counters().duplicates, 1U);
}

TEST(Endpoint, WithoutCreditOnlyTheEnvelopeTravels) {
    Pair pair({.inline_limit_B = 50, .credit_B = 100});
    for (int i = 0; i < 3; ++i) pair.send(50);
    const std::vector<Body> bodies = pair.carry();
    ASSERT_EQ(bodies.size(), 3U);
    EXPECT_TRUE(std::get<Envelope>(bodies[1]).inlined);
    EXPECT_FALSE(std::get<Envelope>(bodies[2]).inlined);
    pair.send(0);
    EXPECT_TRUE(std::get<Envelope>(pair.carry().at(0)).inlined) << "nothing needs no credit";
    pair.ends[1].post_receive(kWorld, {});
    pair.carry();
    pair.send(50);
    EXPECT_TRUE(std::get<Envelope>(pair.carry().at(0)).inlined) << "credit came back with the match";
}

TEST(Endpoint, AMillionUnexpectedMessagesDoNotBlockALaterOne) {
    constexpr int kMany = 20000;  // the long suite takes a million
    Pair pair({.credit_B = 4096});
    for (int i = 0; i < kMany; ++i) pair.send(8);
    pair.ends[0].choose_path(kWorld, 1);
    pair.ends[0].send(kWorld, 1, 0, kTag + 1, 8, false);
    pair.carry();
    pair.ends[1].post_receive(kWorld, {0, kTag + 1});
    const auto events = pair.ends[1].take_events();
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(std::get<Relayed>(std::get<ReceiveMatched>(events[0]).match.arrival.body).message, kMany + 1U);
}

TEST(Endpoint, SendsDirectlyAgainWhenAllRelayedOnesJoinedTheMatching) {
    Pair pair;
    const auto posted = pair.ends[1].post_receive(kWorld, {});
    EXPECT_TRUE(posted.native);
    pair.send(8);
    pair.ends[0].prefer(1, Path::direct);
    pair.carry();
    EXPECT_EQ(pair.ends[0].path(1), Path::relay) << "delivered, but the library may still match receive 1";
    EXPECT_EQ(pair.ends[1].next_to_cancel(kWorld), posted.receive);
    pair.ends[1].cancelled(kWorld, posted.receive);
    pair.carry();
    EXPECT_EQ(pair.ends[0].choose_path(kWorld, 1), Path::direct);
    EXPECT_EQ(pair.ends[0].counters().direct, 1U);
    EXPECT_THROW(pair.ends[0].send(kWorld, 1, 0, kTag, 8, false), std::logic_error);
    pair.ends[0].prefer(1, Path::relay);
    pair.send(8);
    EXPECT_EQ(std::get<Envelope>(pair.carry().at(0)).native_before, 1U);
}

TEST(Endpoint, MessagesToItselfAreNative) {
    Pair pair;
    pair.ends[0].prefer(0, Path::relay);
    EXPECT_EQ(pair.ends[0].choose_path(kWorld, 0), Path::direct);
}

TEST(Endpoint, AMatchedProbeTakesTheMessage) {
    Pair pair;
    pair.send(8, true);
    pair.carry();
    ASSERT_NE(pair.ends[1].probe(kWorld, {0, kTag}), nullptr);
    const auto arrival = pair.ends[1].extract(kWorld, {0, kTag});
    ASSERT_TRUE(arrival);
    EXPECT_TRUE(pair.carry().empty()) << "a synchronous send waits for the receive";
    const ReceiveId receive = pair.ends[1].receive_extracted(kWorld, *arrival);
    EXPECT_EQ(pair.ends[1].take_events(),
              (std::vector<Event>{ReceiveMatched{kWorld, match(receive, {0, 1, 8, true, true})}}));
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Matched{1}}));
}

TEST(Endpoint, WhatComesOnACommunicatorThatWasRemovedIsDropped) {
    constexpr CommunicatorId kFreed = 6;
    Pair pair;
    for (Endpoint& end : pair.ends) end.add_communicator(kFreed, 2);
    pair.ends[1].remove_communicator(kFreed);
    EXPECT_EQ(pair.ends[0].choose_path(kFreed, 1), Path::relay);
    pair.ends[0].send(kFreed, 1, 0, kTag, 100, false);
    pair.carry();
    EXPECT_EQ(pair.ends[1].take_events(), (std::vector<Event>{Unreceivable{0, 1}}));
    EXPECT_EQ(pair.ends[1].progress(0), (Progress{1, 1, 100})) << "its sender has its credit back";
    EXPECT_EQ(pair.ends[0].take_events(), (std::vector<Event>{SendDone{1, 1}}));
    pair.ends[0].prefer(1, Path::direct);
    EXPECT_EQ(pair.ends[0].path(1), Path::direct);
}

TEST(Endpoint, EnvelopesMayComeBeforeTheirCommunicator) {
    Pair pair;
    pair.ends[1].begin_making();
    pair.ends[0].add_communicator(6, 2);
    pair.ends[0].choose_path(6, 1);
    pair.ends[0].send(6, 1, 0, kTag, 8, false);
    pair.carry();
    EXPECT_EQ(pair.ends[1].progress(0).released, 0U);
    pair.ends[1].add_communicator(6, 2);
    EXPECT_EQ(pair.ends[1].progress(0).released, 1U);
    EXPECT_THROW(pair.ends[1].add_communicator(6, 2), std::logic_error);
}

TEST(Endpoint, WhatComesOnARemovedCommunicatorWhileAnotherIsMadeIsDroppedAfterwards) {
    Pair pair;
    for (Endpoint& end : pair.ends) end.add_communicator(6, 2);
    pair.ends[0].add_communicator(7, 2);
    Endpoint& receiver = pair.ends[1];
    receiver.remove_communicator(6);
    for (int i = 0; i < 2; ++i) receiver.begin_making();
    for (const CommunicatorId id : {7, 6}) pair.ends[0].send(id, 1, 0, kTag, 8, false);
    pair.carry();
    receiver.add_communicator(7, 2);
    receiver.end_making();
    EXPECT_EQ(receiver.progress(0), (Progress{2, 1, 0})) << "the other one may be that of the second message";
    receiver.end_making();
    EXPECT_EQ(receiver.take_events(), (std::vector<Event>{Unreceivable{0, 2}}));
    EXPECT_EQ(receiver.progress(0), (Progress{2, 2, 8}));
}

TEST(Endpoint, CommunicatorsThatWereRemovedTakeNoMemory) {
    explore::Digest before, after;
    Endpoint end(0, 2, {});
    before.add(end);
    for (CommunicatorId id = 1; id <= 100; ++id) {
        end.add_communicator(id, 2);
        end.remove_communicator(id);
    }
    after.add(end);
    EXPECT_EQ(after.bytes(), before.bytes());
}

TEST(Endpoint, EnvelopesWaitForARelayedCommunicatorThatWasForgotten) {
    Pair pair;
    for (Endpoint& end : pair.ends) end.add_relayed_communicator(kParts, 2);
    pair.ends[1].forget_communicator(kParts);
    pair.ends[0].send(kParts, 1, 0, kTag, 8, false);
    pair.carry();
    EXPECT_EQ(pair.ends[1].progress(0).released, 0U);
    pair.ends[1].add_relayed_communicator(kParts, 2);
    EXPECT_EQ(pair.ends[1].progress(0).released, 1U);
    EXPECT_THROW(pair.ends[1].forget_communicator(kParts), std::logic_error) << "the message waits for its receive";
}

TEST(Endpoint, ALostAcknowledgementIsGivenAgain) {
    Pair pair;
    pair.send(8);
    const auto frame = pair.ends[0].next_frame(1, 0.0);
    EXPECT_TRUE(pair.ends[1].receive(*frame, 0.0));
    EXPECT_FALSE(pair.ends[1].receive(*frame, 0.0)) << "a duplicate";
    ASSERT_TRUE(pair.ends[1].next_frame(0, 0.0)) << "this one is lost";
    EXPECT_FALSE(pair.ends[1].next_frame(0, 0.0));
    pair.ends[0].resend(1);
    pair.carry();
    EXPECT_TRUE(pair.ends[0].flushed(1));
    EXPECT_EQ(pair.ends[0].counters().retransmitted, 1U);
    EXPECT_EQ(pair.ends[1].counters().duplicates, 2U);
}

TEST(Endpoint, RefusesFramesThatContradictWhatWentBefore) {
    Pair pair({.inline_limit_B = 10});
    const auto refused = [&](const Body& body, Progress progress = {}) {
        Endpoint end = pair.ends[1];
        const std::uint64_t sequence = end.progress(0).delivered + 1;
        EXPECT_THROW(end.receive({0, 1, sequence, progress, body}, 0.0), ProtocolError);
    };
    refused(Envelope{2, kWorld, 0, kTag, 0, 8, false, true});
    refused(Envelope{1, kWorld, 2, kTag, 0, 8, false, true});
    refused(Pull{1});
    refused(Matched{1});
    refused(Payload{1, 0, 8});
    refused(Envelope{1, kWorld, 0, kTag, 0, 8, false, true}, {.delivered = 1});
    refused(Envelope{1, kWorld, 0, kTag, 0, 8, false, true}, {.released = 1});
    refused(Envelope{1, kWorld, 0, kTag, 0, 8, false, true}, {.consumed_B = 1});
    pair.send(100);
    pair.carry();
    pair.ends[1].post_receive(kWorld, {});
    refused(Payload{1, 8, 8});
    refused(Payload{1, 0, 101});
    EXPECT_THROW(pair.ends[1].receive({0, 0, 0, {}, Pull{}}, 0.0), ProtocolError) << "for another process";
    EXPECT_THROW(pair.ends[1].receive({2, 1, 0, {}, Pull{}}, 0.0), ProtocolError) << "from nobody";
}

Body consent(Consent::Step step) {
    return Consent{step};
}

TEST(Endpoint, WithoutCancellingNothingIsRelayedUntilTheLibraryHasNoReceive) {
    Pair pair({.cancels = false});
    Endpoint& sender = pair.ends[0];
    Endpoint& receiver = pair.ends[1];
    const auto native = receiver.post_receive(kWorld, {});
    EXPECT_TRUE(native.native);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{consent(Consent::Step::ask)}));
    EXPECT_EQ(sender.choose_path(kWorld, 1), Path::direct);
    EXPECT_THROW(sender.send(kWorld, 1, 0, kTag, 8, false), std::logic_error);
    EXPECT_FALSE(receiver.taken_over(kWorld));
    EXPECT_FALSE(receiver.may_take_over(kWorld));
    EXPECT_THROW(receiver.take_over(kWorld), std::logic_error);
    receiver.native_completed(kWorld, native.receive, 0);
    EXPECT_TRUE(receiver.taken_over(kWorld));
    EXPECT_EQ(pair.carry(), (std::vector<Body>{consent(Consent::Step::grant)}));
    EXPECT_FALSE(receiver.may_return(kWorld)) << "a message may come at any time";
    EXPECT_THROW(receiver.return_to_native(kWorld), std::logic_error);
    pair.send(8);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Envelope{1, kWorld, 0, kTag, 1, 8, false, true}}));
    receiver.add_communicator(6, 2);
    EXPECT_TRUE(receiver.taken_over(6)) << "from the beginning";
    EXPECT_EQ(receiver.counters().cancelled, 0U);
}

TEST(Endpoint, ConsentIsGivenBackWhenAllRelayedOnesJoinedTheMatching) {
    Pair pair({.cancels = false});
    Endpoint& receiver = pair.ends[1];
    EXPECT_EQ(pair.carry(), (std::vector<Body>{consent(Consent::Step::ask), consent(Consent::Step::grant)}));
    receiver.begin_making();
    receiver.forget_communicator(kWorld);  // so that the message waits
    pair.send(8);
    pair.ends[0].prefer(1, Path::direct);
    EXPECT_EQ(pair.carry().size(), 1U);
    EXPECT_EQ(pair.ends[0].path(1), Path::relay);
    receiver.add_communicator(kWorld, 2);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{consent(Consent::Step::give_back)}));
    EXPECT_EQ(pair.ends[0].path(1), Path::direct);
    receiver.post_receive(kWorld, {});
    EXPECT_TRUE(receiver.may_return(kWorld));
    receiver.return_to_native(kWorld);
    pair.ends[0].prefer(1, Path::relay);
    EXPECT_EQ(pair.ends[0].path(1), Path::direct);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{consent(Consent::Step::ask), consent(Consent::Step::grant)}))
        << "the next one is asked for again";
}

TEST(Endpoint, ConsentThatComesTooLateIsGivenBackAtOnce) {
    Pair pair({.cancels = false});
    pair.ends[0].prefer(1, Path::direct);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{consent(Consent::Step::ask), consent(Consent::Step::grant),
                                               consent(Consent::Step::give_back)}));
    EXPECT_TRUE(pair.ends[1].may_return(kWorld));
}

TEST(Endpoint, WhatTheLibraryHasNothingOfNeedsNoConsent) {
    Pair pair({.cancels = false});
    pair.ends[0].prefer(1, Path::direct);
    pair.carry();
    pair.ends[1].return_to_native(kWorld);
    for (Endpoint& end : pair.ends) end.add_relayed_communicator(kParts, 2);
    const auto native = pair.ends[1].post_receive(kWorld, {});
    pair.ends[0].send(kParts, 1, 0, kTag, 8, false);
    EXPECT_EQ(pair.ends[0].path(1), Path::direct) << "not released yet, but of no other communicator";
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Envelope{1, kParts, 0, kTag, 0, 8, false, true}}));
    EXPECT_TRUE(native.native);
    EXPECT_FALSE(pair.ends[1].taken_over(kWorld));
    EXPECT_FALSE(pair.ends[1].may_return(kParts));
}

TEST(Endpoint, RefusesConsentThatContradictsWhatWentBefore) {
    Pair pair({.cancels = false});
    const auto refused = [](Endpoint end, const Body& body) {
        const std::uint64_t sequence = end.progress(0).delivered + 1;
        EXPECT_THROW(end.receive({0, 1, sequence, {}, body}, 0.0), ProtocolError);
    };
    const Envelope envelope{1, kWorld, 0, kTag, 0, 8, false, true};
    refused(pair.ends[1], envelope);
    refused(pair.ends[1], consent(Consent::Step::grant));
    refused(pair.ends[1], consent(Consent::Step::give_back));
    pair.carry();
    refused(pair.ends[1], consent(Consent::Step::ask));
    pair.ends[1].begin_making();
    pair.ends[1].forget_communicator(kWorld);
    pair.send(8);
    pair.carry();
    refused(pair.ends[1], consent(Consent::Step::give_back));
    refused(Pair().ends[1], consent(Consent::Step::ask));
}

TEST(Endpoint, ADirectMessageThatTheLibraryRefusedIsNotWaitedFor) {
    Pair pair;
    Endpoint& sender = pair.ends[0];
    sender.prefer(1, Path::direct);
    EXPECT_EQ(sender.choose_path(kWorld, 1), Path::direct);
    sender.not_sent(kWorld, 1);
    sender.prefer(1, Path::relay);
    pair.send(8);
    EXPECT_EQ(pair.carry(), (std::vector<Body>{Envelope{1, kWorld, 0, kTag, 0, 8, false, true}}));
    EXPECT_EQ(pair.ends[1].matching(kWorld).held(), 0U);
    EXPECT_EQ(sender.counters().direct, 0U);
    EXPECT_THROW(sender.not_sent(kWorld, 1), std::logic_error) << "none is left to take back";
}

TEST(Endpoint, ACommunicatorGoesWhenItHasNoReceives) {
    Pair pair;
    Endpoint& receiver = pair.ends[1];
    const auto native = receiver.post_receive(kWorld, {});
    EXPECT_THROW(receiver.remove_communicator(kWorld), std::logic_error) << "the library holds a receive";
    receiver.native_completed(kWorld, native.receive, 0);
    pair.ends[0].prefer(1, Path::direct);
    pair.ends[0].choose_path(kWorld, 1);
    pair.ends[0].prefer(1, Path::relay);
    pair.send(8);
    pair.carry();
    const auto posted = receiver.post_receive(kWorld, {0, kTag + 1});
    EXPECT_THROW(receiver.remove_communicator(kWorld), std::logic_error) << "a receive waits for its message";
    EXPECT_TRUE(receiver.withdraw_receive(kWorld, posted.receive));
    receiver.remove_communicator(kWorld);
    receiver.add_communicator(kWorld, 2);
    EXPECT_FALSE(receiver.taken_over(kWorld));
}

TEST(Endpoint, WhatIsUnmatchedOnACommunicatorThatIsRemovedIsDropped) {
    Pair pair;
    Endpoint& sender = pair.ends[0];
    Endpoint& receiver = pair.ends[1];
    pair.send(8);
    sender.prefer(1, Path::direct);
    pair.carry();
    ASSERT_EQ(sender.choose_path(kWorld, 1), Path::direct);  // it does not arrive
    sender.prefer(1, Path::relay);
    pair.send(16);
    sender.prefer(1, Path::direct);
    pair.carry();
    EXPECT_EQ(receiver.matching(kWorld).unexpected(), 1U);
    EXPECT_EQ(receiver.matching(kWorld).held(), 1U);
    EXPECT_EQ(receiver.progress(0), (Progress{2, 1, 0}));
    EXPECT_EQ(sender.path(1), Path::relay) << "the second one has not joined the matching";
    receiver.take_events();
    receiver.remove_communicator(kWorld);
    EXPECT_EQ(receiver.take_events(), (std::vector<Event>{Unreceivable{0, 1}, Unreceivable{0, 2}}));
    EXPECT_EQ(receiver.progress(0), (Progress{2, 2, 24})) << "its sender has its credit back";
    pair.carry();
    EXPECT_EQ(sender.path(1), Path::direct);
}

TEST(Endpoint, OfManyCommunicatorsThoseAreLookedAtForWhichTheLibraryMayHaveSomething) {
    using Ids = std::vector<CommunicatorId>;
    Endpoint end(0, 2, {});
    for (CommunicatorId id = 1; id <= 1000; ++id) end.add_communicator(id, 2);
    const auto native = end.post_receive(7, {});
    EXPECT_EQ(end.under_takeover(), Ids());
    EXPECT_EQ(end.awaiting_library(), Ids());
    for (const CommunicatorId id : {7, 8, 9}) end.take_over(id);
    EXPECT_EQ(end.under_takeover(), (Ids{7, 8, 9}));
    EXPECT_EQ(end.awaiting_library(), Ids{7}) << "a receive is to be taken back";
    end.cancelled(7, native.receive);
    EXPECT_EQ(end.awaiting_library(), Ids{7}) << "it waits for a message";
    end.pulled(7, 1, 1, kTag);
    EXPECT_EQ(end.awaiting_library(), Ids());
    const auto posted = end.post_receive(8, {});
    EXPECT_EQ(end.awaiting_library(), Ids{8});
    EXPECT_TRUE(end.withdraw_receive(8, posted.receive));
    EXPECT_FALSE(end.awaits_library(8));
    end.return_to_native(8);
    EXPECT_EQ(end.under_takeover(), (Ids{7, 9}));
    end.remove_communicator(9);
    EXPECT_EQ(end.under_takeover(), Ids{7});
    end.add_relayed_communicator(kParts, 2);
    end.post_receive(kParts, {});
    EXPECT_EQ(end.under_takeover(), Ids{7}) << "of the other one the library has nothing";
    EXPECT_EQ(end.awaiting_library(), Ids());
}

TEST(Endpoint, AMessageThatIsHeldAwaitsThoseOfTheLibrary) {
    Pair pair;
    pair.ends[0].prefer(1, Path::direct);
    pair.ends[0].choose_path(kWorld, 1);
    pair.ends[0].prefer(1, Path::relay);
    pair.send(8);
    pair.carry();
    EXPECT_TRUE(pair.ends[1].awaits_library(kWorld));
    pair.ends[1].pulled(kWorld, 1, 0, kTag);
    EXPECT_FALSE(pair.ends[1].awaits_library(kWorld)) << "the message has joined the matching";
}

}  // namespace
}  // namespace fairlead::relay
