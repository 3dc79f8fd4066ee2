// SPDX-License-Identifier: Apache-2.0
#include "relay/calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "boundary.hpp"
#include "relay/fatal.hpp"

namespace fairlead::relay {

Plane* plane = nullptr;
void* const* library_functions = nullptr;

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
        std::fprintf(stderr, "fairlead: %s=%s is not a number: no messages are moved\n", kChaosVariable, value);
        return std::nullopt;
    }
    return seed;
}

}  // namespace

void* const* arm(void* const* next) {
    const char* const chaos = std::getenv(kChaosVariable);
    chaos_seed = chaos != nullptr ? seed_of(chaos) : std::nullopt;
    if (const char* const there = std::getenv(kRelayVariable); there != nullptr) {
        directory = there;
    }
    armed = chaos_seed || directory;
    if (!armed) {
        return next;
    }
    library_functions = next;
    std::copy_n(next, kFunctions, functions.begin());
    Table table(functions.data());
    put_messages(table);
    put_completion(table);
    put_communicators(table);
    put_collectives(table);
    put_creations(table);
    put_refusals(table);
    return functions.data();
}

const char* way_out() {
    if (!directory) {
        return "without FAIRLEAD_CHAOS (fairlead profile --chaos)";
    }
    return chaos_seed ? "without FAIRLEAD_CHAOS and FAIRLEAD_RELAY"
                      : "with --plane route or --no-agents (what armed it is FAIRLEAD_RELAY)";
}

void begin() {
    if (armed && plane == nullptr) {
        const auto chaos = chaos_seed ? std::optional<Chaos>(*chaos_seed) : std::nullopt;
        // Never destroyed: threads may outlive main.
        plane = new Plane(chaos, directory ? directory->c_str() : nullptr);
        // Only now that it is a rank: what it was until then may have begun another program in its place. An MPI job
        // that a rank starts has ranks of its own, of the same numbers, which the agent must not take for this job's.
        unsetenv(kRelayVariable);
    }
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
