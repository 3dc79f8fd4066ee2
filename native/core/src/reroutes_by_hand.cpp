// SPDX-License-Identifier: Apache-2.0
// Moves and returns that the supervisor asks for.
#include "reroutes.hpp"

namespace fairlead::core {

/// Why the pair cannot be moved over the relay.
std::optional<std::string> Reroutes::complaint(HostId host, HostId relay) const {
    if (peers_.lacks_plane(relay)) return "the relay has no data plane";
    if (peers_.down(relay)) return "the relay does not answer";
    if (peers_.reachable(host)) return std::nullopt;
    return peers_.down(host) ? "the destination does not answer" : "the destination has no data plane";
}

void Reroutes::by_hand(HostId host, HostId relay) {
    Destination& destination = destinations_[host];
    destination.by_hand.reset();
    if (relay != kNoHost) {
        if (const auto why = complaint(host, relay)) return out_.emit(ByHandEnded{host, relay, *why});
    }
    destination.search.reset();
    destination.trial.reset();
    if (destination.route.pending()) {
        destination.by_hand = relay;
        return;
    }
    destination.route.forget_return();
    if (relay == kNoHost) {
        if (!destination.detour) return out_.emit(ByHandEnded{host, kNoHost, {}});
        return start_return(host, ReturnReason::manual);
    }
    if (!parts_.job.proves) return move_by_hand(host, relay);
    destination.trial =
        ManualTrial{WayTrial(parts_.job.path_to(host), relay), now_ + parts_.job.settings.echo.by_hand_s};
    try_by_hand(host);
}

/// A move by hand waits for the first echo.
void Reroutes::try_by_hand(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.trial) return;
    const HostId relay = destination.trial->way.relay();
    if (destination.trial->way.carries()) {
        destination.trial.reset();
        if (!destination.route.pending()) return move_by_hand(host, relay);
        destination.by_hand = relay;  // tried again, once the guardian has answered
        return;
    }
    if (now_ < destination.trial->deadline) return destination.trial->way.advance(parts_.job.settings.echo, now_, out_);
    destination.trial.reset();
    out_.emit(
        ByHandEnded{host, relay,
                    "the detour does not carry packets: nothing that was sent over the relay to the destination came "
                    "back (is the overlay's UDP port blocked, or does the relay's packet filter not forward?)"});
}

void Reroutes::move_by_hand(HostId host, HostId relay) {
    // Rate 0: a grant is not waited for, but the relay knows of the path and keeps it by the heartbeats.
    out_.send(relay, wire::RelayRequest{out_.token(), host, 0.0});
    Moved decision;
    decision.relay = relay;
    decision.manual = true;
    decision.suspected_at = decision.confirmed_at = now_;
    move(host, decision);
}

}  // namespace fairlead::core
