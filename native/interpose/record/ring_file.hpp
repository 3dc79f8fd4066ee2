// SPDX-License-Identifier: Apache-2.0
// Where a ring comes from: a file in a directory that the run made and removes.
#pragma once

#include "record/ring.hpp"

namespace fairlead::record {

// A new ring of this process for one of its threads; it is there for the agent once it is complete. Where it cannot be
// made, that is said on stderr, and the ring is in memory that nobody reads. Lives for ever.
Ring* make_ring(const char* directory, std::int32_t rank, std::uint32_t thread);

// What a thread writes to that shall have no ring. Where there is no memory for that, all such threads share it.
Ring* unread_ring(std::int32_t rank, std::uint32_t thread);

}  // namespace fairlead::record
