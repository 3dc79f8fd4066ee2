// SPDX-License-Identifier: Apache-2.0
// The agent's end of what it shares with one rank (native/interpose/relay/channel/channel.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "fairlead/relay/hop_buffers.hpp"
#include "process/unique_fd.hpp"
#include "relay/channel/channel.hpp"

namespace fairlead::agent {

class RankChannel {
  public:
    /// Makes memory and bell. `slot`: the rank's place among the pools of arrived frames. Throws std::system_error.
    RankChannel(UniqueFd socket, const relay::Hello& hello, std::uint64_t ring_B, std::size_t slot);

    /// Hands memory and bell over to the rank. Throws std::system_error.
    void welcome();

    relay::Process rank() const { return rank_; }
    relay::Process processes() const { return processes_; }
    relay::WorldId world() const { return world_; }
    std::size_t slot() const { return slot_; }
    int socket() const { return socket_.get(); }
    int bell() const { return bell_.get(); }
    void silence_bell();
    /// Tells the rank that the agent runs.
    void beat() { memory_.head().pulse.fetch_add(1, std::memory_order_relaxed); }

    /// The rank's next frame, until pop(). Its bytes may change while they are looked at: take what counts once.
    /// Throws relay::CorruptRing.
    std::optional<std::span<const std::uint8_t>> front() { return from_rank_.front(); }
    void pop() { from_rank_.pop(); }
    /// From now on the rank rings when it has written something. False if it has already.
    bool sleep();

    /// Gives a frame to the rank if its pool has room; if not, the rank rings once it has read something. Throws
    /// relay::CorruptRing.
    bool deliver(std::span<const std::uint8_t> frame, relay::HopBuffers& buffers);
    /// Gives back all room that frames of this rank take in its pool.
    void leave(relay::HopBuffers& buffers);

    /// What the rank tells of itself.
    relay::ToldCounts told() const;

    void set_place(relay::Process process, relay::Place place);

  private:
    struct Delivered {
        std::uint64_t end_B = 0;  ///< of all that was ever written to the rank
        std::uint64_t size_B = 0;
    };
    void take_back(relay::HopBuffers& buffers);

    relay::Process rank_;
    relay::Process processes_;
    relay::WorldId world_;
    std::uint64_t ring_B_;
    std::size_t slot_;
    UniqueFd socket_;
    UniqueFd file_;
    UniqueFd bell_;
    relay::ChannelMemory memory_;
    relay::FrameReader from_rank_;
    relay::FrameWriter to_rank_;
    std::deque<Delivered> delivered_;  ///< not read yet, as far as known
};

}  // namespace fairlead::agent
