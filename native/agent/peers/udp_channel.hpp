// SPDX-License-Identifier: Apache-2.0
// The one UDP socket of an agent: sealed messages to and from the job's hosts, from and to the same port everywhere
// (the guardian keeps exactly those datagrams on the underlay while traffic is rerouted).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "control/config.hpp"
#include "peers/rejections.hpp"
#include "peers/seal.hpp"
#include "process/clock.hpp"
#include "process/event_loop.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {

class UdpChannel {
  public:
    /// `received_ns`: when the kernel took the datagram in, by this agent's clock. A busy CPU may let the agent see it
    /// milliseconds later.
    using Receiver = std::function<void(const Opened& opened, std::int64_t received_ns)>;

    /// Binds to the agent's own address only. Throws std::system_error.
    UdpChannel(EventLoop& loop, const Config& config, const Clock& clock, Rejections& rejections,
               std::uint64_t boot_id);
    ~UdpChannel();
    UdpChannel(const UdpChannel&) = delete;
    UdpChannel& operator=(const UdpChannel&) = delete;

    void on_message(Receiver receiver) { receiver_ = std::move(receiver); }

    /// Seals and sends. Returns when, by this agent's clock: read after sealing, right before the kernel is entered.
    /// The kernel's own transmit stamps are taken behind the queueing discipline and would hide the queue of this
    /// host's interface, which belongs to the path. Nothing if it could not be sent (counted, like a lost datagram).
    std::optional<std::int64_t> send(core::HostId to, const core::wire::Message& message);

    /// The same by another socket, which is connected to where it goes. Nobody's answer comes there.
    void send_by(int socket, core::HostId to, const core::wire::Message& message);

    /// From now on echoes from other ports of a host are taken if they came in on this device, or on one that was named
    /// before. Throws std::system_error if there is none of this name.
    void take_echoes_from(const std::string& device);

    std::uint64_t packets_sent() const { return packets_sent_; }
    std::uint64_t bytes_sent() const { return bytes_sent_; }
    std::uint64_t send_failures() const { return send_failures_; }

  private:
    void receive_some();
    void take(std::span<const std::uint8_t> datagram, const SocketAddress& from, unsigned interface,
              std::int64_t received_ns);

    EventLoop& loop_;
    const Config& config_;
    const Clock& clock_;
    Rejections& rejections_;
    UniqueFd socket_;
    Sealer sealer_;
    Opener opener_;
    Receiver receiver_;
    std::vector<unsigned> echo_interfaces_;  ///< indices
    std::uint64_t packets_sent_ = 0;
    std::uint64_t bytes_sent_ = 0;
    std::uint64_t send_failures_ = 0;
};

}  // namespace fairlead::agent
