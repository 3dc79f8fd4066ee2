// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/messages.hpp"

#include <algorithm>
#include <utility>

#include "fairlead/sim/trace.hpp"

namespace fairlead::sim {

Messages::Messages(EventQueue& events, Tcp& tcp, std::vector<EndId> hosts, int job, MessageSettings settings)
    : events_(events), tcp_(tcp), job_(job), settings_(settings) {
    for (const EndId host : hosts) ranks_.push_back(Rank{host, {}, {}});
}

bool Messages::Posted::matches(const Message& message) const {
    return context == message.context && (from == kAny || from == message.from) && (tag == kAny || tag == message.tag);
}

void Messages::send(int from, int to, std::uint64_t size_B, int tag, Context context, Done done) {
    Message message{from, to, size_B, tag, context, size_B > settings_.eager_B, {}};
    if (message.rendezvous) {
        message.sent = std::move(done);
        carry(from, to, settings_.envelope_B, [this, message = std::move(message)] { arrive(message); });
        return;
    }
    carry_payload(from, to, size_B, [this, message = std::move(message)] { arrive(message); });
    done();
}

void Messages::receive(int at, int from, std::uint64_t room_B, int tag, Context context, Done done) {
    Rank& rank = ranks_[static_cast<std::size_t>(at)];
    Posted posted{from, room_B, tag, context, std::move(done)};
    const auto found = std::find_if(rank.unexpected.begin(), rank.unexpected.end(),
                                    [&posted](const Message& message) { return posted.matches(message); });
    if (found == rank.unexpected.end()) {
        rank.posted.push_back(std::move(posted));
        return;
    }
    Message message = std::move(*found);
    rank.unexpected.erase(found);
    join(std::move(message), posted);
}

void Messages::arrive(Message message) {
    Rank& rank = ranks_[static_cast<std::size_t>(message.to)];
    const auto found = std::find_if(rank.posted.begin(), rank.posted.end(),
                                    [&message](const Posted& posted) { return posted.matches(message); });
    if (found == rank.posted.end()) {
        rank.unexpected.push_back(std::move(message));
        return;
    }
    const Posted posted = std::move(*found);
    rank.posted.erase(found);
    join(std::move(message), posted);
}

/// A message, or its question, and the receive for it are both there.
void Messages::join(Message message, const Posted& posted) {
    if (message.size_B > posted.room_B) {
        throw MessageError("rank " + std::to_string(message.to) + " receives at most " + std::to_string(posted.room_B) +
                           " B with tag " + std::to_string(message.tag) + ", and rank " + std::to_string(message.from) +
                           " sends " + std::to_string(message.size_B));
    }
    if (!message.rendezvous) return posted.done();
    const int from = message.from;
    const int to = message.to;
    carry(to, from, settings_.envelope_B, [this, message = std::move(message), done = posted.done] {
        carry_payload(message.from, message.to, message.size_B, [sent = message.sent, done] {
            done();
            sent();
        });
    });
}

Messages::Channel& Messages::channel(int from, int to) {
    Channel& found = channels_[{from, to}];
    const EndId source = ranks_[static_cast<std::size_t>(from)].host;
    const EndId destination = ranks_[static_cast<std::size_t>(to)].host;
    if (found.connection == nullptr && source != destination) {
        found.connection = &tcp_.open(source, destination, job_);
        found.connection->on_received = [this, &found] { receive_items(found); };
    }
    return found;
}

void Messages::carry(int from, int to, double size_B, std::function<void()> arrived) {
    Channel& way = channel(from, to);
    ++in_motion_;
    if (way.connection == nullptr) {
        way.free_at = std::max(way.free_at, events_.now()) + 8.0 * size_B / settings_.local_rate_bps;
        hand_over(way.free_at + settings_.local_latency_s, std::move(arrived));
        return;
    }
    way.end_B += size_B;
    way.items.push_back({way.end_B, std::move(arrived)});
    way.connection->wanted_B += size_B;
    tcp_.push(*way.connection);
}

/// With its envelope.
void Messages::carry_payload(int from, int to, std::uint64_t size_B, std::function<void()> arrived) {
    const double carried_B = settings_.envelope_B + static_cast<double>(size_B);
    if (channel(from, to).connection == nullptr) return carry(from, to, carried_B, std::move(arrived));
    carry(from, to, carried_B, [this, began = events_.now(), arrived = std::move(arrived)] {
        transfers_s_.push_back(events_.now() - began);
        arrived();
    });
}

void Messages::receive_items(Channel& way) {
    while (!way.items.empty() && way.items.front().end_B <= way.connection->received_B) {
        // Through the kernels of both ends.
        hand_over(events_.now() + 2 * kStack_s, std::move(way.items.front().arrived));
        way.items.pop_front();
    }
}

void Messages::hand_over(double when, std::function<void()> arrived) {
    events_.at(when, [this, arrived = std::move(arrived)] {
        --in_motion_;
        arrived();
        if (told_) told_();
    });
}

}  // namespace fairlead::sim
