// SPDX-License-Identifier: Apache-2.0
// Refuses repeated datagrams: per sender the boot id and a sliding window over the datagram counter
// (the anti-replay scheme of RFC 6479, with a boot id ahead of the counter).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

enum class Freshness : std::uint8_t {
    fresh,       ///< not seen before: take it
    repeated,    ///< this counter was accepted already
    too_old,     ///< behind the window
    old_boot,    ///< of an earlier start of the sender's agent
    bad_sender,  ///< no such host
};

class ReplayWindow {
  public:
    /// Counters further than this behind the newest are refused.
    static constexpr std::uint64_t kWindow = 1024;

    explicit ReplayWindow(HostId host_count);

    /// Only for datagrams whose seal opened: a fresh one is recorded. Boot ids must grow from start to start (take the
    /// wall clock in nanoseconds); a larger one begins a new window, a smaller one is refused.
    Freshness accept(HostId sender, std::uint64_t boot_id, std::uint64_t counter);

  private:
    struct Sender {
        std::uint64_t boot_id = 0;
        std::uint64_t newest = 0;
        bool seen = false;
        std::array<std::uint64_t, kWindow / 64 + 1> bits{};
    };
    std::vector<Sender> senders_;
};

}  // namespace fairlead::core
