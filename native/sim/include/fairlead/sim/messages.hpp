// SPDX-License-Identifier: Apache-2.0
// Messages between the ranks of a program, as an MPI library carries them over TCP: matched by source, tag and
// communicator in the order in which they were sent; small ones at once (eager), large ones when their receiver has
// asked for them (rendezvous). The library makes progress at any time, not only inside calls.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

struct MessageSettings {
    std::uint64_t eager_B = 65536;  ///< larger messages are sent by rendezvous (Open MPI's btl_tcp_eager_limit)
    double envelope_B = 64.0;       ///< of every message, and of a rendezvous' question and answer
    double local_latency_s = 1e-6;  ///< between ranks of one host
    double local_rate_bps = 40e9;
};

/// What separates messages: those of different contexts never match.
using Context = std::uint64_t;

struct MessageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Messages {
  public:
    using Done = std::function<void()>;

    /// `hosts`: of each rank. A host that does not exist is an error of the caller.
    Messages(EventQueue& events, Tcp& tcp, std::vector<EndId> hosts, int job, MessageSettings settings);
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    /// `done` is called, perhaps at once, when the sender may use its memory again: of a small message now, of a large
    /// one when the receiver has it.
    void send(int from, int to, std::uint64_t size_B, int tag, Context context, Done done);
    /// `from` and `tag` may be kAny. `done` is called, perhaps at once, when the message is there. Throws MessageError,
    /// here or while events are executed, if it is larger than `room_B`.
    void receive(int at, int from, std::uint64_t room_B, int tag, Context context, Done done);

    /// How long the bytes of each message between two hosts took, from when they were given to the kernel until the
    /// receiver had the last of them; in the order of arrival, seconds. Not counted is what a large one waits for its
    /// receive.
    const std::vector<double>& transfers_s() const { return transfers_s_; }
    /// Whether anything is on its way.
    bool in_motion() const { return in_motion_ > 0; }
    /// Called after each arrival and all that followed from it.
    void on_arrival(std::function<void()> told) { told_ = std::move(told); }

  private:
    struct Message {
        int from = 0;
        int to = 0;
        std::uint64_t size_B = 0;
        int tag = 0;
        Context context = 0;
        bool rendezvous = false;
        Done sent;
    };
    struct Posted {
        int from = 0;
        std::uint64_t room_B = 0;
        int tag = 0;
        Context context = 0;
        Done done;
        bool matches(const Message& message) const;
    };
    struct Rank {
        EndId host = 0;
        std::deque<Posted> posted;
        std::deque<Message> unexpected;
    };
    /// What one rank sends another, in order.
    struct Channel {
        struct Item {
            double end_B = 0.0;
            std::function<void()> arrived;
        };
        Connection* connection = nullptr;  ///< null within a host
        double end_B = 0.0;                ///< of the last item
        double free_at = 0.0;              ///< within a host
        std::deque<Item> items;
    };

    Channel& channel(int from, int to);
    void carry(int from, int to, double size_B, std::function<void()> arrived);
    void carry_payload(int from, int to, std::uint64_t size_B, std::function<void()> arrived);
    void receive_items(Channel& channel);
    void hand_over(double when, std::function<void()> arrived);
    void arrive(Message message);
    void join(Message message, const Posted& posted);

    EventQueue& events_;
    Tcp& tcp_;
    int job_;
    MessageSettings settings_;
    std::vector<Rank> ranks_;
    std::map<std::pair<int, int>, Channel> channels_;
    std::vector<double> transfers_s_;
    std::function<void()> told_;
    std::size_t in_motion_ = 0;
};

}  // namespace fairlead::sim
