// SPDX-License-Identifier: Apache-2.0
#include "event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "clock.hpp"
#include "system_error.hpp"

namespace fairlead::agent {

EventLoop::EventLoop()
    : epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      timer_(checked(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")),
      wakeup_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    const auto drain = [](int fd) {
        std::uint64_t count = 0;
        if (read(fd, &count, sizeof count) < 0 && errno != EAGAIN) throw_errno("read of an event descriptor");
    };
    watch(timer_.get(), EPOLLIN, [this, drain](std::uint32_t) {
        drain(timer_.get());
        armed_for_ = -1.0;
    });
    watch(wakeup_.get(), EPOLLIN, [this, drain](std::uint32_t) {
        drain(wakeup_.get());
        run_posted();
    });
}

void EventLoop::watch(int fd, std::uint32_t events, Handler handler) {
    auto entry = std::make_shared<Watch>(Watch{events, true, std::move(handler)});
    epoll_event event{.events = events, .data = {.fd = fd}};
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) < 0) {
        if (errno != EPERM) throw_errno("epoll_ctl");
        entry->pollable = false;
    }
    watches_[fd] = std::move(entry);
}

void EventLoop::change(int fd, std::uint32_t events) {
    Watch& entry = *watches_.at(fd);
    if (entry.events == events) return;
    entry.events = events;
    epoll_event event{.events = events, .data = {.fd = fd}};
    if (entry.pollable) checked(epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event), "epoll_ctl");
}

void EventLoop::forget(int fd) {
    const auto found = watches_.find(fd);
    if (found == watches_.end()) return;
    if (found->second->pollable) checked(epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr), "epoll_ctl");
    watches_.erase(found);
}

EventLoop::TimerId EventLoop::at(double monotonic_s, Task task) {
    const TimerId id = next_timer_++;
    timers_.emplace(std::pair{monotonic_s, id}, std::move(task));
    timer_times_[id] = monotonic_s;
    return id;
}

EventLoop::TimerId EventLoop::after(double delay_s, Task task) {
    return at(monotonic_s() + delay_s, std::move(task));
}

void EventLoop::cancel(TimerId id) {
    const auto found = timer_times_.find(id);
    if (found == timer_times_.end()) return;
    timers_.erase({found->second, id});
    timer_times_.erase(found);
}

void EventLoop::post(Task task) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(task));
    }
    const std::uint64_t one = 1;
    // EAGAIN means that the counter is full, so the loop is awake anyway.
    if (write(wakeup_.get(), &one, sizeof one) < 0 && errno != EAGAIN) throw_errno("write to eventfd");
}

void EventLoop::run() {
    while (!stopping_) {
        run_timers();
        if (stopping_) break;
        arm_timer();
        std::array<epoll_event, 32> events;
        const int count =
            epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), has_unpollable() ? 0 : -1);
        if (count < 0 && errno != EINTR) throw_errno("epoll_wait");
        for (int i = 0; i < count && !stopping_; ++i) {
            const epoll_event& event = events[static_cast<std::size_t>(i)];
            const auto found = watches_.find(event.data.fd);
            if (found == watches_.end()) continue;  // forgotten by an earlier handler of this round
            const std::shared_ptr<Watch> keep = found->second;
            keep->handler(event.events);
        }
        run_unpollable();
    }
    stopping_ = false;
}

void EventLoop::arm_timer() {
    const double next = timers_.empty() ? 0.0 : timers_.begin()->first.first;
    // A timer that is armed for an earlier moment only costs one empty round.
    if (timers_.empty() || (armed_for_ >= 0.0 && armed_for_ <= next)) return;
    const double whole = std::floor(next);
    const itimerspec when{
        .it_interval = {},
        .it_value = {.tv_sec = static_cast<time_t>(whole),
                     .tv_nsec = std::clamp(static_cast<long>((next - whole) * 1e9), 1L, 999'999'999L)}};
    checked(timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr), "timerfd_settime");
    armed_for_ = next;
}

void EventLoop::run_timers() {
    const double now = monotonic_s();
    std::vector<TimerId> due;
    for (const auto& [when, task] : timers_) {
        if (when.first > now) break;
        due.push_back(when.second);
    }
    // Those alone: a task that makes a timer for a moment that is past must not keep the loop from its descriptors.
    for (const TimerId id : due) {
        const auto found = timer_times_.find(id);
        if (found == timer_times_.end()) continue;  // cancelled by an earlier one
        auto node = timers_.extract(std::pair{found->second, id});
        timer_times_.erase(found);
        node.mapped()();
        if (stopping_) return;
    }
}

void EventLoop::run_posted() {
    std::vector<Task> tasks;
    {
        const std::lock_guard lock(mutex_);
        tasks.swap(posted_);
    }
    for (const Task& task : tasks) task();
}

bool EventLoop::has_unpollable() const {
    return std::any_of(watches_.begin(), watches_.end(),
                       [](const auto& item) { return !item.second->pollable && item.second->events != 0; });
}

void EventLoop::run_unpollable() {
    std::vector<std::shared_ptr<Watch>> ready;
    for (const auto& [fd, entry] : watches_) {
        if (!entry->pollable && entry->events != 0) ready.push_back(entry);
    }
    for (const auto& entry : ready) entry->handler(entry->events);
}

}  // namespace fairlead::agent
