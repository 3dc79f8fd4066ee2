// SPDX-License-Identifier: Apache-2.0
// Hosts that relay for each other in a circle, with room for one frame a pool: every order of moves ends with all
// frames in their ranks, and with one pool for both hops some order ends with none able to move.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "fairlead/relay/hop_buffers.hpp"

namespace fairlead::relay::explore {
namespace {

constexpr std::size_t kHosts = 3;
constexpr int kFrames = 3;

/// Host h sends its frames to h + 2, over h + 1.
struct Hosts {
    bool one_pool = false;
    std::vector<HopBuffers> buffers = std::vector<HopBuffers>(kHosts, HopBuffers(1, 1));
    std::vector<int> with_sender = std::vector<int>(kHosts, kFrames);
    std::vector<int> passing = std::vector<int>(kHosts, 0);
    std::vector<int> arrived = std::vector<int>(kHosts, 0);
    int sunk = 0;

    bool admit_arrived(std::size_t host) {
        return one_pool ? buffers[host].admit_passing(1) : buffers[host].admit_arrived(0, 1);
    }
    void release_arrived(std::size_t host) {
        return one_pool ? buffers[host].release_passing(1) : buffers[host].release_arrived(0, 1);
    }
    /// Moves one frame one hop on; whether that was possible.
    bool move(std::size_t host, int hop) {
        const std::size_t next = (host + 1) % kHosts;
        if (hop == 0 && with_sender[host] > 0 && buffers[next].admit_passing(1)) {
            --with_sender[host];
            ++passing[next];
        } else if (hop == 1 && passing[host] > 0 && admit_arrived(next)) {
            buffers[host].release_passing(1);
            --passing[host];
            ++arrived[next];
        } else if (hop == 2 && arrived[host] > 0) {
            release_arrived(host);
            --arrived[host];
            ++sunk;
        } else {
            return false;
        }
        return true;
    }
    auto state() const { return std::tie(with_sender, passing, arrived); }
};

struct Found {
    std::set<int> sunk_at_end;  ///< frames that had arrived when nothing could move any more
    std::set<std::tuple<std::vector<int>, std::vector<int>, std::vector<int>>> states;
};

void explore(const Hosts& hosts, Found& found) {
    if (!found.states.insert(hosts.state()).second) return;
    bool moved = false;
    for (std::size_t host = 0; host < kHosts; ++host) {
        for (int hop = 0; hop < 3; ++hop) {
            Hosts next = hosts;
            if (!next.move(host, hop)) continue;
            moved = true;
            explore(next, found);
        }
    }
    if (!moved) found.sunk_at_end.insert(hosts.sunk);
}

TEST(Hops, SeparateBuffersAlwaysDrain) {
    Found found;
    explore({}, found);
    EXPECT_EQ(found.sunk_at_end, (std::set<int>{3 * kFrames}));
}

TEST(Hops, OneBufferForBothHopsIsFoundToDeadlock) {
    Found found;
    explore({.one_pool = true}, found);
    EXPECT_TRUE(found.sunk_at_end.contains(0)) << "all three full of passing frames at once";
}

TEST(Hops, RoomIsTakenAndGivenBack) {
    HopBuffers buffers(10, 2);
    EXPECT_TRUE(buffers.admit_passing(6));
    EXPECT_FALSE(buffers.admit_passing(5));
    EXPECT_TRUE(buffers.admit_passing(4));
    EXPECT_TRUE(buffers.admit_arrived(0, 10)) << "the pools are separate";
    EXPECT_FALSE(buffers.admit_arrived(0, 1));
    EXPECT_TRUE(buffers.admit_arrived(1, 1)) << "a rank that does not take its frames keeps nobody else's away";
    buffers.release_passing(10);
    EXPECT_TRUE(buffers.admit_passing(50)) << "longer than the pool";
    EXPECT_FALSE(buffers.admit_passing(1));
    EXPECT_THROW(buffers.release_arrived(1, 2), std::logic_error);
}

}  // namespace
}  // namespace fairlead::relay::explore
