// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/message_log.hpp"

#include <mutex>

#include "mpi/lasting.hpp"

namespace fairlead {

namespace {

std::mutex mutex;
Lasting<Envelopes> envelopes;

// Locks only where the program asked for MPI_THREAD_MULTIPLE: else its calls never overlap.
std::unique_lock<std::mutex> exclusively() {
    return threads_at_once ? std::unique_lock(mutex) : std::unique_lock(mutex, std::defer_lock);
}

}  // namespace

std::uint32_t number_begun(const Envelope& envelope) {
    const auto lock = exclusively();
    return envelopes->begin(envelope);
}

void number_ended_wildcard(record::Message& message) {
    const auto lock = exclusively();
    envelopes->end_wildcard(message);
}

void number_cancelled(const record::Message& message) {
    const auto lock = exclusively();
    envelopes->cancel(message);
}

}  // namespace fairlead
