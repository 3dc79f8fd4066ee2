// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr double kHelloUnheard_s = 2.0;  // repeated this often to a peer that never answered
constexpr double kHelloHeard_s = 30.0;   // for a job of few hosts
}  // namespace

void Peers::greet(bool can_relay, double rarer, Time now, Outbox& out) {
    for (const HostId host : hellos_.due(now)) {
        out.send(host, wire::Hello{job_.hosts, can_relay});
        if (down(host)) out.send(host, wire::Heartbeat{false});  // it is up as soon as anything is heard from it
        hellos_.set(host, now + (up(host) ? kHelloHeard_s * rarer : kHelloUnheard_s));
    }
}

bool Peers::meet(HostId host, std::uint64_t boot_id) {
    Peer& peer = peers_[host];
    const bool anew = peer.heard && peer.boot_id != boot_id;
    if (anew) peer.heard = false;
    peer.boot_id = boot_id;
    return anew;
}

void Peers::on_hello(HostId host, const wire::Hello& hello, bool can_relay, Outbox& out) {
    Peer& peer = peers_[host];
    peer.loads_unanswered = 0;  // it is asked again
    if (!peer.heard) out.send(host, wire::Hello{job_.hosts, can_relay});
    peer.heard = true;
    peer.can_relay = hello.can_relay && hello.host_count == job_.hosts;
}

void Peers::give_up(HostId relay) {
    peers_[relay].beats_missed = 0;
    peers_[relay].down = true;
}

void Peers::miss(HostId host, Time now) {
    peers_[host].down = true;
    hellos_.set(host, now);
}

bool Peers::may_relay(HostId host, Time now) const {
    return up(host) && peers_[host].can_relay && now >= peers_[host].shunned_until;
}

void Peers::begin_beats(HostId relay, Time now) {
    peers_[relay].beats_missed = 0;
    peers_[relay].next_beat = now;
}

bool Peers::beat(HostId relay, std::span<const wire::RelayUse> uses, Time now, Outbox& out) {
    Peer& peer = peers_[relay];
    if (now < peer.next_beat) return false;
    peer.next_beat = now + job_.settings.relay.heartbeat_s;
    if (peer.beats_missed >= job_.settings.relay.heartbeats_missed) {
        give_up(relay);
        return true;
    }
    do {
        const auto some = uses.first(std::min(uses.size(), wire::kMaxRelayUses));
        out.send(relay, wire::Heartbeat{false, {some.begin(), some.end()}});
        uses = uses.subspan(some.size());
    } while (!uses.empty());
    ++peer.beats_missed;
    return false;
}

void Peers::on_beat(HostId host, Time now) {
    peers_[host].beats_missed = 0;
    peers_[host].last_beat = now;
}

}  // namespace fairlead::core
