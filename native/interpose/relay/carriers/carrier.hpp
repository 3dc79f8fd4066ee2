// SPDX-License-Identifier: Apache-2.0
// What takes frames of the relay plane from this process to others: agents, or MPI itself. It may lose, double and
// reorder them (the endpoint's link does not mind), and nothing here ever waits.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fairlead/relay/types.hpp"

namespace fairlead::relay {

class Carrier {
  public:
    Carrier() = default;
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;
    virtual ~Carrier() = default;

    /// Whether send() takes a frame for this process (its rank in MPI_COMM_WORLD) now. Asked before a frame is made:
    /// one that is made and not taken would only come again after the link's timeout.
    virtual bool ready(Process to) = 0;
    /// Takes one whole frame in its wire form (fairlead/relay/wire.hpp). Only after ready(to) said so.
    virtual void send(Process to, std::vector<std::uint8_t> frame) = 0;

    /// One whole frame in its wire form; the bytes are valid during the call. What they are nobody has checked yet.
    using Sink = std::function<void(std::span<const std::uint8_t> frame)>;
    /// Gives the frames that have arrived to the sink, and moves on what is on its way out. The sink does not call the
    /// carrier.
    virtual void poll(const Sink& arrived) = 0;
};

}  // namespace fairlead::relay
