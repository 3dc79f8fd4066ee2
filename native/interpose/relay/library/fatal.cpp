// SPDX-License-Identifier: Apache-2.0
#include "relay/library/fatal.hpp"

#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "mpi/pmpi.hpp"
#include "relay/library/functions.hpp"

namespace fairlead::relay {

namespace {

constexpr std::chrono::milliseconds kTimeToForward{200};

bool is(Function function) {
    int flag = 0;
    library<int(int*)>(function)(&flag);
    return flag != 0;
}

}  // namespace

void fatal(const char* format, ...) {
    const bool has_world = is(Function::MPI_Initialized) && !is(Function::MPI_Finalized);
    int rank = -1;
    if (has_world) {
        PMPI_Comm_rank(comm_world(), &rank);
    }
    std::array<char, 512> reason{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(reason.data(), reason.size(), format, arguments);
    va_end(arguments);
    const std::string who = has_world ? " rank " + std::to_string(rank) + ":" : "";
    std::fprintf(stderr, "fairlead:%s the relay plane ends the job: %s\n", who.c_str(), reason.data());
    if (has_world) {
        // A launcher that ends the job may drop what it has not forwarded yet.
        std::this_thread::sleep_for(kTimeToForward);
        PMPI_Abort(comm_world(), 1);
    }
    std::abort();
}

}  // namespace fairlead::relay
