// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/link.hpp"

#include <algorithm>
#include <string>

namespace fairlead::relay {

namespace {

constexpr Time kLongestWait = 64.0;  // timeouts

}  // namespace

std::uint64_t LinkSender::push(const Body& body) {
    unacknowledged_.push_back(body);
    return acknowledged_ + unacknowledged_.size();
}

std::optional<LinkSender::Transmission> LinkSender::next(Time now_s) {
    if (const auto due_s = timeout_s(); due_s && *due_s <= now_s) {
        cursor_ = 0;
        wait_s_ = std::min(2.0 * wait_s_, kLongestWait * timeout_s_);
    }
    if (cursor_ >= std::min(unacknowledged_.size(), window_)) return std::nullopt;
    if (cursor_ == 0) oldest_sent_s_ = now_s;
    const std::uint64_t sequence = acknowledged_ + cursor_ + 1;
    const bool again = sequence <= transmitted_;
    transmitted_ = std::max(transmitted_, sequence);
    return Transmission{sequence, unacknowledged_[cursor_++], again};
}

void LinkSender::acknowledge(std::uint64_t sequence, Time now_s) {
    if (sequence > transmitted_) {
        throw ProtocolError("frame " + std::to_string(sequence) + " is acknowledged and was never sent");
    }
    if (sequence <= acknowledged_) return;
    const auto count = static_cast<std::size_t>(sequence - acknowledged_);
    unacknowledged_.erase(unacknowledged_.begin(), unacknowledged_.begin() + static_cast<std::ptrdiff_t>(count));
    acknowledged_ = sequence;
    cursor_ -= std::min(cursor_, count);
    oldest_sent_s_ = now_s;
    wait_s_ = timeout_s_;
}

void LinkSender::resend() {
    cursor_ = 0;
    wait_s_ = timeout_s_;
}

std::optional<Time> LinkSender::timeout_s() const {
    if (cursor_ == 0) return std::nullopt;
    return oldest_sent_s_ + wait_s_;
}

LinkReceiver::Verdict LinkReceiver::receive(std::uint64_t sequence, const Body& body) {
    if (sequence <= delivered_ || early_.contains(sequence)) return Verdict::duplicate;
    if (sequence - delivered_ > window_) return Verdict::beyond_window;
    early_.emplace(sequence, body);
    return Verdict::taken;
}

std::optional<Body> LinkReceiver::next() {
    const auto first = early_.begin();
    if (first == early_.end() || first->first != delivered_ + 1) return std::nullopt;
    const Body body = first->second;
    early_.erase(first);
    ++delivered_;
    return body;
}

}  // namespace fairlead::relay
