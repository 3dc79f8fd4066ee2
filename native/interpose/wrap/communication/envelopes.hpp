// SPDX-License-Identifier: Apache-2.0
// The how many-th message with its communicator, sender, receiver and tag a message is, while the program runs: by this
// number the agents of its two hosts find its ends. Where the order of matching is not known, neither is the number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/layout.hpp"
#include "wrap/handle_table.hpp"

namespace fairlead {

struct Envelope {
    record::End end;
    std::uint64_t communicator;
    int peer;
    int tag;

    bool is_wildcard() const { return peer == record::kAnySource || tag == record::kAnyTag; }
};

inline Envelope envelope_of(const record::Message& message) {
    return {message.end, message.communicator, message.peer, message.tag};
}

class Envelopes {
  public:
    // The number of an end of a message that begins: sends, and receives that say from whom and with which tag, are
    // numbered here. MPI matches them in this order.
    std::uint32_t begin(const Envelope& envelope);

    // A receive from anybody, or of any tag, is complete; `message` has the source and tag that it got. Its place
    // among the receives is certain if no other one was open or begun meanwhile.
    void end_wildcard(record::Message& message);

    // Receives that were numbered after this one have wrong numbers: there are none any more for its envelope.
    void cancel(const record::Message& message);

  private:
    static constexpr std::size_t kMostEnvelopes = 8192;  // a program may use a new tag for every message

    std::uint32_t* count_of(const Envelope& envelope);  // null: there are too many
    static std::uint32_t next(std::uint32_t& count);

    HandleTable<std::uint32_t> counts_;  // messages so far; kNoNumber: the order was lost
    std::uint32_t receives_ = 0;         // begun, modulo kNumbers
    std::size_t open_wildcards_ = 0;
};

}  // namespace fairlead
