// SPDX-License-Identifier: Apache-2.0
// A program on the relay plane: the endpoints as they are, around them what the library and the agents will do, and
// below the reference as MPI library. Mistakes are put in here, around the endpoints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/relay/endpoint.hpp"
#include "native_mpi.hpp"
#include "part.hpp"
#include "plain.hpp"
#include "program.hpp"

namespace fairlead::relay::explore {

/// What design and trials warn of. Each must be found.
struct Mistakes {
    bool oldest_first = false;         ///< cancel the oldest posted receive first
    bool outcome_ignored = false;      ///< take a receive for cancelled although the library had matched it
    bool count_ignored = false;        ///< let a relayed message match before the native ones sent before it
    bool count_late = false;           ///< count a native message after its PMPI call
    bool leave_with_queue = false;     ///< end the takeover with messages in the software queue
    bool leave_with_receives = false;  ///< end it with taken-over receives
    bool leave_with_held = false;      ///< end it with relayed messages that wait for native ones
    bool sleep = false;                ///< wait in a native blocking call
    bool agent_acknowledges = false;   ///< acknowledge what the agent has, not the rank
    bool return_on_delivery = false;  ///< send directly again once relayed messages are delivered, not yet in the queue
    bool consent_early = false;       ///< consent while the library has receives
    bool leave_consented = false;     ///< end the takeover although a peer has consent
};

/// What may happen besides, each so many times.
struct Chaos {
    int takeovers = 0;             ///< without any relayed message, by process
    int losses = 0;                ///< of frames on their way
    int repeats = 0;               ///< of frames
    bool agents = false;           ///< frames stop at the destination's agent
    int agent_deaths = 0;          ///< with what the agents hold
    bool threads = false;          ///< between counting a native send and entering PMPI another thread may go on
    std::uint64_t credit_B = 100;  ///< a small message has one byte
    bool direct = true;            ///< whether messages may go directly
    bool relay = true;             ///< whether they may be relayed
    bool cancels = true;           ///< the library gives receives back; else messages go as processes want and may
    int wishes = 0;                ///< then: changes of what a process wants, by process
};

class RelayedMpi {
  public:
    RelayedMpi(Process processes, CommunicatorId communicators, Chaos chaos, Mistakes mistakes);

    // Calls of the program, as in PlainMpi.

    int ways_to_send(Process from, const Step& step) const;
    int send(Process from, const Step& step, Label label, int way);
    bool returned(Process at, int handle) const { return request(at, handle).entry == Entry::over; }
    int receive(Process at, const Step& step);
    bool done(Process at, int handle) const;
    Label take(Process at, int handle);
    void take_send(Process, int) {}
    std::optional<Label> probe(Process at, const Step& step) const;
    bool can_extract(Process at, const Step& step) const;
    int extract(Process at, const Step& step);
    int receive_extracted(Process at, const Step& step, int message);
    bool cancel(Process at, int handle);
    void enter_barrier(Process at) { ++node_of(at).in_barrier; }
    bool passed_barrier(Process at) const;
    /// A thread waits in a call: for a handle, or for a barrier.
    void block(Process at, std::optional<int> handle);
    void unblock(Process at);

    bool drained() const;

    std::vector<Action> actions() const;
    void act(const Action& action);

    auto fields() const { return std::tie(native_, nodes_, wire_, chaos_.losses, chaos_.repeats, chaos_.agent_deaths); }

  private:
    enum class Entry { over, to_enter, to_count };
    struct Request {
        CommunicatorId communicator = 0;
        Entry entry = Entry::over;              ///< of a native send: has the call returned?
        std::optional<Step> unsent = {};        ///< a native send that has not entered PMPI
        std::optional<int> native = {};         ///< the library's request
        std::optional<ReceiveId> receive = {};  ///< the endpoint's
        bool posted_natively = false;           ///< the library matches it, and its completion is not yet accounted for
        bool cancel_failed = false;
        std::optional<std::pair<Process, MessageId>> sent = {};  ///< relayed, not complete
        bool done = false;                                       ///< without a native request
        Label label = 0;
        auto fields() const {
            return std::tie(communicator, entry, native, receive, posted_natively, cancel_failed, sent, done, label);
        }
    };
    struct Message {  ///< of a matched probe
        std::optional<int> native;
        std::optional<Arrival> arrival;
        auto fields() const { return std::tie(native, arrival); }
    };
    struct Node {
        Endpoint endpoint;
        std::vector<Request> requests = {};
        std::vector<Message> messages = {};
        std::vector<Frame> at_agent = {};             ///< delivered to this host's agent, not to the rank
        std::vector<std::uint64_t> agents = {};       ///< by sender: frames in sequence that the agent has had
        std::vector<bool> lost = {};                  ///< by destination: a frame got lost
        std::vector<Path> wanted = {};                ///< by destination, where wishes say it
        std::vector<Progress> told = {};              ///< by source: the progress last reported to it
        std::vector<std::vector<Label>> labels = {};  ///< by destination and message
        std::map<std::pair<CommunicatorId, Process>, std::uint64_t> accounted = {};  ///< native messages by source
        std::vector<bool> left = {};  ///< by communicator: the takeover was left by mistake
        int in_barrier = 0;
        int takeovers = 0;
        int wishes = 0;
        bool asleep = false;
        auto fields() const {
            return std::tie(endpoint, requests, messages, at_agent, agents, lost, wanted, told, labels, accounted, left,
                            in_barrier, takeovers, wishes, asleep);
        }
    };

    const Node& node_of(Process at) const { return nodes_[at].read(); }
    Node& node_of(Process at) { return nodes_[at].edit(); }
    const Request& request(Process at, int handle) const {
        return node_of(at).requests[static_cast<std::size_t>(handle)];
    }
    int add(Process at, Request request);
    void enter(Process from, Request& request);
    void count(Process from, Request& request);
    void account(Process at, Request& request);
    void account(Process at, CommunicatorId communicator, Process source);
    bool matches_here(Process at, CommunicatorId communicator) const;
    bool may_leave_by_mistake(Process at, CommunicatorId communicator) const;
    Label label_of(Process at, const Arrival& arrival) const;

    void network_actions(std::vector<Action>& ready) const;
    void process_actions(Process at, std::vector<Action>& ready) const;
    void takeover_actions(Process at, CommunicatorId communicator, std::vector<Action>& ready) const;
    void act_on_network(const Action& action);
    void act_in_process(const Action& action);
    void hand_over(Frame frame);
    void forget_receives(Process at);
    Progress progress_told(Process by, Process to) const;
    void cancel_one(Process at, CommunicatorId communicator);
    void pull(Process at, CommunicatorId communicator);
    void leave(Process at, CommunicatorId communicator);
    /// Events of the endpoint, and its frames onto the wire.
    void settle(Process at);
    void matched(Process at, const ReceiveMatched& event);
    Request* find_receive(Process at, ReceiveId receive);

    Part<NativeMpi> native_;
    std::vector<Part<Node>> nodes_;
    std::vector<Frame> wire_;  ///< a set: doubling is the action `repeat`
    CommunicatorId communicators_;
    Chaos chaos_;
    Mistakes mistakes_;
};

}  // namespace fairlead::relay::explore
