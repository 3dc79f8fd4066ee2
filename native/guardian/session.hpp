// SPDX-License-Identifier: Apache-2.0
// A guardian's life: requests from one socket until it ends.
#pragma once

#include <memory>

#include "kernel/netlink.hpp"
#include "plane/keeper.hpp"
#include "plane/plane.hpp"
#include "protocol/protocol.hpp"

namespace fairlead::guardian {

class Session {
  public:
    // `socket` is a SOCK_SEQPACKET; `user` is the real user, who may reroute only his own sockets unless he is 0.
    Session(int socket, std::uint32_t user);

    // Serves until the socket ends (withdraws at once, removes the rest after the grace time) or SIGTERM comes (removes
    // everything once the agent has closed the socket, after 0.3 s at the latest). Ends as with the socket where what
    // the kernel has is uncertain, or the agent's lease runs out. Returns the exit code; 0 if nothing was left behind.
    int run();

  private:
    enum class Wake { kPacket, kSignal, kTimeout };
    enum class Hears { kAll, kSignals, kPackets };
    Wake wait(int timeout_ms, Hears hears) const;
    int lease_step_ms() const;
    bool serve();
    bool serve_one();
    void serve_last();
    Reply answer(std::span<const std::byte> packet);
    void perform(const Setup& setup);
    void perform(const Reroute& reroute);
    void perform(const Restore& back);
    void perform(const Teardown&);
    void perform(const Echoes& echoes);
    void perform(const Try& trial);
    void perform(const Lease& lease) { lease_ms_ = lease.length_ms; }
    KernelPlane& plane();

    int socket_;
    int signals_;
    std::uint32_t user_;
    Netlink netlink_;
    std::unique_ptr<Keeper> keeper_;  // for as long as there is a plane
    std::unique_ptr<KernelPlane> plane_;
    std::uint32_t lease_ms_ = 0;  // 0: the agent may be silent
    int silent_steps_ = 0;
};

}  // namespace fairlead::guardian
