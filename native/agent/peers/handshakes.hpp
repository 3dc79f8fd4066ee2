// SPDX-License-Identifier: Apache-2.0
// Connections that peers have opened and not yet proven to come from an agent of the job. Any user of a job's host can
// open such, from the same address as its agent: they have neither threads nor places for good. Where there are too
// many, one of them goes, whichever: an agent proves itself within one round trip, so those who wait are mostly others.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "peers/rejections.hpp"
#include "peers/session.hpp"
#include "process/event_loop.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {

class Handshakes {
  public:
    /// Connections of one host, and of all, that may wait.
    static constexpr std::size_t kMostOfHost = 192;
    static constexpr std::size_t kMost = 512;
    static constexpr double kDeadline_s = 3.0;

    /// What the client asked for, and what is left to say to it.
    using Proven = std::function<void(core::HostId client, UniqueFd socket, ProvenRequest request)>;
    Handshakes(EventLoop& loop, const SecretKey& key, core::HostId self, Rejections& rejections, Proven proven)
        : loop_(loop), key_(key), self_(self), rejections_(rejections), proven_(std::move(proven)) {}
    ~Handshakes();
    Handshakes(const Handshakes&) = delete;
    Handshakes& operator=(const Handshakes&) = delete;

    /// A connection from a host's address; the socket does not block.
    void begin(core::HostId client, UniqueFd socket);
    std::size_t waiting() const { return waiting_.size(); }

  private:
    struct Waiting {
        core::HostId client = core::kNoHost;
        UniqueFd socket;
        Nonce challenge{};
        ClientProof proof{};
        std::size_t received_B = 0;
        EventLoop::TimerId deadline = 0;
    };
    void receive(int fd);
    UniqueFd forget(int fd);
    void refuse(int fd, Refusal refusal);
    void make_room(core::HostId client);

    EventLoop& loop_;
    const SecretKey& key_;
    core::HostId self_;
    Rejections& rejections_;
    Proven proven_;
    std::map<int, Waiting> waiting_;  ///< by descriptor
    std::map<core::HostId, std::size_t> of_host_;
};

}  // namespace fairlead::agent
