// SPDX-License-Identifier: Apache-2.0
// What two processes tell each other through the agents. Bodies come in order and exactly once (link.hpp); progress is
// three running totals that may come late, twice or never, since a later one says it all.
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

#include "fairlead/relay/types.hpp"

namespace fairlead::relay {

/// A relayed message. It always travels; its payload comes with it, or waits with the sender until it is pulled.
struct Envelope {
    MessageId message = 0;
    CommunicatorId communicator = 0;
    Rank source = 0;
    Tag tag = 0;
    std::uint64_t native_before = 0;  ///< N: native messages sent to this process on this communicator so far
    std::uint64_t size_B = 0;
    bool synchronous = false;
    bool inlined = false;  ///< size_B bytes of payload follow
    auto fields() const {
        return std::tie(message, communicator, source, tag, native_before, size_B, synchronous, inlined);
    }
    friend bool operator==(const Envelope&, const Envelope&) = default;
};

/// The message is matched: send its payload.
struct Pull {
    MessageId message = 0;
    auto fields() const { return std::tie(message); }
    friend bool operator==(const Pull&, const Pull&) = default;
};

/// A piece of a pulled payload. Pieces come in order.
struct Payload {
    MessageId message = 0;
    std::uint64_t offset_B = 0;
    std::uint64_t length_B = 0;  ///< bytes that follow
    auto fields() const { return std::tie(message, offset_B, length_B); }
    friend bool operator==(const Payload&, const Payload&) = default;
};

/// A synchronous message whose payload came with it is matched.
struct Matched {
    MessageId message = 0;
    auto fields() const { return std::tie(message); }
    friend bool operator==(const Matched&, const Matched&) = default;
};

/// Where a library cannot give receives back, its process consents before others relay messages to it.
struct Consent {
    enum class Step : std::uint8_t {
        ask,       ///< may messages be relayed to you?
        grant,     ///< they may
        give_back  ///< none is on its way any more; the next one will be asked for again
    };
    Step step = Step::ask;
    auto fields() const { return std::tie(step); }
    friend bool operator==(const Consent&, const Consent&) = default;
};

using Body = std::variant<Envelope, Pull, Payload, Matched, Consent>;

/// Running totals of what the frame's sender has taken from its peer.
struct Progress {
    std::uint64_t delivered = 0;   ///< sequence number up to which every body is in the rank's own memory
    std::uint64_t released = 0;    ///< relayed messages that joined the matching, native ones before them accounted for
    std::uint64_t consumed_B = 0;  ///< payload that came with envelopes and is in the program's buffers now
    auto fields() const { return std::tie(delivered, released, consumed_B); }
    friend bool operator==(const Progress&, const Progress&) = default;
};

struct Frame {
    Process from = 0;
    Process to = 0;
    std::uint64_t sequence = 0;  ///< 0: progress alone, the body means nothing
    Progress progress;
    Body body = Pull{};
    WorldId world = kNoWorld;  ///< of both processes; agents drop frames for a process of another
    auto fields() const { return std::tie(from, to, sequence, progress, body, world); }
    friend bool operator==(const Frame&, const Frame&) = default;
};

}  // namespace fairlead::relay
