// SPDX-License-Identifier: Apache-2.0
#include "peers/rejections.hpp"

#include <algorithm>
#include <utility>

#include "process/clock.hpp"

namespace fairlead::agent {
namespace {

bool of_connection(Refusal refusal) {
    return refusal >= Refusal::bad_stranger;
}

}  // namespace

Rejections::Rejections(EventLoop& loop, std::function<void(const RejectedEvent&)> report)
    : loop_(loop), report_(std::move(report)) {}

void Rejections::count(Refusal refusal) {
    ++counts_.at(static_cast<std::size_t>(refusal));
    if (waiting_) return;
    waiting_ = true;
    loop_.at(std::max(monotonic_s(), last_told_s_ + kPeriod_s), [this] { tell(); });
}

void Rejections::tell() {
    waiting_ = false;
    last_told_s_ = monotonic_s();
    RejectedEvent event;
    for (std::size_t i = 0; i < kRefusalCount; ++i) {
        const std::uint64_t count = std::exchange(counts_[i], 0);
        if (count == 0) continue;
        const auto refusal = static_cast<Refusal>(i);
        (of_connection(refusal) ? event.connections : event.datagrams) += count;
        event.reasons[std::string(name(refusal))] = count;
    }
    event.count = event.datagrams + event.connections;
    report_(event);
}

}  // namespace fairlead::agent
