// SPDX-License-Identifier: Apache-2.0
// The executable reference of MPI's matching rules (MPI 4.1, section 3.5): messages of one source on one communicator
// arrive in the order in which they were sent; an arriving message goes to the oldest receive that accepts it; a new
// receive takes the oldest message that it accepts. What MPI leaves open (the order between sources, the moment at
// which a long message is there) is a step that the explorer takes or does not take.
//
// The same class is the MPI library under the relay plane: it can be asked to cancel, to probe and to give messages
// out.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "fairlead/relay/types.hpp"
#include "program.hpp"

namespace fairlead::relay::explore {

class NativeMpi {
  public:
    explicit NativeMpi(Process processes) : requests_(processes), messages_(processes) {}

    struct Message {
        Label label = 0;
        Process from = 0;
        Tag tag = 0;
        bool large = false;
        std::optional<int> sender;  ///< the request that completes when it is matched, and if large transferred
        auto fields() const { return std::tie(label, from, tag, large, sender); }
    };
    struct Channel {
        Process from = 0;
        Process to = 0;
        CommunicatorId communicator = 0;
        auto fields() const { return std::tie(from, to, communicator); }
        friend auto operator<=>(const Channel&, const Channel&) = default;
    };

    /// Requests are numbered by process. A send that is neither synchronous nor large is complete at once.
    int send(Channel channel, Tag tag, bool large, bool synchronous, Label label);
    int receive(Process at, CommunicatorId communicator, Pattern pattern);
    int receive_message(Process at, int message);
    bool done(Process at, int request) const { return requests_[at].at(static_cast<std::size_t>(request)).done; }
    /// The message that a complete receive got.
    const Message& message_of(Process at, int request) const;
    /// Whether the receive was unmatched; it is gone then.
    bool cancel(Process at, int request);
    const Message* probe(Process at, CommunicatorId communicator, Pattern pattern) const;
    /// A matched probe: the message's number at this process, for receive_message().
    std::optional<int> extract(Process at, CommunicatorId communicator, Pattern pattern);
    const Message& extracted(Process at, int message) const {
        return messages_[at].at(static_cast<std::size_t>(message));
    }

    // What the network and the library do by themselves.

    std::vector<Channel> arrivals() const;
    void arrive(Channel channel);
    struct Transfer {
        Process at = 0;
        int request = 0;
    };
    /// Large messages that are matched and not there yet.
    std::vector<Transfer> transfers() const;
    void finish(Transfer transfer);

    auto fields() const { return std::tie(requests_, messages_, queues_, channels_); }

  private:
    struct Request {
        bool done = false;
        std::optional<Message> message;  ///< of a matched receive
        auto fields() const { return std::tie(done, message); }
    };
    struct Posted {
        int request = 0;
        Pattern pattern;
        auto fields() const { return std::tie(request, pattern); }
    };
    struct Queue {
        std::list<Posted> posted;
        std::list<Message> unexpected;
        auto fields() const { return std::tie(posted, unexpected); }
    };

    int add(Process at, bool done);
    void match(Process at, int request, const Message& message);
    void complete(Process at, int request);

    std::vector<std::vector<Request>> requests_;
    std::vector<std::vector<Message>> messages_;
    std::map<std::pair<Process, CommunicatorId>, Queue> queues_;
    std::map<Channel, std::deque<Message>> channels_;
};

}  // namespace fairlead::relay::explore
