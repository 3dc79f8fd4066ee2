// SPDX-License-Identifier: Apache-2.0
// MPI's terms and the endpoint's.
#pragma once

#include "fairlead/relay/matching.hpp"
#include "wrap/pmpi.hpp"

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

}  // namespace fairlead::relay
