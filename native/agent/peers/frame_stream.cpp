// SPDX-License-Identifier: Apache-2.0
#include "peers/frame_stream.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace fairlead::agent {
namespace {

/// What was written is taken from the front of the queue when it is this much, and half of it.
constexpr std::size_t kCompact_B = 256 * 1024;

/// Retransmission time-outs in a row, the second one twice as long as the first: 0.6 s at least.
constexpr int kLossTimeouts = 2;

/// That share of a number; all of it where the part is the whole.
std::uint64_t part_of(std::uint64_t number, std::uint64_t part, std::uint64_t whole) {
    return part == whole ? number
                         : static_cast<std::uint64_t>(static_cast<double>(number) * static_cast<double>(part) /
                                                      static_cast<double>(whole));
}

bool would_block(int error) {
    return error == EAGAIN || error == EINTR;
}

}  // namespace

void FrameOutput::put(const Record& record, std::uint64_t passing_B, std::uint64_t message_B) {
    const std::size_t before_B = queue_.size();
    sealer_.seal(record, queue_);
    const std::uint64_t sealed_B = queue_.size() - before_B;
    waiting_.push_back({written_B_ + queue_.size() - begin_, sealed_B, passing_B});
    passing_B_ += passing_B;
    if (passing_B == 0) own_B_ += sealed_B;
    const core::HostId whose = message_B > 0 ? record.journey.destination : core::kNoHost;
    if (stretches_.empty() || stretches_.back().destination != whose) stretches_.push_back({0, whose, 0});
    stretches_.back().end_B = waiting_.back().end_B;
    stretches_.back().message_B += message_B;
}

std::map<core::HostId, std::uint64_t> FrameOutput::take_arrived() {
    std::map<core::HostId, std::uint64_t> arrived;
    const auto of_kernel = [this](unsigned long question) {
        int size_B = 0;
        // The handshake's last bytes may be among them at first.
        return ioctl(socket_.get(), question, &size_B) == 0
                   ? std::min(written_B_, static_cast<std::uint64_t>(std::max(0, size_B)))
                   : written_B_;
    };
    const std::uint64_t now_B = std::max(arrived_B_, written_B_ - of_kernel(SIOCOUTQ));
    sent_B_ = std::max({sent_B_, now_B, written_B_ - of_kernel(SIOCOUTQNSD)});
    while (!stretches_.empty() && arrived_B_ < now_B) {
        Stretch& first = stretches_.front();
        const std::uint64_t until_B = std::min(first.end_B, now_B);
        const std::uint64_t message_B = part_of(first.message_B, until_B - arrived_B_, first.end_B - arrived_B_);
        if (message_B > 0) arrived[first.destination] += message_B;
        first.message_B -= message_B;
        arrived_B_ = until_B;
        if (first.end_B == until_B) stretches_.pop_front();
    }
    return arrived;
}

std::map<core::HostId, FrameOutput::Owed> FrameOutput::owed() const {
    std::map<core::HostId, Owed> owed;
    if (sent_B_ == arrived_B_) return owed;
    std::uint64_t begin_B = arrived_B_;
    for (const Stretch& stretch : stretches_) {
        if (stretch.destination != core::kNoHost) {
            Owed& sum = owed[stretch.destination];
            const std::uint64_t sent_B = std::clamp(sent_B_, begin_B, stretch.end_B) - begin_B;
            sum.in_flight_B += part_of(stretch.message_B, sent_B, stretch.end_B - begin_B);
            sum.waits |= stretch.end_B > sent_B_;
        }
        begin_B = stretch.end_B;
    }
    return owed;
}

std::uint64_t FrameOutput::flush() {
    while (begin_ < queue_.size()) {
        const ssize_t count =
            send(socket_.get(), queue_.data() + begin_, queue_.size() - begin_, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && would_block(errno)) break;
        if (count < 0) throw StreamError(std::string("the connection broke: ") + std::strerror(errno));
        begin_ += static_cast<std::size_t>(count);
        written_B_ += static_cast<std::uint64_t>(count);
    }
    if (begin_ == queue_.size()) {
        queue_.clear();
        begin_ = 0;
    } else if (begin_ >= kCompact_B && begin_ >= queue_.size() / 2) {
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    std::uint64_t left_B = 0;
    while (!waiting_.empty() && waiting_.front().end_B <= written_B_) {
        const Waiting& left = waiting_.front();
        if (left.passing_B == 0) own_B_ -= left.sealed_B;
        left_B += left.passing_B;
        waiting_.pop_front();
    }
    passing_B_ -= left_B;
    return left_B;
}

void FrameOutput::hear() const {
    char byte = 0;
    const ssize_t count = recv(socket_.get(), &byte, 1, MSG_DONTWAIT);
    if (count < 0 && would_block(errno)) return;
    if (count == 0) throw StreamClosed("the other end closed the connection");
    throw StreamError(count > 0 ? "unexpected data on a one-way stream"
                                : std::string("the connection broke: ") + std::strerror(errno));
}

bool FrameOutput::loses() const {
    tcp_info info{};
    socklen_t length = sizeof info;
    return getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           info.tcpi_retransmits >= kLossTimeouts;
}

bool FrameInput::read_some() {
    const std::span<std::uint8_t> space = opener_.space();
    const ssize_t count = recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
    if (count > 0) {
        opener_.filled(static_cast<std::size_t>(count));
        return true;
    }
    if (count == 0) throw StreamClosed("the other end closed the connection");
    if (would_block(errno)) return false;
    throw StreamError(std::string("the connection broke: ") + std::strerror(errno));
}

}  // namespace fairlead::agent
