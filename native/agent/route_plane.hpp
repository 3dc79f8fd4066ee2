// SPDX-License-Identifier: Apache-2.0
// The agent's end of its guardian: set-up, moves, returns, withdrawal, and what happens when the guardian dies.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client.hpp"
#include "config.hpp"
#include "data_plane.hpp"
#include "event_loop.hpp"

namespace fairlead::agent {

class RoutePlane final : public DataPlane {
  public:
    /// An answer that takes longer means that the guardian is not to be relied on. It waits for its lock for 3 s.
    static constexpr double kAnswer_s = 5.0;
    static constexpr std::chrono::seconds kTearDown{2};

    RoutePlane(EventLoop& loop, const Config& config) : loop_(loop), config_(config) {}
    ~RoutePlane() override;

    /// Starts the guardian, before the agent gives up its own privileges. Does nothing if none is configured.
    void start();
    /// Has it make the overlay; done once the kernel has acknowledged. `lost` is called later, once, if the guardian
    /// dies or breaks the protocol.
    void set_up(Done done, std::function<void(const std::string&)> lost);

    std::string_view name() const override { return "route"; }
    bool up() const override { return up_; }
    const std::string& reason() const override { return reason_; }
    /// Done once the kernel has acknowledged.
    void move(core::HostId destination, core::HostId relay, Done done) override;
    void back(core::HostId destination, Done done) override;
    /// Waits for the guardian.
    std::string tear_down() override;

  private:
    struct Waiting {
        Done done;
        EventLoop::TimerId timer = 0;
    };
    template <typename Body>
    void request(const Body& body, Done done);
    void read_replies();
    void lose(const std::string& reason);
    guardian::Setup make_setup() const;

    EventLoop& loop_;
    const Config& config_;
    std::unique_ptr<guardian::Client> client_;
    std::map<std::uint32_t, Waiting> waiting_;
    std::function<void(const std::string&)> lost_;
    std::string reason_ = "no guardian was asked for";
    bool up_ = false;
};

/// The network interface that has this address. Throws std::runtime_error if none has.
std::string interface_with(in_addr address);

}  // namespace fairlead::agent
