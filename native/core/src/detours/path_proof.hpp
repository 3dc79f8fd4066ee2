// SPDX-License-Identifier: Apache-2.0
// The proof that a way carries packets, before anything is rerouted there: echoes over it, until one comes back.
#pragma once

#include <cstdint>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"
#include "outbox.hpp"

namespace fairlead::core {

class PathProof {
  public:
    PathProof(Pair path, HostId relay) : path_(path), relay_(relay) {}

    /// Sends another echo, if none has come back yet and it is time for one.
    void advance(const EchoSettings& settings, Time now, Outbox& out);
    /// Whether it is the answer to one of this trial's echoes; if so the way carries.
    bool answered(const wire::EchoReply& reply);

    HostId relay() const { return relay_; }
    bool carries() const { return carries_; }
    int echoes() const { return echoes_; }
    Time next_echo() const { return next_echo_; }

  private:
    Pair path_;
    HostId relay_;
    bool carries_ = false;
    std::uint32_t first_token_ = 0;
    std::uint32_t last_token_ = 0;
    int echoes_ = 0;
    Time next_echo_ = 0.0;
};

}  // namespace fairlead::core
