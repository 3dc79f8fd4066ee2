// SPDX-License-Identifier: Apache-2.0
#include "process/scheduling.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace fairlead::agent {
namespace {

constexpr std::uint64_t kSlice_ns = 100'000;
constexpr std::uint64_t kResetOnFork = 1;  // SCHED_FLAG_RESET_ON_FORK

/// sched_setattr(2)'s structure, first version; older C libraries have neither it nor the call.
struct Attributes {
    std::uint32_t size = sizeof(Attributes);
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime_ns = 0;
    std::uint64_t deadline_ns = 0;
    std::uint64_t period_ns = 0;
};
static_assert(sizeof(Attributes) == 48);

bool set(const Attributes& attributes) {
    return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

/// Kernels before 6.12 accept a slice and ignore it, so it is read back.
bool has_slice() {
    Attributes attributes;
    return syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 && attributes.runtime_ns == kSlice_ns;
}

Attributes wanted(Scheduling scheduling) {
    Attributes attributes;
    if (scheduling == Scheduling::realtime) {
        attributes.policy = SCHED_FIFO;
        attributes.priority = 1;
    } else {
        attributes.nice = getpriority(PRIO_PROCESS, 0);
        attributes.runtime_ns = kSlice_ns;
    }
    return attributes;
}

/// It can be given back and taken again, without privileges: the limit allows it.
void allow_realtime() {
    rlimit limit{};
    if (getrlimit(RLIMIT_RTPRIO, &limit) < 0 || limit.rlim_cur >= 1) return;
    limit.rlim_cur = 1;
    limit.rlim_max = std::max(limit.rlim_max, limit.rlim_cur);
    setrlimit(RLIMIT_RTPRIO, &limit);  // where it may not, what is given back is gone
}

}  // namespace

Scheduling raise_scheduling() {
    if (set(wanted(Scheduling::realtime))) {
        allow_realtime();
        return Scheduling::realtime;
    }
    if (set(wanted(Scheduling::short_slice)) && has_slice()) return Scheduling::short_slice;
    return Scheduling::normal;
}

bool keep_for_this_thread(Scheduling scheduling) {
    if (scheduling == Scheduling::normal) return true;
    Attributes attributes = wanted(scheduling);
    attributes.flags = kResetOnFork;
    return set(attributes);
}

}  // namespace fairlead::agent
