// SPDX-License-Identifier: Apache-2.0
#include "protocol/client.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <cerrno>

namespace fairlead::guardian {
namespace {

using namespace std::chrono_literals;

TEST(GuardianClient, CallsReturnTheReply) {
    Client client({FAKE_GUARDIAN});
    EXPECT_EQ(client.call(Restore{1}), (Reply{1, 0, ""}));
    EXPECT_EQ(client.call(Reroute{1, 2, 0}), (Reply{2, ENETUNREACH, "no way"}));
}

TEST(GuardianClient, SendAndReceiveSuitAnEventLoop) {
    Client client({FAKE_GUARDIAN});
    EXPECT_EQ(client.receive(), std::nullopt);
    EXPECT_EQ(client.send(Restore{1}), 1u);
    EXPECT_EQ(client.send(Reroute{1, 2, 0}), 2u);
    std::vector<Reply> replies;
    while (replies.size() < 2) {
        pollfd readable{client.fd(), POLLIN, 0};
        ASSERT_EQ(poll(&readable, 1, 5000), 1);
        if (auto reply = client.receive()) replies.push_back(*reply);
    }
    EXPECT_EQ(replies[0].id, 1u);
    EXPECT_EQ(replies[1].id, 2u);
}

TEST(GuardianClient, AGuardianThatCannotBeStartedIsAnError) {
    EXPECT_THROW(Client({"/nonexistent/fairlead-guardian"}), ClientError);
    EXPECT_THROW(Client(std::vector<std::string>{}), ClientError);
}

TEST(GuardianClient, AGuardianThatEndsIsAnError) {
    Client client({FAKE_GUARDIAN});
    EXPECT_THROW(client.call(Teardown{}), ClientError);
    EXPECT_THROW(client.call(Restore{1}), ClientError);
}

TEST(GuardianClient, AGuardianThatDoesNotAnswerIsAnError) {
    Client client({FAKE_GUARDIAN});
    ASSERT_EQ(kill(client.pid(), SIGSTOP), 0);
    EXPECT_THROW(client.call(Restore{1}, 50ms), ClientError);
    ASSERT_EQ(kill(client.pid(), SIGCONT), 0);
    // The late reply to the first request is not taken for that to the second.
    EXPECT_EQ(client.call(Restore{1}), (Reply{2, 0, ""}));
}

TEST(GuardianClient, KillsItsGuardian) {
    Client client({FAKE_GUARDIAN});
    EXPECT_TRUE(client.kill());
    EXPECT_TRUE(client.kill());
    EXPECT_THROW(client.call(Restore{1}), ClientError);
}

TEST(GuardianClient, KnowsThatWhatItKilledWasNotTheGuardian) {
    // As sudo stands between the two.
    Client client({"sh", "-c", "exec 3<&0; \"$0\" <&3 3<&- & wait", FAKE_GUARDIAN});
    EXPECT_EQ(client.call(Restore{1}), (Reply{1, 0, ""}));
    EXPECT_FALSE(client.kill());
    EXPECT_EQ(client.call(Restore{1}), (Reply{2, 0, ""}));
}

}  // namespace
}  // namespace fairlead::guardian
