// SPDX-License-Identifier: Apache-2.0
#include "common/mpi.hpp"

#include <sched.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <thread>

#include "common/mpi_count.hpp"
#include "common/usage.hpp"

namespace fairlead {

namespace {

/// Ends the whole job. Launchers kill at once when a rank aborts, and MPICH's then loses what the rank has just said:
/// it gets the time to be passed on.
void end_job(int code) {
    constexpr auto kPassedOn = std::chrono::milliseconds(500);
    std::cerr << std::flush;
    std::this_thread::sleep_for(kPassedOn);
    MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace

void check(int code, const char* call, const char* file, int line, const char* function) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    std::fprintf(stderr, "%s failed at %s:%d (%s): %.*s\n", call, file, line, function, length, text.data());
    end_job(code);
}

int rank_of(MPI_Comm comm) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
}

int size_of(MPI_Comm comm) {
    int size = 0;
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return size;
}

void wait_all(std::span<MPI_Request> requests) {
    for (int complete = 0;;) {
        check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE),
              "MPI_Testall");
        if (complete != 0) {
            return;
        }
        sched_yield();
    }
}

void barrier() {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(MPI_COMM_WORLD, &request), "MPI_Ibarrier");
    wait_all({&request, 1});
}

void all_reduce(std::span<double> values, MPI_Op operation) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), MPI_DOUBLE, operation, MPI_COMM_WORLD,
                         &request),
          "MPI_Iallreduce");
    wait_all({&request, 1});
}

double all_reduce(double value, MPI_Op operation) {
    all_reduce({&value, 1}, operation);
    return value;
}

bool all_agree(bool own) {
    return all_reduce(own ? 1.0 : 0.0, MPI_MIN) > 0.0;
}

namespace {

int guarded(const std::function<int()>& program) {
    const bool speaker = rank_of(MPI_COMM_WORLD) == 0;
    try {
        return program();
    } catch (const HelpRequest& help) {
        if (speaker) {
            std::cout << help.what() << std::flush;
        }
        return kVerified;
    } catch (const UsageError& mistake) {
        if (speaker) {
            std::cerr << mistake.what() << std::endl;
        }
        return kUsageError;
    } catch (const std::exception& problem) {
        // Not known to be the same on all ranks, so the others may be waiting: end the whole job.
        std::cerr << "rank " << rank_of(MPI_COMM_WORLD) << ": " << problem.what() << std::endl;
        end_job(kUsageError);
    }
    return kUsageError;
}

}  // namespace

int run_mpi_program(int argc, char** argv, const std::function<int()>& program) {
    check(MPI_Init(&argc, &argv), "MPI_Init");
    // Errors come back to check(), which names the place; the default handler would not.
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    const int code = guarded(program);
    check(MPI_Finalize(), "MPI_Finalize");
    return code;
}

}  // namespace fairlead
