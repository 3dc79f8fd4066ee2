// SPDX-License-Identifier: Apache-2.0
// Echoes on the path of rerouted packets: datagrams from two ports that the guardian's rules lead, to the agents' own
// ports.
#pragma once

#include <cstdint>
#include <functional>

#include "control/config.hpp"
#include "peers/udp_channel.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {

class EchoSender {
  public:
    /// Of ports that are free here: those that others of the job have a use for.
    using Taken = std::function<bool(std::uint16_t port)>;

    /// Binds two ports of this host's address that are free and not taken. Throws std::system_error.
    EchoSender(const Config& config, UdpChannel& channel, const Taken& taken);

    std::uint16_t lasting_port() const { return lasting_.port; }
    std::uint16_t trial_port() const { return trial_.port; }

    /// Pads it to the largest packet that its way takes: smaller ones may pass where the program's do not. `trial`: by
    /// the way that is tried, else by that of rerouted packets. One that cannot be sent counts as lost on the way.
    void send(const core::wire::Echo& echo, bool trial);

  private:
    struct Port {
        UniqueFd socket;
        std::uint16_t port = 0;
    };
    static Port bind_port(const Host& own);
    static Port bind_port(const Host& own, const Taken& taken);

    const Config& config_;
    UdpChannel& channel_;
    Port lasting_;
    Port trial_;
};

}  // namespace fairlead::agent
