// SPDX-License-Identifier: Apache-2.0
// Carries frames through the agent of this host.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "relay/carrier.hpp"
#include "relay/channel.hpp"

namespace fairlead::relay {

class AgentCarrier final : public Carrier {
  public:
    /// Joins the agent that listens in `directory`; waits for it for at most kJoin_s. self, processes: rank in
    /// MPI_COMM_WORLD, and its size. Throws std::runtime_error, which says what is wrong.
    AgentCarrier(const std::string& directory, Process self, Process processes);
    ~AgentCarrier() override;

    bool ready(Process to) override;
    void send(Process to, std::vector<std::uint8_t> frame) override;
    void poll(const Sink& arrived) override;
    /// False once it can carry nothing any more, for good: the agent died. Frames that arrived before are still polled.
    bool alive() const { return alive_; }

    /// How messages to a process shall go: Path::relay while the agents have moved the pair of hosts. Back to direct
    /// from relay may also mean that the relay died and frames with it: what is not acknowledged is best sent again.
    Path wished(Process to) const;
    /// Whether agents carry frames to it. Where they do not (any more), frames under way to it may be lost.
    bool reaches(Process to) const { return alive_ && to < processes_ && place(to) != Place::unknown; }
    /// Changes whenever wished() or reaches() does.
    std::uint32_t changes() const;

    /// For the agent's reports.
    void tell(const ToldCounts& counts);

    static constexpr double kJoin_s = 5.0;
    /// Between looks at whether the agent is still there.
    static constexpr std::chrono::milliseconds kLook{1};
    /// Frames that one poll gives out at most: who sends faster than they are taken must not keep the caller.
    static constexpr int kMostFrames = 1024;

  private:
    Place place(Process to) const { return memory_->place(to).load(std::memory_order_relaxed); }
    void ring_bell();
    void look_after_agent();

    Process processes_;
    int socket_ = -1;
    int bell_ = -1;
    std::unique_ptr<ChannelMemory> memory_;
    std::optional<FrameWriter> out_;
    std::optional<FrameReader> in_;
    std::chrono::steady_clock::time_point looked_{};
    bool alive_ = true;
};

}  // namespace fairlead::relay
