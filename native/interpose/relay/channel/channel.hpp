// SPDX-License-Identifier: Apache-2.0
// What a rank and its host's agent share. The rank connects to a Unix socket in a directory that the run made; the
// agent makes the memory (sealed: it cannot shrink under a reader) and a bell, and hands over both. From then on
// nothing goes through the socket: its end tells either side that the other one died.
//
//   page 0    ChannelHead
//   then      one byte per process of the job: its Place
//   then      the ring to the agent, the ring to the rank
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fairlead/relay/types.hpp"
#include "relay/channel/frame_ring.hpp"

namespace fairlead::relay {

inline constexpr std::uint32_t kChannelVersion = 4;
inline constexpr std::array<char, 8> kChannelMagic{'F', 'A', 'I', 'R', 'L', 'R', 'L', 'Y'};
inline constexpr const char* kChannelSocket = "relay.socket";
inline constexpr std::size_t kChannelPage_B = 65536;  // the largest of any kernel's, as some have on AArch64
inline constexpr Process kMostProcesses = 1U << 20;
inline constexpr std::uint64_t kLongestRing_B = std::uint64_t{1} << 30;

/// What agents know of a process of the job.
enum class Place : std::uint8_t {
    unknown = 0,  ///< not where it is, or that its agent is gone
    direct = 1,   ///< they carry frames to it; its messages are best sent by MPI
    relay = 2,    ///< the pair of hosts is moved: its messages shall go through the agents
};

/// First packet, of the rank.
struct Hello {
    std::array<char, 8> magic;
    std::uint32_t version;
    Process self;        ///< rank in MPI_COMM_WORLD
    Process processes;   ///< its size
    std::uint32_t zero;  ///< where the compiler would leave a gap
    WorldId world;       ///< which MPI_COMM_WORLD
};
static_assert(sizeof(Hello) == 32);

/// Its answer, with two descriptors: the memory, the bell (an eventfd). A rank that is not wanted gets the end of the
/// connection instead.
struct Welcome {
    std::array<char, 8> magic;
    std::uint32_t version;
    Process processes;
    std::uint64_t ring_B;  ///< of each ring: whole pages
};

/// What a rank tells of itself, for the agent's reports: messages and frames so far, as relay::Counters has them.
inline constexpr std::array<const char*, 10> kToldCounts{"direct",        "relayed",   "takeovers", "cancelled",
                                                         "cancel_failed", "pulled",    "held",      "waited",
                                                         "retransmitted", "duplicates"};
using ToldCounts = std::array<std::uint64_t, kToldCounts.size()>;

/// Between two beats of the agent's pulse.
inline constexpr double kPulse_s = 0.1;

struct ChannelHead {
    std::atomic<std::uint32_t> changes;  ///< of places, ever
    std::atomic<std::uint32_t> pulse;    ///< counts while the agent runs: one that is stopped closes no connection
    std::array<std::atomic<std::uint64_t>, kToldCounts.size()> told;
    RingCounters to_agent;
    RingCounters to_rank;
};
static_assert(sizeof(ChannelHead) <= kChannelPage_B);

/// The memory as mapped by one side; shared by nobody else.
class ChannelMemory {
  public:
    /// Maps what `fd` holds. Throws std::system_error.
    ChannelMemory(int fd, Process processes, std::uint64_t ring_B);
    ~ChannelMemory();
    ChannelMemory(const ChannelMemory&) = delete;
    ChannelMemory& operator=(const ChannelMemory&) = delete;

    static std::uint64_t size_B(Process processes, std::uint64_t ring_B);

    ChannelHead& head() const { return *reinterpret_cast<ChannelHead*>(memory_); }
    std::atomic<Place>& place(Process process) const {
        return reinterpret_cast<std::atomic<Place>*>(memory_ + kChannelPage_B)[process];
    }
    MappedRing to_agent() const { return {&head().to_agent, rings_[0], ring_B_}; }
    MappedRing to_rank() const { return {&head().to_rank, rings_[1], ring_B_}; }

  private:
    std::uint8_t* memory_ = nullptr;
    std::uint64_t head_B_ = 0;
    std::uint64_t ring_B_ = 0;
    std::array<std::uint8_t*, 2> rings_{};
};

}  // namespace fairlead::relay
