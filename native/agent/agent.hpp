// SPDX-License-Identifier: Apache-2.0
// The agent of one host: puts its parts together and lives from the configuration to the end of input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/command.hpp"
#include "control/config.hpp"
#include "control/line_reader.hpp"
#include "control/output.hpp"
#include "manager.hpp"
#include "measure/measurement_service.hpp"
#include "measure/measurements.hpp"
#include "measure/prober.hpp"
#include "peers/rejections.hpp"
#include "peers/udp_channel.hpp"
#include "planes/rank_announcer.hpp"
#include "planes/relay_plane.hpp"
#include "planes/route_plane.hpp"
#include "process/clock.hpp"
#include "process/event_loop.hpp"
#include "process/scheduling.hpp"
#include "process/usage.hpp"
#include "watch/message_watch.hpp"

namespace fairlead::agent {

class Agent {
  public:
    /// Binds the ports, starts the guardian, gives up all privileges. Throws std::system_error or ProtocolError.
    Agent(EventLoop& loop, Output& output, Config config);

    /// Has the guardian set up the route plane, then says `ready`. Throws, as does the loop until then, why it cannot.
    void start();
    /// It was said.
    bool ready() const { return ready_; }
    /// One line of the supervisor after the configuration.
    void on_line(std::string_view line);
    /// Withdraws everything, then stops the loop. `answer`: the supervisor asked for it and gets `stopped`.
    void stop(bool answer);

  private:
    void on_message(const Opened& opened, std::int64_t received_ns);
    void event(const Event& said);
    void run(const Command& command);
    void start_relaying();
    void announce_ranks();
    void start_managing(const std::string& plane_error);
    void on_plane_lost(const std::string& reason);
    void acknowledge(std::int64_t id, const std::string& error);
    void report_stats();
    void report_latencies(int number);
    void report_clocks();
    void keep_clocks(core::HostId next);
    void end(bool answer);

    EventLoop& loop_;
    Output& output_;
    Config config_;
    Clock clock_;
    Rejections rejections_;
    UdpChannel channel_;
    Prober prober_;
    MeasurementService service_;
    Measurements measurements_;
    Scheduling scheduling_ = Scheduling::normal;
    RoutePlane route_;
    std::optional<RelayPlane> relay_;  ///< where it was asked for, instead of the other one
    DataPlane* plane_;                 ///< whichever it is
    RankAnnouncer announcer_;
    std::vector<std::uint64_t> boots_;  ///< by host: of its agent, as last heard
    std::optional<ManageConfig> manage_;
    std::optional<Manager> manager_;        ///< once it is known whether there is a route plane
    std::optional<MessageWatch> messages_;  ///< where the ranks write rings
    bool ready_ = false;
    bool stopping_ = false;
};

}  // namespace fairlead::agent
