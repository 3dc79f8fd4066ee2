// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <functional>
#include <span>

namespace fairlead {

// Exit codes of all bundled MPI programs.
enum ExitCode : int { kVerified = 0, kVerificationFailed = 1, kUsageError = 2 };

// Every MPI call passes through here: a failure is told with call, place and the library's text, and ends the job.
// (The compilers' built-ins stand for std::source_location, which clang 14 lacks.)
void check(int code, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE(),
           const char* function = __builtin_FUNCTION());

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

// Completes all requests, and gives the processor away while they are not complete.
//
// MPI_Waitall spins. Open MPI can be told to yield (mpi_yield_when_idle), MPICH 4.0 as Debian builds it cannot: eight
// ranks on two cores then take a hundred times as long. Where every rank has a core a yield returns at once.
void wait_all(std::span<MPI_Request> requests);

// Collectives over MPI_COMM_WORLD that wait in the same way.
void barrier();
void all_reduce(std::span<double> values, MPI_Op operation);
double all_reduce(double value, MPI_Op operation);

// Whether `own` is true on all ranks: one that disagrees makes a failed run.
bool all_agree(bool own);

// Runs `program` between MPI_Init and MPI_Finalize and returns its exit code, the same on all ranks.
//
// Usage errors and requests for help are expected to come up alike on every rank (all parse the same command line):
// rank 0 prints, all end in order.
int run_mpi_program(int argc, char** argv, const std::function<int()>& program);

}  // namespace fairlead
