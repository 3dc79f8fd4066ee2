// SPDX-License-Identifier: Apache-2.0
#include "watch/flow_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fairlead::agent {
namespace {

/// A socket that had something to send for this share of the time, and was not held up by the receiver or its buffer
/// for more than the second share, is limited by the network.
constexpr double kBusyShare = 0.8;
constexpr double kHeldUpShare = 0.1;

}  // namespace

FlowTable::FlowTable(const Config& config) : config_(config), peers_(config.hosts.size()) {
    for (core::HostId host = 0; host < config.host_count(); ++host) {
        if (host != config.self) by_address_[config.hosts[host].address] = host;
    }
}

core::HostId FlowTable::peer_of(const TcpSocket& socket) const {
    const auto found = by_address_.find(socket.remote);
    if (found == by_address_.end() || socket.uid != config_.uid) return core::kNoHost;
    const bool own = socket.local_port == config_.own().port || socket.remote_port == config_.hosts[found->second].port;
    return own ? core::kNoHost : found->second;
}

FlowTable::Known FlowTable::known_of(core::HostId host, const TcpSocket& socket, std::uint64_t update) {
    return {.peer = host,
            .acked_B = socket.acked_B,
            .received_B = socket.received_B,
            .retransmits = socket.retransmits,
            .busy_s = socket.busy_s,
            .held_up_s = socket.held_up_s,
            .update = update};
}

void FlowTable::add(const TcpSocket& socket, core::HostId host, double elapsed_s, Sum& sum) {
    Peer& peer = peers_[host];
    auto [place, fresh] = known_.try_emplace(socket.cookie);
    Known& known = place->second;
    if (fresh) {
        known.peer = host;
        // What a socket did before it was first seen counts, except before this agent ran at all.
        if (updates_ == 1) known = known_of(host, socket, 0);
    }
    const std::uint64_t moved_B = socket.acked_B - std::min(known.acked_B, socket.acked_B);
    peer.delivered_B += moved_B;
    peer.received_B += socket.received_B - std::min(known.received_B, socket.received_B);
    peer.retransmits += socket.retransmits - std::min(known.retransmits, socket.retransmits);
    core::SocketSample& sample = sum.sample;
    sample.in_flight_B += socket.in_flight_B;
    if (socket.in_flight_B > 0) sample.rto_s = std::max(sample.rto_s, socket.rto_s);
    if (socket.min_rtt_s > 0.0 && (sample.min_rtt_s == 0.0 || socket.min_rtt_s < sample.min_rtt_s)) {
        sample.min_rtt_s = socket.min_rtt_s;
    }
    if (moved_B > 0) sample.delivery_bps = std::max(sample.delivery_bps, socket.delivery_bps);
    const double busy_s = std::max(0.0, socket.busy_s - known.busy_s);
    sum.longest_busy_s = std::max(sum.longest_busy_s, busy_s);
    if (!sum.any || moved_B > sum.most_moved_B) {
        sum.most_moved_B = moved_B;
        sample.srtt_s = socket.srtt_s;
        const double held_up_s = socket.held_up_s - known.held_up_s;
        sample.network_limited =
            !fresh && !socket.app_limited && busy_s >= kBusyShare * elapsed_s && held_up_s <= kHeldUpShare * elapsed_s;
    }
    sum.any = true;
    const Known before = std::exchange(known, known_of(host, socket, updates_));
    const bool waits = !fresh && moved_B == 0 && socket.in_flight_B > 0;
    known.since_s = waits ? before.since_s : last_update_s_;
    known.retransmits_then = waits ? before.retransmits_then : socket.retransmits;
    const double stuck_s = last_update_s_ - known.since_s;
    if (socket.retransmits > known.retransmits_then && stuck_s > sample.stuck_s) {
        sample.stuck_s = stuck_s;
        sample.stuck_retransmits = socket.retransmits - known.retransmits_then;
    }
}

std::vector<core::SocketSample> FlowTable::update(std::span<const TcpSocket> sockets, double now) {
    ++updates_;
    const double elapsed_s = std::max(1e-6, now - last_update_s_);
    last_update_s_ = now;
    std::map<core::HostId, Sum> sums;  // of peers that have sockets, or had some at the last update
    for (const core::HostId host : connected_) sums.try_emplace(host);
    for (const TcpSocket& socket : sockets) {
        const core::HostId host = peer_of(socket);
        if (host != core::kNoHost) add(socket, host, elapsed_s, sums[host]);
    }
    std::erase_if(known_, [this](const auto& item) { return item.second.update != updates_; });
    connected_.clear();
    std::vector<core::SocketSample> samples;
    for (auto& [host, sum] : sums) {
        Peer& peer = peers_[host];
        sum.sample.peer = host;
        peer.busy_s += std::min(sum.longest_busy_s, elapsed_s);
        sum.sample.busy_s = peer.busy_s;
        sum.sample.delivered_B = peer.delivered_B;
        sum.sample.received_B = peer.received_B;
        sum.sample.retransmits = peer.retransmits;
        samples.push_back(sum.sample);
        if (sum.most_moved_B > 0 || sum.sample.in_flight_B > 0) last_active_s_ = now;
        // What a socket says that moved nothing is of another time, and maybe of another path.
        if (sum.most_moved_B > 0) peer.srtt_s = sum.sample.srtt_s;
        if (sum.any) connected_.push_back(host);
    }
    return samples;
}

}  // namespace fairlead::agent
