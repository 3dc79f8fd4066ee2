// SPDX-License-Identifier: Apache-2.0
// MPI's terms and the endpoint's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fairlead/relay/matching.hpp"
#include "mpi/pmpi.hpp"

namespace fairlead::relay {

inline Pattern pattern_of(int source, int tag) {
    return {source == MPI_ANY_SOURCE ? kAnySource : source, tag == MPI_ANY_TAG ? kAnyTag : tag};
}

inline void fill(MPI_Status* status, int source, int tag, std::uint64_t size_B, bool cancelled) {
    if (status == MPI_STATUS_IGNORE) {
        return;
    }
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    set_bytes(*status, size_B, cancelled);
}

/// A status for the program. Its error field only where the call says of each message what became of it.
inline void give(MPI_Status* to, const MPI_Status& status, bool with_error) {
    if (to == MPI_STATUS_IGNORE) {
        return;
    }
    const int before = to->MPI_ERROR;
    *to = status;
    to->MPI_ERROR = with_error ? status.MPI_ERROR : before;
}
inline void give(MPI_Status to[], std::span<const MPI_Status> statuses, bool with_errors) {
    for (std::size_t at = 0; at < statuses.size() && to != MPI_STATUSES_IGNORE; ++at) {
        give(&to[at], statuses[at], with_errors);
    }
}

}  // namespace fairlead::relay
