// SPDX-License-Identifier: Apache-2.0
// Where the shim enters, once; and what happens when the process exits without MPI_Finalize.
#include "boundary.hpp"
#include "generated/wrappers.hpp"
#include "record/recorder.hpp"
#include "relay/calls/calls.hpp"
#include "wrap/call.hpp"

namespace fairlead {

void* const* next_functions = nullptr;

namespace {

[[gnu::destructor]] void process_exits() {
    if (next_functions != nullptr) {
        record::ending(record::State::exited);
    }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void* const* fairlead_start(void* const* next, const char* directory,
                                                                      std::size_t most_messages, const char* rings) {
    next_functions = relay::arm(next);
    record::configure(directory, kFunctionNames, kFunctions, most_messages, rings);
    return kWrappers;
}

}  // namespace fairlead
