// SPDX-License-Identifier: Apache-2.0
// What carries the traffic of a pair of hosts over a third one, or by another equal-cost path. Who decides does not
// know which plane it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"
#include "planes/carried.hpp"

namespace fairlead::agent {

class DataPlane {
  public:
    /// Called with an empty string once it is done, else with the reason why not.
    using Done = std::function<void(const std::string& error)>;

    DataPlane() = default;
    DataPlane(const DataPlane&) = delete;
    DataPlane& operator=(const DataPlane&) = delete;
    virtual ~DataPlane() = default;

    /// "route", "relay"
    virtual std::string_view name() const = 0;
    /// Whether traffic can be rerouted, and this host relay that of others.
    virtual bool up() const = 0;
    /// Why it is not up.
    virtual const std::string& reason() const = 0;

    /// Equal-cost paths that it has beside the direct one, which stand for relays as core::way_of() says.
    virtual int ways() const { return 0; }
    virtual void reroute(core::HostId destination, core::HostId relay, Done done) = 0;
    virtual void restore(core::HostId destination, Done done) = 0;

    /// How long packets of this host to that one may be; 0: the plane need not know.
    virtual std::uint16_t route_mtu_B(core::HostId) const { return 0; }
    /// The same of a relay's packets to a destination, as the relay told. `failed`: why a detour that is there cannot
    /// have it.
    virtual void learn_leg(core::HostId /*destination*/, core::HostId /*relay*/, std::uint16_t /*mtu_B*/,
                           Done /*failed*/) {}

    /// What it carries itself, so that the program's own sockets do not show it.
    virtual std::vector<Carried> carried() { return {}; }

    /// Whether it can send echoes on the way of what it reroutes.
    virtual bool proves() const { return false; }
    /// Sends one, as large as what that way carries. `trial`: before anything is rerouted that way.
    virtual void echo(const core::wire::Echo&, bool /*trial*/) {}
    using EchoLeft = std::function<void(const core::wire::Echo& echo)>;
    /// Has it told when a trial's echo leaves, where that is not at once; nullptr: no longer.
    virtual void on_trial_left(EchoLeft /*left*/) {}

    /// Withdraws everything and waits for that. Returns what went wrong, or an empty string.
    virtual std::string tear_down() = 0;
};

}  // namespace fairlead::agent
