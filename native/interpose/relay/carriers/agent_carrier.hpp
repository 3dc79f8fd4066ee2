// SPDX-License-Identifier: Apache-2.0
// Carries frames through the agent of this host.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "relay/carriers/carrier.hpp"
#include "relay/channel/channel.hpp"
#include "relay/channel/handover.hpp"

namespace fairlead::relay {

class AgentCarrier final : public Carrier {
  public:
    /// Without an agent: as if it had died.
    AgentCarrier() = default;
    /// Over a connection to an agent that has taken this rank, with what it handed over; both are this carrier's now.
    AgentCarrier(int socket, const Handover& received, Process processes);
    ~AgentCarrier() override;

    bool ready(Process to) override;
    void send(Process to, std::vector<std::uint8_t> frame) override;
    void poll(const Sink& arrived) override;
    /// False once it can carry nothing any more, for good: the agent died, or what it shares with us is broken. Frames
    /// that arrived before are still polled.
    bool alive() const { return alive_; }
    /// The agent has had no pulse for kStall: it is stopped. Until it goes on it reaches nobody.
    bool stalled() const { return stalled_; }
    /// The connection has ended: another one may take its place.
    bool gone() const { return gone_; }

    /// How messages to a process shall go: Path::relay while the agents have moved the pair of hosts. Back to direct
    /// from relay may also mean that the relay died and frames with it: what is not acknowledged is best sent again.
    Path wished(Process to) const;
    /// Whether agents carry frames to it. Where they do not (any more), frames under way to it may be lost.
    bool reaches(Process to) const { return alive_ && !stalled_ && to < processes_ && place(to) != Place::unknown; }
    /// Changes whenever wished() or reaches() does.
    std::uint32_t changes() const;

    /// For the agent's reports.
    void tell(const ToldCounts& counts);

    /// Between looks at whether the agent is still there.
    static constexpr std::chrono::milliseconds kLook{1};
    /// Of the time that this rank itself ran: both may have been stopped together.
    static constexpr std::chrono::milliseconds kStall{500};
    static constexpr std::chrono::milliseconds kMostBetweenLooks{100};
    /// Frames that one poll gives out at most: who sends faster than they are taken must not keep the caller.
    static constexpr int kMostFrames = 1024;

  private:
    void take_over(const Handover& received);
    Place place(Process to) const { return memory_->place(to).load(std::memory_order_relaxed); }
    void ring_bell();
    void look_after_agent();
    void leave();
    void feel_pulse(std::chrono::steady_clock::duration since_last_look);

    Process processes_ = 0;
    int socket_ = -1;
    int bell_ = -1;
    std::unique_ptr<ChannelMemory> memory_;  ///< null without an agent
    std::optional<FrameWriter> out_;
    std::optional<FrameReader> in_;
    std::chrono::steady_clock::time_point looked_{};
    std::uint32_t pulse_ = 0;
    std::chrono::steady_clock::duration silent_{};  ///< time without a beat
    bool stalled_ = false;
    std::uint32_t stalls_ = 0;  ///< begun and ended
    bool alive_ = false;
    bool gone_ = true;
};

/// The agent does not take this rank: another one has its number, or it is of another program or user.
struct Unwanted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Joining the agent that listens in a directory, without waiting for it, for a rank that has other things to do: the
/// agent may be busy, stopped, or not there yet.
class AgentJoin {
  public:
    /// self, processes: rank in MPI_COMM_WORLD, and its size. world: which one. Throws std::runtime_error if no agent
    /// listens there.
    AgentJoin(std::string directory, Process self, Process processes, WorldId world);
    ~AgentJoin();
    AgentJoin(const AgentJoin&) = delete;
    AgentJoin& operator=(const AgentJoin&) = delete;

    /// The carrier, once the agent has answered; nothing before. Throws Unwanted, or another std::runtime_error, which
    /// says what is wrong.
    std::unique_ptr<AgentCarrier> poll();
    /// The same, once it has answered or so much time has passed.
    std::unique_ptr<AgentCarrier> wait(std::chrono::milliseconds longest);

  private:
    std::string directory_;
    Process processes_;
    int socket_ = -1;
};

}  // namespace fairlead::relay
