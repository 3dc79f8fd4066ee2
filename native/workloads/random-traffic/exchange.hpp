// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fairlead::random_traffic {

// What one rank did.
struct Counts {
    std::uint64_t messages = 0;  // sent; as many were received
    std::uint64_t errors = 0;    // received with a wrong mark: from another round, place in the sequence or rank
};

// Exchanges messages with one partner at a time, both directions at once.
class Exchanger {
  public:
    // `message_B`: length of a message, at least a mark's.
    explicit Exchanger(std::size_t message_B) : outgoing_(message_B), incoming_(message_B) {}

    // Goes on until this rank or its partner finds that `over`. Each message says whether its sender does, so both end
    // after the same one.
    void run_round(int partner, std::uint64_t round, const std::function<bool()>& over, Counts& counts);

    static constexpr std::size_t kMarkBytes = 32;

  private:
    std::vector<std::byte> outgoing_;
    std::vector<std::byte> incoming_;
};

}  // namespace fairlead::random_traffic
