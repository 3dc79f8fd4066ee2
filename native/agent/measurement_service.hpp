// SPDX-License-Identifier: Apache-2.0
// Connections between agents: measurements over TCP, which it asks peers for and answers when they ask, and the opening
// of the relay plane's streams.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "clock.hpp"
#include "command.hpp"
#include "config.hpp"
#include "event_loop.hpp"
#include "frame_stream.hpp"
#include "pingpong.hpp"
#include "rejections.hpp"
#include "train.hpp"
#include "workers.hpp"

namespace fairlead::agent {

/// Why a measurement could not be taken, in words that name the host.
struct MeasurementFailure {
    std::string reason;
};

class MeasurementService {
  public:
    using PingPongDone = std::function<void(std::variant<std::vector<PingPongSamples>, MeasurementFailure>)>;
    using TrainDone = std::function<void(std::variant<TrainResult, MeasurementFailure>)>;

    /// Connections served at once; more are closed at once. So are those of a host of which so many have not shown yet
    /// that they know the secret: any user there can make such.
    static constexpr std::size_t kMaxServed = 256;
    static constexpr std::size_t kMaxUnproven = 16;
    static constexpr double kHandshake_s = 3.0;

    /// Listens on the agent's own address only. Throws std::system_error.
    MeasurementService(EventLoop& loop, const Config& config, const Clock& clock, Rejections& rejections);
    ~MeasurementService();
    MeasurementService(const MeasurementService&) = delete;
    MeasurementService& operator=(const MeasurementService&) = delete;

    void pingpong(const PingPongCommand& command, PingPongDone done);
    void train(const TrainCommand& command, TrainDone done);

    using LinkDone = std::function<void(std::variant<Link, std::string>)>;
    /// Opens a stream of frames to a peer; ends with the reason if that fails.
    void open_stream(core::HostId peer, Hop hop, LinkDone done);
    using OnStream = std::function<void(core::HostId from, Hop hop, Link link)>;
    /// Who takes the streams that peers open. Without, they are refused.
    void on_stream(OnStream take) { on_stream_ = std::move(take); }

  private:
    void accept_some();
    void serve(UniqueFd socket, core::HostId client);
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
    std::map<core::HostId, std::size_t> unproven_;
    OnStream on_stream_;
    Workers workers_;  ///< last: its threads use all of the above
};

}  // namespace fairlead::agent
