// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <vector>

#include "benchmark/requests/request.hpp"

namespace fairlead::benchmark {

// The MPI library gave a wrong result; thrown on all ranks that take part.
class WrongResult : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Calls of a collective operation among the first `request.ranks` ranks. The result of the first call is verified.
// `peer` and `first` say nothing here.
//
// Each call comes after a barrier: the time of every call on this rank. With `request.agreed` all ranks begin a call at
// a moment of the first rank's clock that was agreed on before: the bound on the clock's error, and then of every call
// how long after that moment this rank began, and how long after it the rank had its result.
std::vector<double> collective_calls(const Request& request, int peer, bool first);

}  // namespace fairlead::benchmark
