// SPDX-License-Identifier: Apache-2.0
// A manager on the loopback device, with a peer of which the test is the agent.
#include "manager.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "loopback.hpp"
#include "planes/route_plane.hpp"
#include "station.hpp"

namespace fairlead::agent {
namespace {

namespace wire = core::wire;

const Precedence kUnhurried(Scheduling::normal, 1.0);

/// A query of what the job sends is answered at once, from samples that were taken for it: the asker sets the answer
/// against the moment of its question.
TEST(Manager, AnswersALoadQueryFromFreshSamplesAtOnce) {
    EventLoop loop;
    const Clock clock({});
    Station own(loop, clock, 0);
    Station peer(loop, clock, 1);
    wire::LoadReport report;
    peer.channel.on_message([&](const Opened& opened, std::int64_t) {
        const auto* answer = std::get_if<wire::LoadReport>(&opened.message);
        if (answer == nullptr) return;
        report = *answer;
        loop.stop();
    });
    Prober prober(loop, own.channel, clock, own.config.host_count());
    RoutePlane plane(loop, own.config);
    ManageConfig manage{core::ControllerConfig(0, own.config.host_count()), {}};
    Manager manager(loop, own.config, clock, own.channel, prober, plane, std::move(manage), kUnhurried,
                    [](const auto&) {});

    // The program's first connection to the peer is made after the manager's first look.
    const LoopbackListener listener(loopback_of_this_process(1));
    const UniqueFd client(socket(AF_INET, SOCK_STREAM, 0));
    connect(client.get(), reinterpret_cast<const sockaddr*>(&listener.address), sizeof listener.address);
    const std::vector<char> data(10'000);
    ASSERT_EQ(write(client.get(), data.data(), data.size()), 10'000);
    usleep(20'000);  // else the connections were listed just now, and are not listed again

    const std::uint64_t sent_before = own.channel.packets_sent();
    manager.on_message(1, 1, wire::LoadQuery{77}, 0);
    EXPECT_GT(own.channel.packets_sent(), sent_before) << "not only when a timer is due";
    loop.after(2.0, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(report.token, 77U);
    ASSERT_EQ(report.entries.size(), 1U);
    EXPECT_EQ(report.entries[0].destination, 1);
    EXPECT_EQ(report.entries[0].relay, core::kNoHost);
    EXPECT_EQ(report.entries[0].delivered_B, 10'001U) << "the first acknowledgement counts the SYN";
}

/// Puts something in the place of the socket to the kernel's list of connections that it does not answer.
void break_sock_diag() {
    for (int fd = 3; fd < 256; ++fd) {
        int domain = 0, protocol = 0;
        socklen_t length = sizeof domain;
        if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain != AF_NETLINK) continue;
        if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) != 0 || protocol != NETLINK_SOCK_DIAG) continue;
        const UniqueFd other(open("/dev/null", O_RDWR | O_CLOEXEC));
        ASSERT_EQ(dup2(other.get(), fd), fd);
        return;
    }
    FAIL() << "there is none";
}

TEST(Manager, WatchesConnectionsAgainAfterAFailure) {
    EventLoop loop;
    const Clock clock({});
    Station own(loop, clock, 0);
    Station peer(loop, clock, 1);
    std::vector<wire::LoadReport> reports;
    peer.channel.on_message([&](const Opened& opened, std::int64_t) {
        if (const auto* answer = std::get_if<wire::LoadReport>(&opened.message)) reports.push_back(*answer);
    });
    Prober prober(loop, own.channel, clock, own.config.host_count());
    RoutePlane plane(loop, own.config);
    ManageConfig manage{core::ControllerConfig(0, own.config.host_count()), {}};
    std::vector<std::string> logged;
    Manager manager(loop, own.config, clock, own.channel, prober, plane, std::move(manage), kUnhurried,
                    [&](const Event& event) {
                        if (const auto* log = std::get_if<LogEvent>(&event)) logged.push_back(log->text);
                    });
    break_sock_diag();
    const LoopbackListener listener(loopback_of_this_process(1));
    const UniqueFd client(socket(AF_INET, SOCK_STREAM, 0));
    connect(client.get(), reinterpret_cast<const sockaddr*>(&listener.address), sizeof listener.address);
    const std::vector<char> data(10'000);
    ASSERT_EQ(write(client.get(), data.data(), data.size()), 10'000);
    // The first finds the failure, the last comes after the pause.
    for (const double after_s : {0.02, 0.9}) {
        loop.after(after_s, [&, token = reports.size() + 1] {
            manager.on_message(1, 1, wire::LoadQuery{static_cast<std::uint32_t>(token)}, 0);
        });
    }
    loop.after(1.1, [&] { loop.stop(); });
    loop.run();
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_TRUE(reports[0].entries.empty());
    ASSERT_EQ(reports[1].entries.size(), 1U);
    EXPECT_EQ(reports[1].entries[0].destination, 1);
    EXPECT_EQ(reports[1].entries[0].delivered_B, 10'001U) << "the first acknowledgement counts the SYN";
    EXPECT_EQ(manager.progress().delivered_B, 10'001U);
    EXPECT_EQ(manager.progress().detours, 0);
    EXPECT_TRUE(logged.empty()) << logged[0];
}

/// As for a while without a free descriptor.
TEST(Manager, ConnectionsThatCouldNotBeWatchedForLongAreWatchedAgain) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "sanitizers need a descriptor themselves; it runs under the thread sanitizer (make verify)";
#endif
    EventLoop loop;
    const Clock clock({});
    Station own(loop, clock, 0);
    Prober prober(loop, own.channel, clock, own.config.host_count());
    RoutePlane plane(loop, own.config);
    std::vector<std::string> logged;
    Manager manager(loop, own.config, clock, own.channel, prober, plane,
                    {core::ControllerConfig(0, own.config.host_count()), {}}, kUnhurried, [&](const Event& event) {
                        if (const auto* log = std::get_if<LogEvent>(&event)) logged.push_back(log->text);
                    });
    const LoopbackListener listener(loopback_of_this_process(1));
    const UniqueFd client(socket(AF_INET, SOCK_STREAM, 0));
    connect(client.get(), reinterpret_cast<const sockaddr*>(&listener.address), sizeof listener.address);
    const std::vector<char> data(10'000);
    ASSERT_EQ(write(client.get(), data.data(), data.size()), 10'000);
    break_sock_diag();
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int i = 1; i <= 24; ++i) loop.after(0.15 * i, [&] { manager.progress(); });
    loop.after(3.7, [&] { setrlimit(RLIMIT_NOFILE, &before); });
    loop.after(7.0, [&] { manager.progress(); });
    loop.after(7.1, [&] { loop.stop(); });
    loop.run();
    ASSERT_EQ(logged.size(), 2U);
    EXPECT_EQ(logged[0].substr(0, 43), "the program's connections are not watched: ");
    EXPECT_EQ(logged[1], "the program's connections are watched again");
    EXPECT_EQ(manager.progress().delivered_B, 10'001U);
}

/// A plane whose answers come when the test gives them.
struct SlowPlane final : DataPlane {
    std::string no_reason;
    Done rerouting, restoring;

    std::string_view name() const override { return "slow"; }
    bool up() const override { return true; }
    const std::string& reason() const override { return no_reason; }
    int ways() const override { return has_ways; }
    void reroute(core::HostId, core::HostId, Done done) override { rerouting = std::move(done); }
    void restore(core::HostId, Done done) override { restoring = std::move(done); }
    std::string tear_down() override { return {}; }
    std::vector<Carried> carried() override { return carries; }
    std::vector<Carried> carries;
    int has_ways = 0;
};

/// As the relay plane: the program's own connections do not show it.
TEST(Manager, WhatThePlaneCarriesItselfIsDelivered) {
    EventLoop loop;
    const Clock clock({});
    Station own(loop, clock, 0);
    Prober prober(loop, own.channel, clock, own.config.host_count());
    SlowPlane plane;
    Manager manager(loop, own.config, clock, own.channel, prober, plane,
                    {core::ControllerConfig(0, own.config.host_count()), {}}, kUnhurried, [](const auto&) {});
    for (const std::uint64_t delivered_B : {12'345U, 20'000U}) {
        plane.carries = {{1, delivered_B, 0, false}};
        usleep(2000);
        EXPECT_EQ(manager.progress().delivered_B, delivered_B);
    }
}

/// What is done by hand on one manager.
struct ManualTest : testing::Test {
    EventLoop loop;
    Clock clock{Clock::Test{}};
    Station own{loop, clock, 0};
    Prober prober{loop, own.channel, clock, own.config.host_count()};
    SlowPlane plane;
    std::vector<std::string> answers;
    std::optional<Manager> manager;

    void SetUp() override {
        ManageConfig manage{core::ControllerConfig(0, own.config.host_count()), {}};
        manage.controller.automatic = false;
        manager.emplace(loop, own.config, clock, own.channel, prober, plane, std::move(manage), kUnhurried,
                        [](const auto&) {});
    }
    Manager::ManualDone answer(const std::string& command) {
        return [this, command](const std::string& error) { answers.push_back(command + ":" + error); };
    }
};

TEST_F(ManualTest, ARestorationIsAnsweredWhenTheTrafficIsBack) {
    manager->restore(1, answer("nothing away"));
    EXPECT_EQ(answers, std::vector<std::string>{"nothing away:"});
    answers.clear();

    manager->reroute(1, 2, answer("reroute"));
    manager->on_message(2, 1, wire::RelayRefuse{1, 1, wire::RefuseReason::no_plane}, 0);
    EXPECT_EQ(answers, std::vector<std::string>{"reroute:the relay refused: it has no data plane, or is stopping"});
    answers.clear();
    // A reroute of which no command waits for the answer is still under way.
    manager->restore(1, answer("restore"));
    EXPECT_TRUE(answers.empty());
    plane.rerouting({});
    EXPECT_TRUE(answers.empty());
    ASSERT_TRUE(plane.restoring);
    plane.restoring({});
    EXPECT_EQ(answers, std::vector<std::string>{"restore:"});
}

TEST_F(ManualTest, AFailureIsTheAnswerOfItsOwnCommand) {
    manager->reroute(1, 2, answer("first"));
    manager->restore(1, answer("restore"));
    plane.rerouting("no such device");
    EXPECT_EQ(answers, (std::vector<std::string>{"first:superseded by another command for the same path", "restore:"}));
    answers.clear();
    manager->reroute(1, 2, answer("second"));
    plane.rerouting("busy");
    EXPECT_EQ(answers, std::vector<std::string>{"second:busy"});
}

/// From the round trip the asker cannot tell what the echo queued for on its way here.
TEST_F(ManualTest, TheAnswerToAnEchoTellsWhenThatArrived) {
    Station peer(loop, clock, 1);
    wire::EchoReply told;
    peer.channel.on_message([&](const Opened& opened, std::int64_t) {
        const auto* reply = std::get_if<wire::EchoReply>(&opened.message);
        if (reply == nullptr) return;
        told = *reply;
        loop.stop();
    });
    manager->on_message(1, 1, wire::Echo{7, 1, 0, core::way_of(1), 0}, 12345);
    loop.after(2.0, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(told, (wire::EchoReply{7, 1, 0, core::way_of(1), 12345}));
}

TEST_F(ManualTest, AnEqualCostPathThatThereIsNotIsNamed) {
    manager->reroute_by_way(1, 1, answer("none"));
    plane.has_ways = 3;
    manager->reroute_by_way(1, 4, answer("fourth"));
    EXPECT_EQ(answers,
              (std::vector<std::string>{
                  "none:there are no equal-cost paths: only the route plane has them, as many as ways.count says",
                  "fourth:there is no equal-cost path 4: ways.count is 3"}));
    EXPECT_FALSE(plane.rerouting);
}

}  // namespace
}  // namespace fairlead::agent
