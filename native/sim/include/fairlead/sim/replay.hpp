// SPDX-License-Identifier: Apache-2.0
// A program: the ranks of a trace, each doing one event after the other and waiting where the trace says so. When they
// end follows from what the network does to their messages.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/sim/collectives.hpp"
#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/messages.hpp"
#include "fairlead/sim/trace.hpp"

namespace fairlead::sim {

struct ReplaySettings {
    MessageSettings messages;
    Algorithms algorithms;    ///< where none is named, the first that the kind has
    double overhead_s = 0.0;  ///< of the processor, for each message that is sent or received
};

/// The program cannot go on: names each rank that waits, and for which line of the trace.
struct DeadlockError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Replay {
  public:
    /// `hosts`: of each rank. The trace must outlive this. Throws std::invalid_argument for another number of hosts
    /// than ranks, or an algorithm that does not exist.
    Replay(EventQueue& events, Tcp& tcp, const Trace& trace, const std::vector<EndId>& hosts, int job,
           const ReplaySettings& settings);
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;

    /// All ranks begin at `at`, once. While events are executed, MessageError and DeadlockError may come.
    void start(double at);

    bool finished() const { return running_ == 0; }
    /// From the start to the end of the last rank, seconds; once finished.
    double makespan_s() const;
    /// From the start to the end of each rank.
    const std::vector<double>& finished_s() const { return finished_s_; }
    /// Of each rank: how long it waited for messages.
    const std::vector<double>& waiting_s() const { return waiting_s_; }
    /// Of each message between two hosts, seconds (Messages::transfers_s).
    const std::vector<double>& transfers_s() const { return messages_.transfers_s(); }

  private:
    struct Request {
        bool done = false;
        bool awaited = false;
    };
    struct Rank {
        int number = 0;
        std::size_t next = 0;  ///< event
        std::uint32_t line = 0;
        std::map<int, Request> requests;  ///< by name; those of blocking calls and collectives have negative ones
        int last_own = 0;                 ///< name of that kind
        std::size_t missing = 0;          ///< of the awaited ones
        std::map<CommunicatorId, int> collectives;  ///< begun so far
        std::vector<Round> rounds;                  ///< of the one under way
        std::size_t round = 0;
        Collective collective;
        double busy_s = 0.0;  ///< overhead that is still to be spent
        double since = 0.0;   ///< it waits
    };

    void advance(Rank& rank);
    bool begin_next(Rank& rank);
    bool begin(Rank& rank, const Compute& compute);
    bool begin(Rank& rank, const Send& send);
    bool begin(Rank& rank, const Receive& receive);
    bool begin(Rank& rank, const Wait& wait);
    bool begin(Rank& rank, const Collective& collective);
    bool begin_round(Rank& rank);
    bool spend(Rank& rank, double duration_s);

    void send(Rank& rank, int request, const Transfer& transfer, Context context);
    void receive(Rank& rank, int request, const Transfer& transfer, Context context);
    bool await(Rank& rank, const std::vector<int>& requests);
    void complete(Rank& rank, int request);
    void check_progress() const;

    EventQueue& events_;
    const Trace& trace_;
    ReplaySettings settings_;
    Messages messages_;
    std::vector<Rank> ranks_;
    std::size_t running_;
    std::size_t computing_ = 0;
    double started_at_ = 0.0;
    std::vector<double> finished_s_;
    std::vector<double> waiting_s_;
};

}  // namespace fairlead::sim
