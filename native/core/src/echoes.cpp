// SPDX-License-Identifier: Apache-2.0
// The proof that a detour carries packets: echoes that take its path while it lasts.
#include <algorithm>
#include <limits>

#include "state.hpp"

namespace fairlead::core {

namespace {
// From here on the destination is asked by the direct path as well, to tell a dead host from a broken detour.
constexpr int kAskDirectly = 2;
// Heartbeats without an answer at which a relay whose echoes are missing is taken for dead.
constexpr int kSilentRelay = 3;
}  // namespace

/// Not of a detour that is being left.
bool Controller::State::echoes_wanted(const Destination& destination) {
    return destination.detour && !destination.must_restore && (!destination.pending || destination.pending->reroute);
}

Time Controller::State::next_echo(const Destination& destination) const {
    const bool in_use = !automatic_ || destination.sockets.active(now_, settings_.suspicion);
    return destination.detour->echoes.next(in_use ? settings_.echo.period_s : settings_.echo.idle_s, settings_.echo);
}

void Controller::State::watch_echoes(HostId host) {
    const Destination& destination = destinations_[host];
    if (stopping_ || !echoes_wanted(destination)) return;
    if (destination.detour->echoes.missing(settings_.echo, now_) >= settings_.echo.missed) return lose_detour(host);
    if (now_ >= next_echo(destination)) send_echo(host);
}

void Controller::State::send_echo(HostId host) {
    Detour& detour = *destinations_[host].detour;
    const wire::Echo echo{next_token_++, self_, host, detour.relay, 0};
    if (proves_) {
        emit(SendEcho{echo, false});
    } else {
        send(detour.relay, echo);
    }
    if (detour.echoes.missing(settings_.echo, now_) >= kAskDirectly) {
        if (!detour.asked_directly) detour.asked_directly = now_;
        send(host, wire::Heartbeat{false});
    } else {
        detour.asked_directly.reset();
    }
    detour.echoes.sent(echo.token, now_);
}

/// Nothing came back for long enough. The relay may be dead, which its heartbeats show, too. A destination that answers
/// by another way lives: then it is the way.
void Controller::State::lose_detour(HostId host) {
    Destination& destination = destinations_[host];
    const Detour& detour = *destination.detour;
    if (peers_[detour.relay].beats_missed >= kSilentRelay) {
        peers_[detour.relay].beats_missed = 0;
        peers_[detour.relay].down = true;
        return lose_host(detour.relay);
    }
    const bool lives = detour.asked_directly && peers_[host].last_beat > *detour.asked_directly;
    if (lives) {
        avoid(destination, detour.relay);
    } else {
        peers_[host].down = true;
        peers_[host].next_hello = now_;
    }
    destination.retry_restore = now_;
    start_restore(host, lives ? RestoreReason::detour_broken : RestoreReason::destination_lost);
}

/// Echoes come back, but nothing of what the program sends: a filter tells them apart.
void Controller::State::watch_sockets(HostId host) {
    Destination& destination = destinations_[host];
    if (stopping_ || !echoes_wanted(destination) || !destination.sockets.stuck(settings_.suspicion, now_)) return;
    avoid(destination, destination.detour->relay);
    destination.retry_restore = now_;
    start_restore(host, RestoreReason::detour_broken);
}

void Controller::State::avoid(Destination& destination, HostId relay) const {
    std::erase_if(destination.avoided, [&](const Avoided& each) { return each.relay == relay || now_ >= each.until; });
    destination.avoided.push_back({relay, now_ + settings_.detour.shun_s});
}

bool Controller::State::avoids(const Destination& destination, HostId relay) const {
    return std::any_of(destination.avoided.begin(), destination.avoided.end(),
                       [&](const Avoided& each) { return each.relay == relay && now_ < each.until; });
}

/// Sends another echo over a detour on which none has come back yet, if it is time for one.
void Controller::State::try_detour(HostId host, HostId relay, PathProof& proof) {
    if (proof.carries || now_ < proof.next_echo) return;
    if (proof.echoes++ == 0) proof.first_echo = next_token_;
    emit(SendEcho{wire::Echo{next_token_++, self_, host, relay, 0}, true});
    proof.end_echo = next_token_;
    proof.next_echo = now_ + settings_.echo.trial_s;
}

/// Only the detour that was chosen: echoes are as large as rerouted packets, and over all candidates of every search
/// they would be a queue of their own on narrow links.
void Controller::State::try_chosen(HostId host, Search& search) {
    if (proves_ && search.phase == Search::Phase::ask) try_detour(host, search.decision.relay, search.proof);
}

Time Controller::State::next_trial(const Search& search) const {
    const bool tried = proves_ && search.phase == Search::Phase::ask && !search.proof.carries;
    return tried ? search.proof.next_echo : std::numeric_limits<Time>::infinity();
}

/// A manual reroute waits for the first echo.
void Controller::State::try_manually(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.trial) return;
    ManualTrial& trial = *destination.trial;
    const HostId relay = trial.relay;
    if (trial.proof.carries) {
        destination.trial.reset();
        if (!destination.pending) return reroute_manually(host, relay);
        destination.manual_request = relay;  // tried again, once the guardian has answered
        return;
    }
    if (now_ < trial.deadline) return try_detour(host, relay, trial.proof);
    destination.trial.reset();
    emit(ManualEnded{host, relay,
                     "the detour does not carry packets: nothing that was sent over the relay to the destination came "
                     "back (is the overlay's UDP port blocked, or does the relay's packet filter not forward?)"});
}

/// As the relay it is handed on once, as the destination answered on both ways.
void Controller::State::answer(HostId from, const wire::Echo& echo) {
    if (stopping_ || !can_relay_) return;
    if (echo.relay == self_ && from == echo.source) return send(echo.destination, echo);
    if (echo.destination != self_ || (from != echo.source && from != echo.relay)) return;
    const wire::EchoReply reply{echo.token, echo.source, echo.destination, echo.relay};
    send(echo.source, reply);
    send(echo.relay, reply);
}

void Controller::State::answer(HostId from, const wire::EchoReply& reply) {
    if (reply.relay == self_ && from == reply.destination) return send(reply.source, reply);
    if (reply.source != self_) return;
    Destination& destination = destinations_[reply.destination];
    const auto of = [&](const PathProof& proof) {
        return proof.echoes > 0 && reply.token - proof.first_echo < proof.end_echo - proof.first_echo;
    };
    if (destination.trial && destination.trial->relay == reply.relay && of(destination.trial->proof)) {
        destination.trial->proof.carries = true;
        return try_manually(reply.destination);
    }
    Search* const search = destination.search ? &*destination.search : nullptr;
    if (search != nullptr && search->phase == Search::Phase::ask && search->decision.relay == reply.relay &&
        of(search->proof)) {
        search->proof.carries = true;
        return take(reply.destination, *search);
    }
    if (!destination.detour || destination.detour->relay != reply.relay) return;
    destination.detour->echoes.answered(reply.token, now_);
}

}  // namespace fairlead::core
