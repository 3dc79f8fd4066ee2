// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/link.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fairlead/core/random.hpp"

namespace fairlead::relay {
namespace {

std::vector<std::uint64_t> due(LinkSender& sender, Time now_s) {
    std::vector<std::uint64_t> sequences;
    while (const auto transmission = sender.next(now_s)) sequences.push_back(transmission->sequence);
    return sequences;
}

using Sequences = std::vector<std::uint64_t>;

TEST(Link, SendsAWindowAndGoesOnWhenAcknowledged) {
    LinkSender sender(2, 1.0);
    for (MessageId message = 1; message <= 4; ++message) EXPECT_EQ(sender.push(Pull{message}), message);
    EXPECT_EQ(due(sender, 0.0), (Sequences{1, 2}));
    sender.acknowledge(1, 0.5);
    EXPECT_EQ(due(sender, 0.5), (Sequences{3}));
    sender.acknowledge(1, 0.5);
    EXPECT_TRUE(due(sender, 0.5).empty());
    EXPECT_THROW(sender.acknowledge(4, 0.5), ProtocolError) << "not sent yet";
    sender.acknowledge(3, 0.5);
    EXPECT_EQ(due(sender, 0.6), (Sequences{4}));
    EXPECT_FALSE(sender.idle());
    sender.acknowledge(4, 0.7);
    EXPECT_TRUE(sender.idle());
    EXPECT_EQ(sender.timeout_s(), std::nullopt);
}

TEST(Link, SendsAgainAfterATimeThatDoubles) {
    LinkSender sender(4, 1.0);
    sender.push(Pull{1});
    sender.push(Pull{2});
    EXPECT_EQ(due(sender, 10.0), (Sequences{1, 2}));
    EXPECT_EQ(sender.timeout_s(), 11.0);
    EXPECT_TRUE(due(sender, 10.9).empty());
    EXPECT_EQ(due(sender, 11.0), (Sequences{1, 2}));
    EXPECT_EQ(sender.timeout_s(), 13.0);
    sender.acknowledge(1, 12.0);
    EXPECT_EQ(sender.timeout_s(), 13.0) << "anew, from the acknowledgement on";
    EXPECT_EQ(due(sender, 13.0), (Sequences{2}));
}

TEST(Link, SendsAgainAtOnceWhenThePathIsLost) {
    LinkSender sender(4, 1.0);
    sender.push(Pull{1});
    EXPECT_FALSE(sender.next(0.0)->again);
    sender.resend();
    EXPECT_TRUE(sender.next(0.0)->again);
}

TEST(Link, GivesOutInOrderAndOnce) {
    LinkReceiver receiver(3);
    using enum LinkReceiver::Verdict;
    EXPECT_EQ(receiver.receive(2, Pull{2}), taken);
    EXPECT_EQ(receiver.next(), std::nullopt);
    EXPECT_EQ(receiver.receive(4, Pull{4}), beyond_window);
    EXPECT_EQ(receiver.receive(2, Pull{2}), duplicate);
    EXPECT_EQ(receiver.receive(1, Pull{1}), taken);
    EXPECT_EQ(receiver.next(), Body(Pull{1}));
    EXPECT_EQ(receiver.next(), Body(Pull{2}));
    EXPECT_EQ(receiver.next(), std::nullopt);
    EXPECT_EQ(receiver.delivered(), 2U);
    EXPECT_EQ(receiver.receive(1, Pull{1}), duplicate);
    EXPECT_EQ(receiver.receive(0, Pull{0}), duplicate);
}

TEST(Link, AllComesOnceOverAPathThatLosesDoublesAndReorders) {
    constexpr std::uint64_t kBodies = 5000;
    core::Random random(7);
    LinkSender sender(16, 1.0);
    LinkReceiver receiver(16);
    std::vector<LinkSender::Transmission> path;
    std::uint64_t received = 0;
    double now_s = 0.0;
    for (std::uint64_t pushed = 0; !sender.idle() || pushed < kBodies; now_s += 0.05) {
        if (pushed < kBodies) sender.push(Pull{++pushed});
        while (const auto transmission = sender.next(now_s)) {
            for (std::uint64_t copies = random.below(3); copies > 0; --copies) path.push_back(*transmission);
        }
        for (std::uint64_t moves = random.below(8); moves > 0 && !path.empty(); --moves) {
            std::swap(path[random.below(path.size())], path.back());
            receiver.receive(path.back().sequence, path.back().body);
            path.pop_back();
        }
        while (const auto body = receiver.next()) ASSERT_EQ(*body, Body(Pull{++received}));
        if (random.below(4) == 0) sender.acknowledge(receiver.delivered(), now_s);
    }
    EXPECT_EQ(received, kBodies);
}

}  // namespace
}  // namespace fairlead::relay
