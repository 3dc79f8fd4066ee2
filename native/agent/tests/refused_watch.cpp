// SPDX-License-Identifier: Apache-2.0
#include "refused_watch.hpp"

#include <dlfcn.h>
#include <sys/epoll.h>

#include <atomic>
#include <cerrno>

namespace {

constexpr int kNone = -1;
std::atomic<int> others_first{kNone};

bool is_refused() {
    int left = others_first;
    while (left != kNone && !others_first.compare_exchange_weak(left, left - 1)) {
    }
    return left == 0;
}

}  // namespace

/// In place of the C library's, in all of the tests' program.
extern "C" int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
    static const auto next = reinterpret_cast<decltype(&epoll_ctl)>(dlsym(RTLD_NEXT, "epoll_ctl"));
    if (operation == EPOLL_CTL_ADD && is_refused()) {
        errno = ENOSPC;
        return -1;
    }
    return next(epoll, operation, fd, event);
}

namespace fairlead::agent {

RefusedWatch::RefusedWatch(int others) {
    others_first = others;
}

RefusedWatch::~RefusedWatch() {
    others_first = kNone;
}

}  // namespace fairlead::agent
