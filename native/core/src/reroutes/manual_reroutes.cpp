// SPDX-License-Identifier: Apache-2.0
// Reroutes and returns that the supervisor asks for.
#include "reroutes/reroutes.hpp"

namespace fairlead::core {

namespace {
constexpr const char* kSilentDetour =
    "the detour does not carry packets: nothing that was sent over the relay to the destination came back (is the "
    "overlay's UDP port blocked, or does the relay's packet filter not forward?)";
constexpr const char* kSilentWay =
    "the equal-cost path does not carry packets: nothing that was sent by it to the destination came back (is the "
    "overlay's UDP port blocked?)";
}  // namespace

/// Why the pair cannot be rerouted over the relay, or by the way.
std::optional<std::string> Reroutes::complaint(HostId host, HostId relay) const {
    if (!is_way(relay) && peers_.lacks_plane(relay)) return "the relay has no data plane";
    if (!is_way(relay) && peers_.down(relay)) return "the relay does not answer";
    if (peers_.down(host)) return "the destination does not answer";
    if (peers_.lacks_plane(host)) return "the destination has no data plane";
    return std::nullopt;
}

void Reroutes::request_manually(HostId host, HostId relay) {
    Destination& destination = destinations_[host];
    destination.manual_request.reset();
    if (relay != kNoHost) {
        if (const auto why = complaint(host, relay)) return out_.emit(ManualEnded{host, relay, *why});
    }
    destination.search.reset();
    destination.trial.reset();
    awake_.insert(host);
    if (destination.route.pending()) {
        destination.manual_request = relay;
        return;
    }
    destination.route.forget_return();
    if (relay == kNoHost) {
        if (!destination.detour) return out_.emit(ManualEnded{host, kNoHost, {}});
        return start_restore(host, RestoreReason::manual);
    }
    if (!parts_.job.proves) return reroute_manually(host, relay);
    destination.trial =
        ManualTrial{PathProof(parts_.job.path_to(host), relay), now_ + parts_.job.settings.echo.manual_s};
    try_manually(host);
}

/// A manual reroute waits for the first echo.
void Reroutes::try_manually(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.trial) return;
    const HostId relay = destination.trial->proof.relay();
    if (destination.trial->proof.carries()) {
        destination.trial.reset();
        if (!destination.route.pending()) return reroute_manually(host, relay);
        destination.manual_request = relay;  // tried again, once the guardian has answered
        return;
    }
    if (now_ < destination.trial->deadline)
        return destination.trial->proof.advance(parts_.job.settings.echo, now_, out_);
    destination.trial.reset();
    out_.emit(ManualEnded{host, relay, is_way(relay) ? kSilentWay : kSilentDetour});
}

void Reroutes::reroute_manually(HostId host, HostId relay) {
    // Rate 0: a grant is not waited for, but the relay knows of the path and keeps it by the heartbeats.
    if (!is_way(relay)) out_.send(relay, wire::RelayRequest{out_.token(), host, 0.0});
    Rerouted decision;
    decision.relay = relay;
    decision.manual = true;
    decision.suspected_at = decision.confirmed_at = now_;
    reroute(host, decision);
}

}  // namespace fairlead::core
