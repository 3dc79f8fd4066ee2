// SPDX-License-Identifier: Apache-2.0
#include "native_mpi.hpp"

#include <algorithm>

namespace fairlead::relay::explore {

int NativeMpi::send(Channel channel, Tag tag, bool large, bool synchronous, Label label) {
    const bool waits = large || synchronous;
    const int request = add(channel.from, !waits);
    channels_[channel].push_back({label, channel.from, tag, large, waits ? std::optional<int>(request) : std::nullopt});
    return request;
}

int NativeMpi::receive(Process at, CommunicatorId communicator, Pattern pattern) {
    const int request = add(at, false);
    if (const auto message = extract(at, communicator, pattern)) {
        match(at, request, messages_[at].back());
        messages_[at].pop_back();
    } else {
        queues_[{at, communicator}].posted.push_back({request, pattern});
    }
    return request;
}

int NativeMpi::receive_message(Process at, int message) {
    const int request = add(at, false);
    match(at, request, messages_[at].at(static_cast<std::size_t>(message)));
    return request;
}

const NativeMpi::Message& NativeMpi::message_of(Process at, int request) const {
    return requests_[at].at(static_cast<std::size_t>(request)).message.value();
}

bool NativeMpi::cancel(Process at, int request) {
    for (auto& [where, queue] : queues_) {
        if (where.first != at) continue;
        if (std::erase_if(queue.posted, [&](const Posted& posted) { return posted.request == request; }) == 1) {
            return true;
        }
    }
    return false;
}

const NativeMpi::Message* NativeMpi::probe(Process at, CommunicatorId communicator, Pattern pattern) const {
    const auto queue = queues_.find({at, communicator});
    if (queue == queues_.end()) return nullptr;
    for (const Message& message : queue->second.unexpected) {
        if (pattern.accepts(static_cast<Rank>(message.from), message.tag)) return &message;
    }
    return nullptr;
}

std::optional<int> NativeMpi::extract(Process at, CommunicatorId communicator, Pattern pattern) {
    const Message* found = probe(at, communicator, pattern);
    if (found == nullptr) return std::nullopt;
    messages_[at].push_back(*found);
    queues_[{at, communicator}].unexpected.remove_if([&](const Message& message) { return &message == found; });
    return static_cast<int>(messages_[at].size()) - 1;
}

std::vector<NativeMpi::Channel> NativeMpi::arrivals() const {
    std::vector<Channel> ready;
    for (const auto& [channel, messages] : channels_) {
        if (!messages.empty()) ready.push_back(channel);
    }
    return ready;
}

void NativeMpi::arrive(Channel channel) {
    std::deque<Message>& messages = channels_[channel];
    const Message message = messages.front();
    messages.pop_front();
    Queue& queue = queues_[{channel.to, channel.communicator}];
    const auto posted = std::find_if(queue.posted.begin(), queue.posted.end(), [&](const Posted& receive) {
        return receive.pattern.accepts(static_cast<Rank>(message.from), message.tag);
    });
    if (posted == queue.posted.end()) {
        queue.unexpected.push_back(message);
        return;
    }
    const int request = posted->request;
    queue.posted.erase(posted);
    match(channel.to, request, message);
}

std::vector<NativeMpi::Transfer> NativeMpi::transfers() const {
    std::vector<Transfer> ready;
    for (Process at = 0; at < requests_.size(); ++at) {
        for (std::size_t i = 0; i < requests_[at].size(); ++i) {
            const Request& request = requests_[at][i];
            if (request.message && !request.done) ready.push_back({at, static_cast<int>(i)});
        }
    }
    return ready;
}

void NativeMpi::finish(Transfer transfer) {
    complete(transfer.at, transfer.request);
}

int NativeMpi::add(Process at, bool done) {
    requests_[at].push_back({done, std::nullopt});
    return static_cast<int>(requests_[at].size()) - 1;
}

void NativeMpi::match(Process at, int request, const Message& message) {
    requests_[at][static_cast<std::size_t>(request)].message = message;
    if (!message.large) complete(at, request);
}

void NativeMpi::complete(Process at, int request) {
    Request& receive = requests_[at][static_cast<std::size_t>(request)];
    receive.done = true;
    if (receive.message->sender) {
        requests_[receive.message->from][static_cast<std::size_t>(*receive.message->sender)].done = true;
    }
}

}  // namespace fairlead::relay::explore
