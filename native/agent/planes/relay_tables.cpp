// SPDX-License-Identifier: Apache-2.0
// Of the relay plane: where processes are, and what ranks' tables say of them.
#include "planes/relay_plane.hpp"

namespace fairlead::agent {

/// Also where they are of another world than this host's ranks: of that may be the next ones here.
void RelayPlane::place(core::HostId host, relay::WorldId world, std::span<const std::uint32_t> ranks) {
    if (!up() || host == setup_.self || world == relay::kNoWorld) return;
    turn_to(host, world);
    for (const std::uint32_t rank : ranks) {
        const bool is_here = world == world_ && ranks_.find(rank) != nullptr;
        if (rank >= relay::kMostProcesses || is_here) continue;
        if (places_.put(world, rank, host) && world == world_) tell_of(rank);
    }
}

/// All that was known to be there of another world is gone.
void RelayPlane::turn_to(core::HostId host, relay::WorldId world) {
    if (places_.world_at(host) == world) return;
    for (const relay::Process process : places_.forget(host)) tell_of(process);
    places_.turn_to(world, host);
}

std::set<std::uint32_t> RelayPlane::ranks() const {
    std::set<std::uint32_t> result;
    for (const auto& [rank, channel] : ranks_.all()) result.insert(rank);
    return result;
}

relay::Place RelayPlane::place_of(relay::Process process) const {
    const auto host = places_.of(world_, process);
    if (!host) return relay::Place::unknown;
    return relay_to(*host) ? relay::Place::relay : relay::Place::direct;
}

/// Of a detour whose relay answers. While it does not, frames go the direct way.
std::optional<core::HostId> RelayPlane::relay_to(core::HostId destination) const {
    const auto detour = detours_.find(destination);
    if (detour == detours_.end()) return std::nullopt;
    const auto out = outgoing_.find({detour->second, Hop::first});
    if (out == outgoing_.end() || !out->second.stream) return std::nullopt;
    return detour->second;
}

void RelayPlane::tell(RankChannel& channel) {
    for (relay::Process process = 0; process < channel.processes(); ++process) {
        channel.set_place(process, place_of(process));
    }
    places_told_ += channel.processes();
}

void RelayPlane::tell_of(relay::Process process) {
    const relay::Place place = place_of(process);
    for (const auto& [rank, channel] : ranks_.all()) {
        if (process < channel->processes()) channel->set_place(process, place);
    }
    places_told_ += ranks_.all().size();
}

void RelayPlane::tell_of_host(core::HostId host) {
    for (const relay::Process process : places_.at(host)) tell_of(process);
}
void RelayPlane::tell_of_detours_over(core::HostId relay) {
    for (const auto& [destination, over] : detours_) {
        if (over == relay) tell_of_host(destination);
    }
}

}  // namespace fairlead::agent
