// SPDX-License-Identifier: Apache-2.0
// libfairlead-idle.so: loaded into the ranks of a lab, whose processors are shared by all its hosts.
//
// MPI libraries that "yield when idle" look for messages, call sched_yield(), and look again: a rank that waits keeps a
// processor busy, and a lab of 16 ranks on 2 processors measures these. Here sched_yield() waits until one of the file
// descriptors that the library polls is ready, so that a message wakes its rank at once. Messages in shared memory wake
// nobody: the wait ends after a quarter of the time that the rank has waited so far, 1 ms at most.
#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>

namespace {

constexpr int64_t longest_wait_ns = 1'000'000;
constexpr int64_t spin_ns = 20'000;    // shorter waits are not worth a sleep
constexpr int64_t busy_ns = 100'000;   // a rank that did not yield for so long had found something
constexpr int64_t asleep_ns = 10'000;  // a wait that ended earlier was none
constexpr nfds_t most_polled = 256;

// What this thread's MPI library looked at last, and since when it finds nothing.
struct Polled {
    std::array<pollfd, most_polled> fds;
    nfds_t count = 0;  // 0: nothing since the last sleep; who yields for another reason is not kept waiting for this
    int64_t idle_since_ns = 0;
    int64_t yielded_ns = 0;
};

thread_local constinit Polled polled{};

int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int yield() {
    const int result = static_cast<int>(syscall(SYS_sched_yield));
    polled.yielded_ns = now_ns();  // others may have run for long meanwhile
    return result;
}

}  // namespace

extern "C" {

int poll(pollfd* fds, nfds_t count, int timeout_ms) {
    static auto* const real = next<int(pollfd*, nfds_t, int)>("poll");
    const int ready = real(fds, count, timeout_ms);
    if (timeout_ms == 0) {
        polled.count = ready == 0 && count <= most_polled ? count : 0;
        std::copy_n(fds, polled.count, polled.fds.begin());
        if (ready != 0) polled.idle_since_ns = 0;
    }
    return ready;
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
    static auto* const real = next<int(int, epoll_event*, int, int)>("epoll_wait");
    const int ready = real(epoll, events, most, timeout_ms);
    if (timeout_ms == 0) {
        polled.count = ready == 0 ? 1 : 0;
        polled.fds[0] = {.fd = epoll, .events = POLLIN, .revents = 0};
        if (ready != 0) polled.idle_since_ns = 0;
    }
    return ready;
}

int sched_yield() noexcept {
    if (polled.count == 0) return yield();
    const int64_t now = now_ns();
    if (polled.idle_since_ns == 0 || now - polled.yielded_ns > busy_ns) polled.idle_since_ns = now;
    const int64_t waited_ns = now - polled.idle_since_ns;
    if (waited_ns < spin_ns) return yield();
    const timespec limit{.tv_sec = 0, .tv_nsec = std::min(waited_ns / 4, longest_wait_ns)};
    const int ready = ppoll(polled.fds.data(), polled.count, &limit, nullptr);
    polled.count = 0;
    polled.yielded_ns = now_ns();
    // Ready at once, and again and again: a descriptor that is closed or at its end. Others are to run, too.
    return ready != 0 && polled.yielded_ns - now < asleep_ns ? yield() : 0;
}

}  // extern "C"
