// SPDX-License-Identifier: Apache-2.0
// Error handlers of communicators. While the plane looks at a receive, none hears of errors (unheard.hpp): what another
// thread sets meanwhile must not be what the look's end sets back, and what it asks for not what the look has set.
#include "relay/calls/calls.hpp"

namespace fairlead::relay {

namespace {

template <Function function, class... Arguments>
int apart(Arguments... arguments) {
    const auto direct = library<int(Arguments...)>(function);
    return plane == nullptr ? direct(arguments...) : plane->locked([&] { return direct(arguments...); });
}

}  // namespace

void put_errors(Table& table) {
    using enum Function;
    table.put(MPI_Comm_set_errhandler, apart<MPI_Comm_set_errhandler, MPI_Comm, MPI_Errhandler>);
    table.put(MPI_Comm_get_errhandler, apart<MPI_Comm_get_errhandler, MPI_Comm, MPI_Errhandler*>);
}

}  // namespace fairlead::relay
