// SPDX-License-Identifier: Apache-2.0
// An MPI library as the relay plane sees it: in order between two ranks on a communicator, at random besides. Unlike
// the explorer's it keeps nothing of what is over, so that millions of messages pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fairlead/core/random.hpp"
#include "fairlead/relay/types.hpp"

namespace fairlead::relay::simulation {

struct NativeMessage {
    Process source = 0;
    Tag tag = 0;
    std::uint64_t number = 0;
    bool large = false;  ///< when it is matched, the receive is not yet complete
};

/// A receive that the library matched.
struct NativeMatch {
    Process at = 0;
    CommunicatorId communicator = 0;
    ReceiveId receive = 0;
    NativeMessage message;
};

class NativeLibrary {
  public:
    NativeLibrary(Process ranks, CommunicatorId communicators)
        : ranks_(ranks),
          communicators_(communicators),
          channels_(static_cast<std::size_t>(ranks) * ranks * communicators),
          queues_(static_cast<std::size_t>(ranks) * communicators) {}

    void send(Process to, CommunicatorId communicator, const NativeMessage& message) {
        channels_[(message.source * static_cast<std::size_t>(ranks_) + to) * communicators_ + communicator].push_back(
            message);
    }

    /// Whether it is matched at once.
    std::optional<NativeMatch> receive(Process at, CommunicatorId communicator, ReceiveId receive, Pattern pattern) {
        if (const auto message = extract(at, communicator, pattern))
            return match({at, communicator, receive, *message});
        queue(at, communicator).posted.push_back({receive, pattern});
        return std::nullopt;
    }

    /// Whether the receive was unmatched; it is gone then.
    bool cancel(Process at, CommunicatorId communicator, ReceiveId receive) {
        return queue(at, communicator).posted.remove_if([&](const auto& entry) { return entry.first == receive; }) == 1;
    }

    /// A matched probe.
    std::optional<NativeMessage> extract(Process at, CommunicatorId communicator, Pattern pattern) {
        std::list<NativeMessage>& unexpected = queue(at, communicator).unexpected;
        const auto found = std::find_if(unexpected.begin(), unexpected.end(), [&](const NativeMessage& message) {
            return pattern.accepts(static_cast<Rank>(message.source), message.tag);
        });
        if (found == unexpected.end()) return std::nullopt;
        const NativeMessage message = *found;
        unexpected.erase(found);
        return message;
    }

    /// Perhaps a message arrives, and perhaps it meets a receive.
    std::optional<NativeMatch> arrive(core::Random& random) {
        const std::size_t which = random.below(channels_.size());
        std::deque<NativeMessage>& channel = channels_[which];
        if (channel.empty()) return std::nullopt;
        const NativeMessage message = channel.front();
        channel.pop_front();
        const CommunicatorId communicator = which % communicators_;
        const auto at = static_cast<Process>(which / communicators_ % ranks_);
        Queue& to = queue(at, communicator);
        const auto posted = std::find_if(to.posted.begin(), to.posted.end(), [&](const auto& entry) {
            return entry.second.accepts(static_cast<Rank>(message.source), message.tag);
        });
        if (posted == to.posted.end()) {
            to.unexpected.push_back(message);
            return std::nullopt;
        }
        const ReceiveId receive = posted->first;
        to.posted.erase(posted);
        return match({at, communicator, receive, message});
    }

    /// Perhaps a receive of this rank is complete.
    std::optional<NativeMatch> completion(Process at, core::Random& random) {
        std::vector<NativeMatch>& open = matched_[at];
        if (open.empty()) return std::nullopt;
        const std::size_t which = random.below(open.size());
        if (open[which].message.large && random.below(64) != 0) return std::nullopt;
        std::swap(open[which], open.back());
        const NativeMatch done = open.back();
        open.pop_back();
        return done;
    }

  private:
    struct Queue {
        std::list<std::pair<ReceiveId, Pattern>> posted;
        std::list<NativeMessage> unexpected;
    };

    Queue& queue(Process at, CommunicatorId communicator) {
        return queues_[static_cast<std::size_t>(at) * communicators_ + communicator];
    }
    NativeMatch match(const NativeMatch& match) {
        matched_[match.at].push_back(match);
        return match;
    }

    Process ranks_;
    CommunicatorId communicators_;
    std::vector<std::deque<NativeMessage>> channels_;
    std::vector<Queue> queues_;
    std::map<Process, std::vector<NativeMatch>> matched_;
};

}  // namespace fairlead::relay::simulation
