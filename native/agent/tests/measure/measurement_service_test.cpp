// SPDX-License-Identifier: Apache-2.0
// What a service does with connections of those who never speak, and where there is no thread or no watch for one.
#include "measure/measurement_service.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "tests/refused_watch.hpp"

namespace fairlead::agent {
namespace {

constexpr double kPatience_s = 5.0;

std::vector<Host> hosts_on_loopback() {
    std::vector<Host> hosts;
    for (const char* text : {"127.0.0.1", "127.0.0.2", "127.0.0.3"}) {
        Host host{.name = text, .address_text = text};
        host.address = Address::parse(text).value();
        const UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
        SocketAddress own(host.address, 0);
        socklen_t length = SocketAddress::kRoom_B;
        bind(fd.get(), own.get(), own.size_B());
        getsockname(fd.get(), own.get(), &length);
        host.port = own.port();
        hosts.push_back(host);
    }
    return hosts;
}

/// The services of three hosts, on one loop.
struct MeasurementServiceTest : testing::Test {
    EventLoop loop;
    Clock clock{Clock::Test{}};
    Rejections rejections{loop, [](const auto&) {}};
    std::vector<Config> configs;
    std::vector<std::unique_ptr<MeasurementService>> services;
    int streams = 0;  ///< that host 0 was opened

    void SetUp() override {
        const std::vector<Host> hosts = hosts_on_loopback();
        for (core::HostId self = 0; self < hosts.size(); ++self) {
            Config& config = configs.emplace_back();
            config.self = self;
            config.hosts = hosts;
        }
        for (const Config& config : configs) {
            services.push_back(std::make_unique<MeasurementService>(loop, config, clock, rejections));
        }
        services[0]->on_stream([this](core::HostId, Hop, const Link&) { ++streams; });
    }
    /// A connection to host 0 of which nothing more is heard.
    UniqueFd silent(core::HostId from) {
        UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
        const SocketAddress own = configs[0].hosts[from].any_port();
        const SocketAddress server = configs[0].hosts[0].socket_address();
        EXPECT_EQ(bind(fd.get(), own.get(), own.size_B()), 0);
        EXPECT_EQ(connect(fd.get(), server.get(), server.size_B()), 0);
        return fd;
    }
    static bool closed(const UniqueFd& fd) {
        char byte = 0;
        // What it was sent first is read away.
        ssize_t count;
        while ((count = recv(fd.get(), &byte, 1, MSG_DONTWAIT)) > 0) {
        }
        return count == 0 || errno == ECONNRESET;
    }
    void run_until(const std::function<bool()>& condition) {
        const double end_s = monotonic_s() + kPatience_s;
        while (!condition() && monotonic_s() < end_s) {
            loop.after(0.01, [this] { loop.stop(); });
            loop.run();
        }
        EXPECT_TRUE(condition());
    }
    /// Why a stream from there to host 0 is not opened, or an empty string.
    std::string open_stream(core::HostId from) {
        std::optional<std::string> end;
        services[from]->open_stream(0, Hop::first, [&](std::variant<Link, std::string> result) {
            const auto* const reason = std::get_if<std::string>(&result);
            end = reason != nullptr ? *reason : "";
        });
        EXPECT_FALSE(end) << "not before it returns";
        run_until([&] { return end.has_value(); });
        return end.value_or("no end");
    }
};

TEST_F(MeasurementServiceTest, ThoseWhoNeverSpeakTakeNobodysPlace) {
    constexpr std::size_t kMore = 4;
    std::vector<UniqueFd> connections;
    while (connections.size() < Handshakes::kMostOfHost + kMore) connections.push_back(silent(1));
    const auto closed_ones = [&] { return static_cast<std::size_t>(std::ranges::count_if(connections, closed)); };
    run_until([&] { return closed_ones() == kMore; });
    EXPECT_EQ(open_stream(2), "");
    EXPECT_EQ(closed_ones(), kMore);
    // The agent's own are from the same address: one of those that only wait goes.
    EXPECT_EQ(open_stream(1), "");
    EXPECT_EQ(closed_ones(), kMore + 1);
    run_until([&] { return streams == 2; });
}

TEST_F(MeasurementServiceTest, WhoConnectsAgainAndAgainKeepsNobodyOut) {
    bool flooding = true;
    std::vector<UniqueFd> connections;
    const std::function<void()> flood = [&] {
        for (int i = 0; i < 8 && flooding; ++i) connections.push_back(silent(1));
        if (connections.size() > 2 * Handshakes::kMostOfHost)
            connections.erase(connections.begin(), connections.begin() + 8);
        if (flooding) loop.after(0.001, flood);
    };
    flood();
    for (int i = 0; i < 30; ++i) EXPECT_EQ(open_stream(1), "");
    flooding = false;
    run_until([&] { return streams == 30; });
}

TEST_F(MeasurementServiceTest, WhoProvesNothingInTimeIsForgotten) {
    const UniqueFd connection = silent(1);
    const double begin_s = monotonic_s();
    run_until([&] { return closed(connection); });
    EXPECT_GT(monotonic_s() - begin_s, Handshakes::kDeadline_s - 1.0);
}

TEST_F(MeasurementServiceTest, WhoCannotBeWatchedIsRefusedAlone) {
    {
        const RefusedWatch refused(0);
        const UniqueFd connection = silent(1);
        run_until([&] { return closed(connection); });
    }
    EXPECT_EQ(open_stream(1), "");
}

/// As at a limit of processes: a stack that no address space holds.
class NoThreads {
  public:
    NoThreads() {
        pthread_attr_t huge;
        pthread_attr_init(&huge);
        pthread_getattr_default_np(&before_);
        pthread_attr_setstacksize(&huge, std::size_t{1} << 52);
        EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
        pthread_attr_destroy(&huge);
    }
    ~NoThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

  private:
    pthread_attr_t before_{};
};

TEST_F(MeasurementServiceTest, WithoutAThreadOnlyWhatNeedsOneFails) {
    {
        const NoThreads none;
        EXPECT_EQ(open_stream(1).rfind("cannot start a thread: ", 0), 0U);
        std::optional<MeasurementFailure> failure;
        services[1]->pingpong(PingpongCommand{}, [&](const auto& end) { failure = std::get<MeasurementFailure>(end); });
        run_until([&] { return failure.has_value(); });
        EXPECT_EQ(failure->reason.rfind("cannot start a thread: ", 0), 0U);
    }
    EXPECT_EQ(open_stream(1), "");
}

}  // namespace
}  // namespace fairlead::agent
