// SPDX-License-Identifier: Apache-2.0
// Bursts of probes from this host to its peers, their budget, the rare background probes, and what they said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "fairlead/core/actions.hpp"
#include "fairlead/core/congestion_level.hpp"
#include "fairlead/core/events.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"
#include "peers/due_times.hpp"

namespace fairlead::core {

/// A burst's state. It is done when every probe was answered or told lost, or its deadline passed.
struct Burst {
    std::uint32_t id = 0;
    HostId peer = kNoHost;
    Time started = 0.0;
    Time deadline = 0.0;
    int sent = 0;
    int answered = 0;
    int lost = 0;
    bool done = false;
    double run_delay_s = 0.0;  ///< largest wait in a run queue seen by either end while it ran

    bool silent() const { return done && answered == 0; }
};

class ProbeDesk {
  public:
    ProbeDesk(HostId self, HostId host_count, const Settings& settings);

    /// Starts a burst, or joins one to that peer that was started within a spacing and is still under way.
    std::uint32_t burst(HostId peer, Time now, std::vector<Action>& out);

    /// Each probe of this path takes so much of the budget; 1 at the start.
    void set_price(HostId peer, double price) { paths_[peer].price = price; }
    /// Whether the budget allows a burst to this peer that is not urgent.
    bool affordable(HostId peer, Time now);
    /// Whether it allows an urgent one: half of what may be sent at once can be owed.
    bool overdrawable(Time now);

    /// Takes a result; returns the burst that it completes. Results of unknown bursts only feed the windows.
    std::optional<Burst> on_result(const ProbeResult& result, Time now);

    void on_run_delay(double run_delay_s);

    /// Bursts whose deadline passed, now done.
    std::vector<Burst> expire(Time now);

    /// Sends the background probes that are due, and with them those that soon will be.
    void background(Time now, std::vector<Action>& out);
    /// Its path is used: where there was no contact yet, it does not wait for its turn.
    void meet_now(HostId peer, Time now);
    /// Its agent started anew or a clock was set: it is probed as at the first contact. Not while it still is.
    void meet_again(HostId peer, Time now);

    /// A recent burst; nothing if too old to be known.
    std::optional<Burst> find(HostId peer, std::uint32_t id) const;
    /// The last completed burst, if it began at or after `from`.
    std::optional<Burst> completed_since(HostId peer, Time from) const;

    /// Queueing delays of probes sent at or after `from`, towards (base shifts already taken off, what is hidden added)
    /// and from the peer.
    DelayWindow::Summary forward(HostId peer, Time from) const;
    DelayWindow::Summary backward(HostId peer, Time from) const;

    /// For how long within [from, to] probes prove a queue towards the peer.
    double standing_s(HostId peer, Time from, Time to) const;
    /// Towards the peer, with the base shifts left in.
    double forward_raw_s(HostId peer, Time from) const;

    /// Half the smallest round trip seen; 0: none yet.
    double half_round_trip_s(HostId peer) const { return paths_[peer].min_round_trip_s / 2.0; }

    LevelTracker& congestion_level(HostId peer) { return paths_[peer].congestion_level; }
    const LevelTracker& congestion_level(HostId peer) const { return paths_[peer].congestion_level; }

    /// The ranks' sockets have this round trip on the direct path: answers may take as much longer.
    void expect(HostId peer, double round_trip_s) { paths_[peer].round_trip_s = std::min(round_trip_s, kLost_s); }

    /// A lasting shift became part of the base: from now on it is no queueing delay.
    void absorb(HostId peer, double shift_s);
    /// What even the fastest probe met: it counts as queueing delay of all.
    void set_hidden(HostId peer, double hidden_s) { paths_[peer].hidden_s = hidden_s; }
    /// The sum of such shifts.
    double absorbed_s(HostId peer) const { return paths_[peer].absorbed_s; }

    Time next_deadline(bool with_background) const;

    /// By how much what goes to all hosts of a large job is rarer; 1 for few.
    double host_share() const;

  private:
    static constexpr std::size_t kBurstsKept = 4;
    static constexpr double kLost_s = 0.25;  // then a probe is told to be lost
    struct Path {
        DelayWindow forward;
        DelayWindow backward;
        LevelTracker congestion_level;
        std::vector<Burst> bursts;  ///< the last kBurstsKept, oldest first
        double min_round_trip_s = 0.0;
        double round_trip_s = 0.0;  ///< of the ranks' sockets, of late
        double absorbed_s = 0.0;
        double hidden_s = 0.0;
        double price = 1.0;
        double background_s = 0.0;  ///< the pause before the next background probe; 0: there was no contact yet
    };

    void refill(Time now);
    /// Of the budget; never more than all of it.
    double cost(HostId peer, int count) const;
    /// Forgets that bursts to this peer are under way, if none is.
    void close(HostId peer);
    void bring_forward(HostId peer, Time to);
    double next_pause_s(double pause_s) const;
    Burst& start(HostId peer, int count, Time now, std::vector<Action>& out);

    HostId self_;
    const Settings& settings_;
    std::vector<Path> paths_;
    DueTimes backgrounds_;   ///< the next background probes
    std::set<HostId> open_;  ///< peers to which bursts are under way
    std::uint32_t next_id_ = 1;
    double tokens_;
    Time refilled_ = 0.0;
    bool started_ = false;
};

}  // namespace fairlead::core
