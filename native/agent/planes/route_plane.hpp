// SPDX-License-Identifier: Apache-2.0
// The agent's end of its guardian: set-up, reroutes, restorations, withdrawal, and what happens when the guardian dies.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "control/config.hpp"
#include "measure/echo_sender.hpp"
#include "measure/trial_queue.hpp"
#include "planes/data_plane.hpp"
#include "process/event_loop.hpp"
#include "protocol/client.hpp"

namespace fairlead::agent {

class RoutePlane final : public DataPlane {
  public:
    /// An answer that takes longer means that the guardian is not to be relied on. It waits for its lock for 3 s.
    static constexpr double kAnswer_s = 5.0;
    static constexpr std::chrono::seconds kTearDown{2};
    /// While something is rerouted the guardian hears of the agent this often, or takes it for dead: as long as a
    /// supervisor's lease. It also shows in time that a guardian is stopped.
    static constexpr std::chrono::milliseconds kLease{10'000};
    static constexpr double kRenew_s = 2.0;

    RoutePlane(EventLoop& loop, const Config& config);
    ~RoutePlane() override;

    /// Has the guardian make so many equal-cost paths; before set_up().
    void set_ways(int ways) { ways_ = ways; }
    /// Starts the guardian, before the agent gives up its own privileges. Does nothing if none is configured.
    void start();
    using Lost = std::function<void(const std::string& reason)>;
    /// Has it make the overlay and lead echoes, which `channel` seals and takes; done once the kernel has acknowledged.
    /// `lost` is called later, once, if the guardian dies or breaks the protocol.
    void set_up(UdpChannel& channel, Done done, Lost lost);

    std::string_view name() const override { return "route"; }
    bool up() const override { return up_; }
    const std::string& reason() const override { return reason_; }
    int ways() const override { return up_ ? ways_ : 0; }
    /// Done once the kernel has acknowledged.
    void reroute(core::HostId destination, core::HostId relay, Done done) override;
    void restore(core::HostId destination, Done done) override;
    std::uint16_t route_mtu_B(core::HostId peer) const override;
    void learn_leg(core::HostId destination, core::HostId relay, std::uint16_t mtu_B, Done failed) override;
    bool proves() const override { return up_; }
    void echo(const core::wire::Echo& echo, bool trial) override;
    void on_trial_left(EchoLeft left) override { trial_left_ = std::move(left); }
    /// Waits for the guardian.
    std::string tear_down() override;

  private:
    struct Waiting {
        Done done;
        EventLoop::TimerId timer = 0;
    };
    /// Of a destination's packets. kNoHost: the direct path.
    struct Route {
        core::HostId relay = core::kNoHost;  ///< as the guardian acknowledged last
        std::optional<core::HostId> asked;   ///< for last, until that is answered
        std::uint64_t number = 0;            ///< of the last request
        Done learned;                        ///< learn_leg's, while the reroute that it is about is not answered
    };
    void set_up(guardian::Setup setup, double patience_until_s, Done done, Lost lost);
    template <typename Body>
    void request(const Body& body, Done done);
    void read_replies();
    void lose_silent();
    void lose(const std::string& reason);
    std::uint64_t ask(core::HostId destination, core::HostId relay);
    bool reroutes() const;
    void hold_lease();
    void make_anew(core::HostId destination, core::HostId relay, Done failed);
    void lead_echoes(const guardian::Setup& setup, Done done);
    std::uint16_t leg_mtu_B(core::HostId destination, core::HostId relay) const;
    guardian::Setup make_setup() const;
    guardian::Reroute reroute_of(core::HostId destination, core::HostId relay) const;

    EventLoop& loop_;
    const Config& config_;
    int ways_ = 0;
    std::unique_ptr<guardian::Client> client_;
    std::map<std::uint32_t, Waiting> waiting_;
    std::map<core::HostId, Route> routes_;  ///< by destination
    EventLoop::TimerId lease_timer_ = 0;    ///< 0: nothing is rerouted
    TrialQueue trials_;
    EchoLeft trial_left_;
    std::map<std::pair<core::HostId, core::HostId>, std::uint16_t> leg_mtus_B_;  ///< by destination and relay
    UdpChannel* channel_ = nullptr;
    std::unique_ptr<EchoSender> echoes_;
    Lost lost_;
    int refused_with_ = 0;  ///< errno of the last answer; 0: it was done
    std::string reason_ = "no guardian was asked for";
    bool up_ = false;
};

/// The network interface that has this address. Throws std::runtime_error if none has.
std::string interface_with(const Address& address);
/// The device of an address by its label, which IPv4 addresses may have: ``eth0`` of ``eth0:1``.
std::string device_of(const std::string& label);

}  // namespace fairlead::agent
