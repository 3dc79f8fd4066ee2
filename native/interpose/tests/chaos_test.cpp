// SPDX-License-Identifier: Apache-2.0
#include "relay/carriers/chaos.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "relay/carriers/chaos_carrier.hpp"

namespace fairlead::relay {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Gives out one frame a poll, from process 1.
class Source final : public Carrier {
  public:
    explicit Source(std::size_t frames) : frames_(frames) {}
    bool ready(Process) override { return true; }
    void send(Process, Bytes) override {}
    void poll(const Sink& arrived) override {
        if (given_ < frames_) {
            const Bytes frame{static_cast<std::uint8_t>(given_ & 0xff), static_cast<std::uint8_t>(given_ >> 8)};
            ++given_;
            arrived(frame);
        }
    }

  private:
    std::size_t frames_;
    std::size_t given_ = 0;
};

std::vector<std::size_t> arrivals(std::uint64_t seed, std::size_t frames) {
    ChaosCarrier carrier(std::make_unique<Source>(frames), Chaos(seed), 0, [](auto) { return Process{1}; });
    std::vector<std::size_t> found;
    for (std::size_t poll = 0; poll < 20 * frames; ++poll) {
        carrier.poll([&](std::span<const std::uint8_t> frame) { found.push_back(frame[0] + 256U * frame[1]); });
    }
    return found;
}

TEST(Chaos, TheSameSeedDrawsTheSame) {
    const Chaos one(7), same(7), other(8);
    int differ = 0;
    for (std::uint64_t sequence = 0; sequence < 200; ++sequence) {
        EXPECT_EQ(one.path(1, 2, 3, sequence), same.path(1, 2, 3, sequence));
        differ += one.path(1, 2, 3, sequence) != other.path(1, 2, 3, sequence) ? 1 : 0;
    }
    EXPECT_GT(differ, 60);
    EXPECT_EQ(arrivals(7, 500), arrivals(7, 500));
    EXPECT_NE(arrivals(7, 500), arrivals(8, 500));
}

TEST(Chaos, FramesAreLostDoubledAndOvertaken) {
    constexpr std::size_t kFrames = 2000;
    const std::vector<std::size_t> found = arrivals(1, kFrames);
    std::vector<int> times(kFrames);
    int overtaken = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
        ++times[found[at]];
        overtaken += at > 0 && found[at] < found[at - 1] ? 1 : 0;
    }
    int lost = 0, once = 0, twice = 0;
    for (const int number : times) {
        lost += number == 0 ? 1 : 0;
        once += number == 1 ? 1 : 0;
        twice += number == 2 ? 1 : 0;
    }
    EXPECT_EQ(lost + once + twice, static_cast<int>(kFrames));
    EXPECT_GT(lost, 5);
    EXPECT_GT(twice, 30);
    EXPECT_GT(once, 1800);
    EXPECT_GT(overtaken, 100);
}

}  // namespace
}  // namespace fairlead::relay
