// SPDX-License-Identifier: Apache-2.0
#include "relay/calls/calls.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "boundary.hpp"
#include "mpi/pmpi.hpp"
#include "relay/library/fatal.hpp"
#include "relay/library/random_number.hpp"
#include "relay/plane/now.hpp"

namespace fairlead::relay {

Plane* plane = nullptr;

namespace {

std::array<void*, kFunctions> functions;
std::optional<std::uint64_t> chaos_seed;
std::optional<std::string> directory;
bool armed = false;

std::optional<std::uint64_t> seed_of(const char* value) {
    char* end = nullptr;
    errno = 0;
    const unsigned long long seed = std::strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || errno != 0) {
        std::fprintf(stderr, "fairlead: %s=%s is not a number: chaos mode is off\n", kChaosVariable, value);
        return std::nullopt;
    }
    return seed;
}

/// How the program runs without the plane, by what armed it.
const char* way_out() {
    if (!directory) {
        return "without FAIRLEAD_CHAOS (fairlead profile --chaos)";
    }
    return chaos_seed ? "without FAIRLEAD_CHAOS and FAIRLEAD_RELAY"
                      : "with --plane route or --no-agents (what armed it is FAIRLEAD_RELAY)";
}

Time patience_s() {
    constexpr Time kPatience_s = 60.0;
    const char* const value = std::getenv(kPatienceVariable);
    if (value == nullptr) {
        return kPatience_s;
    }
    char* end = nullptr;
    const double given_s = std::strtod(value, &end);
    if (end == value || *end != '\0' || !(given_s > 0.0)) {
        std::fprintf(stderr, "fairlead: %s=%s is not a time in seconds: waiting %g s\n", kPatienceVariable, value,
                     kPatience_s);
        return kPatience_s;
    }
    return given_s;
}

WorldId drawn() {
    WorldId world = kNoWorld;
    while (world == kNoWorld) {
        world = random_number();
    }
    return world;
}

// Whoever does not come will not answer anything else either. What waits here for all is a collective call that is not
// blocking: it meets no call of a rank that does not have the plane. The library's MPI_Init has waited for those that
// start late. Of the time since, only what this rank itself ran counts: a job or a machine may be stopped for a while.
// Returns the world's name, which rank 0 draws, and which reaches all as a sum.
WorldId meet_all() {
    constexpr Time kLongestStep_s = 0.1;
    const Time most_s = patience_s();
    Time waited_s = 0.0;
    Time before_s = now_s();
    int rank = 0;
    PMPI_Comm_rank(comm_world(), &rank);
    const auto own = static_cast<std::int64_t>(rank == 0 ? drawn() : kNoWorld);
    std::int64_t world = 0;
    MPI_Request request = request_null();
    PMPI_Iallreduce(&own, &world, 1, datatype_int64(), op_sum(), comm_world(), &request);
    for (int over = 0; over == 0;) {
        PMPI_Test(&request, &over, MPI_STATUS_IGNORE);
        const Time time_s = now_s();
        waited_s += std::min(time_s - std::exchange(before_s, time_s), kLongestStep_s);
        if (over == 0 && waited_s > most_s) {
            fatal(
                "not all ranks joined the relay plane within %g s: all of MPI_COMM_WORLD need the same "
                "LD_PRELOAD and FAIRLEAD_ variables, or none; or run the program %s; or set a longer wait (%s)",
                most_s, way_out(), kPatienceVariable);
        }
        sched_yield();
    }
    return static_cast<WorldId>(world);
}

}  // namespace

void* const* arm(void* const* next) {
    const char* const chaos = std::getenv(kChaosVariable);
    chaos_seed = chaos != nullptr ? seed_of(chaos) : std::nullopt;
    if (const char* const there = std::getenv(kRelayVariable); there != nullptr) {
        directory = there;
    }
    const bool wanted = chaos_seed || directory;
    armed = wanted && behaves_as_described();
    if (!armed) {
        if (wanted) {
            std::fputs(
                "fairlead: this MPI library's behaviour behind the standard ABI is not known, so no messages are "
                "relayed (known: MPICH, Intel MPI, MVAPICH)\n",
                stderr);
        }
        return next;
    }
    library_functions = next;
    std::copy_n(next, kFunctions, functions.begin());
    Table table(functions.data());
    put_messages(table);
    put_buffers(table);
    put_completion(table);
    put_communicators(table);
    put_collectives(table);
    put_creations(table);
    put_files(table);
    put_file_calls(table);
    put_windows(table);
    put_compound(table);
    put_partitioned(table);
    put_request_status(table);
    put_joining(table);
    put_errors(table);
    return functions.data();
}

void begin() {
    if (armed && plane == nullptr) {
        const WorldId world = meet_all();
        const auto chaos = chaos_seed ? std::optional<Chaos>(*chaos_seed) : std::nullopt;
        // Never destroyed: threads may outlive main.
        plane = new Plane(chaos, directory ? directory->c_str() : nullptr, way_out(), world);
        // A child that the program forks is no rank: what the plane has, and shares with the agent, is its parent's.
        pthread_atfork(nullptr, nullptr, [] { plane = nullptr; });
    }
    // Only now that it is a rank: what it was until then may have begun another program in its place. An MPI job that a
    // rank starts has ranks of its own, of the same numbers, which the agent must not take for this job's.
    unsetenv(kRelayVariable);
}

void finish() {
    if (plane != nullptr) {
        plane->finish();
        const Counters& counters = plane->counters();
        record::relayed({.direct = counters.direct,
                         .relayed = counters.relayed,
                         .takeovers = counters.takeovers,
                         .cancelled = counters.cancelled,
                         .cancel_failed = counters.cancel_failed,
                         .pulled = counters.pulled,
                         .held = counters.held,
                         .waited = counters.waited,
                         .retransmitted = counters.retransmitted,
                         .duplicates = counters.duplicates,
                         .outside = plane->outside()});
    }
}

void end() {
    plane = nullptr;
}

}  // namespace fairlead::relay
