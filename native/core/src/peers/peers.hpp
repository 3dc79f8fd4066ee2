// SPDX-License-Identifier: Apache-2.0
// The other hosts' agents: which were heard, which may relay, which are down, and the heartbeats that show it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job.hpp"
#include "outbox.hpp"
#include "peers/due_times.hpp"

namespace fairlead::core {

class Peers {
  public:
    explicit Peers(const Job& job) : job_(job), peers_(job.hosts), hellos_(job.hosts, job.self) {}

    /// Greets those whose turn it is; at first, all. `rarer`: how many times as long as in a small job a turn lasts.
    void greet(bool can_relay, double rarer, Time now, Outbox& out);
    /// Something came from it.
    void heard_from(HostId peer) { peers_[peer].down = peers_[peer].ended = false; }
    /// An echo came back from it, which may have come by way of a relay: the direct path may be the silent one.
    void answered(HostId peer) { peers_[peer].down = peers_[peer].ended; }
    /// It greets. Whether its agent is another than before: what was agreed with that one is gone.
    bool meet(HostId peer, std::uint64_t boot_id);
    /// Takes the greeting itself; answers the first.
    void on_hello(HostId peer, const wire::Hello& hello, bool can_relay, Outbox& out);
    /// Its agent ended.
    void lose(HostId peer) { peers_[peer].down = peers_[peer].ended = true; }
    /// A relay that answers neither heartbeats nor echoes.
    void give_up(HostId relay);
    /// It does not answer: it is greeted at once.
    void miss(HostId peer, Time now);
    /// It is no relay for a while.
    void shun(HostId peer, Time now) { peers_[peer].shunned_until = now + job_.settings.detour.shun_s; }

    /// It may relay again.
    void trust(HostId peer) { peers_[peer].shunned_until = -1e9; }

    bool heard(HostId peer) const { return peers_[peer].heard; }
    bool down(HostId peer) const { return peers_[peer].down; }
    bool up(HostId peer) const { return peers_[peer].heard && !peers_[peer].down; }
    bool lacks_plane(HostId peer) const { return peers_[peer].heard && !peers_[peer].can_relay; }
    bool may_relay(HostId peer, Time now) const;
    /// Whether a detour may lead to it: it takes the destination's plane as well. Who was not heard yet may have one,
    /// and to who does not answer on the direct path it may be the only way.
    bool reachable(HostId peer) const { return !peers_[peer].ended && !lacks_plane(peer); }

    /// Heartbeats to a relay begin.
    void begin_beats(HostId relay, Time now);
    /// Sends the heartbeat that is due, which says for what the relay is used. Whether too many were missed instead:
    /// the relay is lost. They are counted, not timed: an agent that did not run sent none and misses none.
    bool beat(HostId relay, std::span<const wire::RelayUse> uses, Time now, Outbox& out);
    void on_beat(HostId peer, Time now);
    int beats_missed(HostId peer) const { return peers_[peer].beats_missed; }
    Time last_beat(HostId peer) const { return peers_[peer].last_beat; }
    Time next_beat(HostId peer) const { return peers_[peer].next_beat; }
    Time next_hello() const { return hellos_.next(); }

    /// Its answer to a load query was missing. After a few in a row it is no longer waited for.
    void miss_load(HostId peer) { ++peers_[peer].loads_unanswered; }
    void on_load(HostId peer) { peers_[peer].loads_unanswered = 0; }
    bool answers_loads(HostId peer) const {
        return up(peer) && peers_[peer].loads_unanswered < job_.settings.own_load.max_unanswered;
    }

  private:
    struct Peer {
        bool heard = false;
        bool down = false;   ///< it does not answer, or has ended
        bool ended = false;  ///< it said so
        bool can_relay = false;
        std::uint64_t boot_id = 0;
        Time shunned_until = -1e9;
        int loads_unanswered = 0;
        int beats_missed = 0;
        Time next_beat = 0.0;
        Time last_beat = -1e9;  ///< answered
    };

    const Job& job_;
    std::vector<Peer> peers_;
    DueTimes hellos_;
};

}  // namespace fairlead::core
