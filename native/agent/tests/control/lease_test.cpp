// SPDX-License-Identifier: Apache-2.0
#include "control/lease.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "process/clock.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {
namespace {

struct LeaseTest : testing::Test {
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(pipe(ends.data()), 0);
        input.reset(ends[0]);
        supervisor.reset(ends[1]);
    }
    double run(Lease& lease) {
        loop.watch(input.get(), EPOLLIN, [&](std::uint32_t) {
            char byte = 0;
            ASSERT_EQ(read(input.get(), &byte, 1), 1);
            lease.renew();
        });
        const double begin_s = monotonic_s();
        loop.run();
        return monotonic_s() - begin_s;
    }

    EventLoop loop;
    UniqueFd input;
    UniqueFd supervisor;
};

TEST_F(LeaseTest, RunsOutWithoutAWord) {
    Lease lease(loop, 0.05, input.get(), [&] { loop.stop(); });
    const double took_s = run(lease);
    EXPECT_GE(took_s, 0.04);
}

TEST_F(LeaseTest, LastsAsLongAsItIsRenewed) {
    Lease lease(loop, 0.5, input.get(), [&] { loop.stop(); });
    for (int i = 1; i <= 8; ++i) {
        loop.after(0.1 * i, [&] { ASSERT_EQ(write(supervisor.get(), "x", 1), 1); });
    }
    EXPECT_GE(run(lease), 1.2);
}

TEST_F(LeaseTest, AnAgentThatWasStoppedReadsWhatCameMeanwhile) {
    Lease lease(loop, 0.3, input.get(), [&] { loop.stop(); });
    // The timer is due before the loop looks at its input.
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    ASSERT_EQ(write(supervisor.get(), "x", 1), 1);
    EXPECT_GE(run(lease), 0.25);
}

}  // namespace
}  // namespace fairlead::agent
