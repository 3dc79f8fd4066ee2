// SPDX-License-Identifier: Apache-2.0
// Requests whose completion, or start, is to be counted.
#pragma once

#include <optional>

#include "wrap/communication/messages.hpp"

namespace fairlead {

// The library may give the handle of a send that is complete to another one before the program asks for it; all that
// are complete at once may have the same one. What had it before is then told, as ended by this call.
void track(Call& call, MPI_Request request, Operation&& operation);

// Copies what the active `request` does, if it is tracked; whether it is. It stays tracked until `untrack`.
bool tracked(MPI_Request request, Operation& copy);

// As `tracked`, and it is tracked no longer, unless it is persistent.
bool take(MPI_Request request, Operation& copy);

// It is done for good; whether it was still tracked. As soon as it was complete, another operation may have got the
// same handle: that one, which `serial` is not of, stays.
bool untrack(MPI_Request request, std::uint64_t serial);

// Whatever it is: the program frees it. Moves what it does to `removed`; whether it was tracked.
bool untrack(MPI_Request request, Operation& removed);

// This call is a test that found it open. Where it was not, as an operation of another thread has got its handle by now
// (which `serial` is not of), nothing is done.
void need(Call& call, MPI_Request request, std::uint64_t serial);

// The persistent `request` was started or has completed; what it does, if it is tracked and was not so already.
std::optional<Operation> set_active(MPI_Request request, bool active);

// Where the record holds the message of a persistent request's last start.
void set_message(MPI_Request request, record::Message* message);

bool any_tracked();

}  // namespace fairlead
