// SPDX-License-Identifier: Apache-2.0
#include "process/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "process/clock.hpp"
#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

constexpr double kFired = -2.0;  // in place of the moment that the timer is armed for

}  // namespace

EventLoop::EventLoop()
    : epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      timer_(checked(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create")),
      wakeup_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
    // Arming it anew takes back that it has run out: it need not be read.
    watch(timer_.get(), EPOLLIN, [this](std::uint32_t) { armed_for_ = kFired; });
    watch(wakeup_.get(), EPOLLIN, [this](std::uint32_t) {
        std::uint64_t count = 0;
        if (read(wakeup_.get(), &count, sizeof count) < 0 && errno != EAGAIN)
            throw_errno("read of an event descriptor");
        run_posted();
    });
}

void EventLoop::watch(int fd, std::uint32_t events, Handler handler) {
    auto entry = std::make_shared<Watch>(Watch{events, true, std::move(handler)});
    epoll_event event{.events = events, .data = {.fd = fd}};
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) < 0) {
        if (errno == ENOSPC) throw_errno("epoll_ctl, at the limit fs.epoll.max_user_watches");
        if (errno != EPERM) throw_errno("epoll_ctl");
        entry->pollable = false;
        ++unpollable_;
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
    if (found->second->pollable) {
        checked(epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr), "epoll_ctl");
    } else {
        --unpollable_;
    }
    watches_.erase(found);
}

EventLoop::TimerId EventLoop::at(double monotonic_s, Task task, double slack_s) {
    const TimerId id = next_timer_++;
    const double latest_s = monotonic_s + slack_s;
    timers_.emplace(std::pair{latest_s, id}, Timer{monotonic_s, std::move(task)});
    timer_times_[id] = latest_s;
    return id;
}

EventLoop::TimerId EventLoop::after(double delay_s, Task task, double slack_s) {
    return at(monotonic_s() + delay_s, std::move(task), slack_s);
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
    const double next = timers_.empty() ? kDisarmed : timers_.begin()->first.first;
    // Also where it was armed for an earlier moment: to arm it costs less than to wake for nothing.
    if (armed_for_ == next) return;
    const double whole = std::floor(next);
    itimerspec when{};
    if (!timers_.empty()) {
        when.it_value = {.tv_sec = static_cast<time_t>(whole),
                         .tv_nsec = std::clamp(static_cast<long>((next - whole) * 1e9), 1L, 999'999'999L)};
    }
    checked(timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr), "timerfd_settime");
    armed_for_ = next;
}

void EventLoop::run_timers() {
    const double now = monotonic_s();
    std::vector<TimerId> due;
    for (const auto& [when, timer] : timers_) {
        if (timer.due_s <= now) due.push_back(when.second);
    }
    // Those alone: a task that makes a timer for a moment that is past must not keep the loop from its descriptors.
    for (const TimerId id : due) {
        const auto found = timer_times_.find(id);
        if (found == timer_times_.end()) continue;  // cancelled by an earlier one
        auto node = timers_.extract(std::pair{found->second, id});
        timer_times_.erase(found);
        node.mapped().task();
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
    return unpollable_ > 0 && std::any_of(watches_.begin(), watches_.end(), [](const auto& item) {
               return !item.second->pollable && item.second->events != 0;
           });
}

void EventLoop::run_unpollable() {
    if (unpollable_ == 0) return;
    std::vector<std::shared_ptr<Watch>> ready;
    for (const auto& [fd, entry] : watches_) {
        if (!entry->pollable && entry->events != 0) ready.push_back(entry);
    }
    for (const auto& entry : ready) entry->handler(entry->events);
}

}  // namespace fairlead::agent
