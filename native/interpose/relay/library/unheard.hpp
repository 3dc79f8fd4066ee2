// SPDX-License-Identifier: Apache-2.0
// A look at the library's requests of which no error handler hears.
#pragma once

#include <vector>

#include "mpi/pmpi.hpp"
#include "relay/library/operation.hpp"

namespace fairlead::relay {

/// MPICH's PMPI_Request_get_status, and its test of a persistent request, tell the handler of an error. Of Open MPI's
/// requests only those are tested that were cancelled, and a look at the others tells nobody.
inline constexpr bool kLooksAreHeard = !kErrorsFreePersistent;

/// Meanwhile the program hears nothing of errors: it has not asked for what the plane looks at. Where a library does
/// not know whose they are, they are MPI_COMM_SELF's, or MPI_COMM_WORLD's.
///
/// Under the plane's lock, as are the calls by which other threads set and ask for error handlers (calls/errors.cpp).
class Unheard {
  public:
    explicit Unheard(const Channel& channel) {
        for (const MPI_Comm comm : {channel.freed ? comm_null() : channel.comm, comm_world(), comm_self()}) {
            if (comm != comm_null()) {
                Heard& heard = before_.emplace_back(comm);
                PMPI_Comm_get_errhandler(comm, &heard.handler);
                PMPI_Comm_set_errhandler(comm, errors_return());
            }
        }
    }
    ~Unheard() {
        for (auto heard = before_.rbegin(); heard != before_.rend(); ++heard) {  // one may be there twice
            PMPI_Comm_set_errhandler(heard->comm, heard->handler);
            PMPI_Errhandler_free(&heard->handler);
        }
    }
    Unheard(const Unheard&) = delete;
    Unheard& operator=(const Unheard&) = delete;

  private:
    struct Heard {
        explicit Heard(MPI_Comm whose) : comm(whose) {}
        MPI_Comm comm;
        MPI_Errhandler handler{};
    };
    std::vector<Heard> before_;
};

}  // namespace fairlead::relay
