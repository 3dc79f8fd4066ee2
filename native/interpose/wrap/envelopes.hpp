// SPDX-License-Identifier: Apache-2.0
// The how many-th message with its communicator, sender, receiver and tag a message is, while the program runs: by this
// number the agents of its two hosts find its ends. Where the order of matching is not known, neither is the number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/layout.hpp"
#include "wrap/handle_table.hpp"

namespace fairlead {

class Envelopes {
  public:
    // An end of a message begins: sends, and receives that say from whom and with which tag, are numbered here. MPI
    // matches them in this order.
    void begin(record::Message& message);

    // A receive from anybody, or of any tag, is complete; `message` has the source and tag that it got. Its place
    // among the receives is certain if no other one was open or begun meanwhile.
    void end_wildcard(record::Message& message);

    // Receives that were numbered after this one have wrong numbers: there are none any more for its envelope.
    void cancel(const record::Message& message);

  private:
    static constexpr std::size_t kMostEnvelopes = 8192;  // a program may use a new tag for every message

    std::uint32_t* count_of(const record::Message& message);  // null: there are too many
    static std::uint32_t next(std::uint32_t& count);

    HandleTable<std::uint32_t> counts_;  // messages so far; kNoNumber: the order was lost
    std::uint32_t receives_ = 0;         // begun, modulo kNumbers
    std::size_t open_wildcards_ = 0;
};

inline bool is_wildcard(const record::Message& message) {
    return message.peer == record::kAnySource || message.tag == record::kAnyTag;
}

}  // namespace fairlead
