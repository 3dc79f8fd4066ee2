// SPDX-License-Identifier: Apache-2.0
// Functions that the relay plane cannot do with: the job ends with a line that says so, before anything is wrong.
#pragma once

#include "relay/calls.hpp"
#include "relay/fatal.hpp"
#include "wrap/pmpi.hpp"

namespace fairlead::relay {

[[noreturn]] inline void refuse(const char* function) {
    fatal("%s cannot be used with it; run the program %s", function, way_out());
}

inline bool is_alone(MPI_Comm comm) {
    int size = 0;
    int inter = 0;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_test_inter(comm, &inter);
    return size == 1 && inter == 0;
}

}  // namespace fairlead::relay
