// SPDX-License-Identifier: Apache-2.0
// The sends that this host's ranks completed lately, for the agents of their receivers to ask for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"

namespace fairlead::core {

class SentMessages {
  public:
    SentMessages() : slots_(kSlots) {}

    /// A send is complete. `told.token` means nothing.
    void add(const wire::MessageKey& key, const wire::ToldSend& told);

    /// `from` asks for a message. What is known, or will be before `deadline`, is among the answers.
    void ask(HostId from, const wire::AskedSend& asked, Time deadline);

    struct Answer {
        HostId to = kNoHost;
        wire::ToldSend told;
    };
    /// Since the last call.
    std::vector<Answer> take_answers();

    /// Questions whose deadline has passed are forgotten.
    void expire(Time now);

  private:
    struct Slot {
        std::uint64_t fingerprint = 0;  ///< of the key; 0: empty
        std::uint64_t age = 0;          ///< number of the send
        wire::ToldSend told;
    };
    struct Question {
        HostId from = kNoHost;
        std::uint32_t token = 0;
        Time deadline = 0.0;
    };
    static constexpr std::size_t kSlots = 1U << 14;  ///< a power of two; what is overwritten cannot be told any more
    static constexpr std::size_t kWays = 4;          ///< places where a send may be; it replaces the oldest
    static constexpr std::size_t kMostQuestions = 4096;

    Slot* find(std::uint64_t fingerprint);

    std::vector<Slot> slots_;
    std::uint64_t sends_ = 0;
    std::unordered_map<std::uint64_t, Question> open_;  ///< by fingerprint
    std::vector<Answer> answers_;
};

}  // namespace fairlead::core
