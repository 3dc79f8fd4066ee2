// SPDX-License-Identifier: Apache-2.0
#include "relay/fatal.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "wrap/pmpi.hpp"

namespace fairlead::relay {

void fatal(const char* format, ...) {
    int rank = -1;
    PMPI_Comm_rank(comm_world(), &rank);
    std::array<char, 512> reason{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(reason.data(), reason.size(), format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "fairlead: rank %d: the relay plane ends the job: %s\n", rank, reason.data());
    PMPI_Abort(comm_world(), 1);
    std::abort();
}

}  // namespace fairlead::relay
