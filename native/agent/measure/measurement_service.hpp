// SPDX-License-Identifier: Apache-2.0
// Connections between agents: measurements over TCP, which it asks peers for and answers when they ask, and the opening
// of the relay plane's streams.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "control/command.hpp"
#include "control/config.hpp"
#include "measure/bulk.hpp"
#include "measure/pingpong.hpp"
#include "peers/frame_stream.hpp"
#include "peers/handshakes.hpp"
#include "peers/rejections.hpp"
#include "process/clock.hpp"
#include "process/event_loop.hpp"
#include "process/workers.hpp"

namespace fairlead::agent {

/// Why a measurement could not be taken, in words that name the host.
struct MeasurementFailure {
    std::string reason;
};

class MeasurementService {
  public:
    using PingPongDone = std::function<void(std::variant<std::vector<PingPongSamples>, MeasurementFailure>)>;
    using BulkDone = std::function<void(std::variant<BulkResult, MeasurementFailure>)>;

    /// Connections served at once; more are closed at once. Those that have not shown yet that they know the secret are
    /// not among them.
    static constexpr std::size_t kMaxServed = 256;
    static constexpr double kHandshake_s = 3.0;
    /// Of those that are waiting to prove themselves one may have to go, and it may be an agent's: it tries again.
    static constexpr int kHandshakes = 20;
    static constexpr double kHandshakePause_s = 0.005;  ///< and this much longer from time to time

    /// Listens on the agent's own address only. Throws std::system_error.
    MeasurementService(EventLoop& loop, const Config& config, const Clock& clock, Rejections& rejections);
    ~MeasurementService();
    MeasurementService(const MeasurementService&) = delete;
    MeasurementService& operator=(const MeasurementService&) = delete;

    void pingpong(const PingpongCommand& command, PingPongDone done);
    void bulk(const BulkCommand& command, BulkDone done);

    using LinkDone = std::function<void(std::variant<Link, std::string>)>;
    /// Opens a stream of frames to a peer; ends with the reason if that fails.
    void open_stream(core::HostId peer, Hop hop, LinkDone done);
    using OnStream = std::function<void(core::HostId from, Hop hop, Link link)>;
    /// Who takes the streams that peers open. Without, they are refused.
    void on_stream(OnStream take) { on_stream_ = std::move(take); }

  private:
    void accept_some();
    void serve(core::HostId client, UniqueFd socket, ProvenRequest request);
    Workers::Completion serve(core::HostId client, Stream stream, const ProvenRequest& request);
    void take_stream(core::HostId from, Hop hop, Link link);
    Session connect(core::HostId peer, const SessionRequest& request, double deadline_s,
                    const Cancellation& cancellation) const;

    EventLoop& loop_;
    const Config& config_;
    const Clock& clock_;
    Rejections& rejections_;
    SecretKey key_;
    UniqueFd listener_;
    std::size_t served_ = 0;
    Handshakes handshakes_;
    OnStream on_stream_;
    Workers workers_;  ///< last: its threads use all of the above
};

}  // namespace fairlead::agent
