// SPDX-License-Identifier: Apache-2.0
// Messages of peers: as a relay, as a destination, and the answers that a search waits for.
#include <algorithm>

#include "state.hpp"

namespace fairlead::core {

namespace {
constexpr std::size_t kMaxLegQueries = 256;
constexpr std::size_t kMaxLoadQueries = 256;
}  // namespace

/// A greeting of an agent that started anew: what was agreed with the one before is gone.
void Controller::State::meet(HostId from, std::uint64_t boot_id) {
    Peer& peer = peers_[from];
    if (peer.heard && peer.boot_id != boot_id) {
        relay_desk_.forget(from);
        lose_host(from);
        peer.heard = false;
        probes_.meet_again(from, now_);
    }
    peer.boot_id = boot_id;
}

void Controller::State::answer(HostId from, const wire::Hello& hello) {
    Peer& peer = peers_[from];
    peer.loads_unanswered = 0;  // it is asked again
    if (!peer.heard) send(from, wire::Hello{hosts_, can_relay_});
    peer.heard = true;
    peer.can_relay = hello.can_relay && hello.host_count == hosts_;
    if (!peer.can_relay) lose_host(from);
}

void Controller::State::answer(HostId from, const wire::Goodbye&) {
    peers_[from].down = true;
    relay_desk_.forget(from);
    lose_host(from, true);
}

void Controller::State::answer(HostId from, const wire::PathQuery& query) {
    if (!other(query.destination) || query.destination == from) return;
    LegQuery waiting{from, query.token, query.destination, 0};
    if (const auto fresh = probes_.completed_since(query.destination, now_ - settings_.relay.fresh_s)) {
        report_leg(waiting, *fresh);
        return;
    }
    waiting.burst = probes_.burst(query.destination, now_, *out_);
    if (leg_queries_.size() >= kMaxLegQueries) leg_queries_.erase(leg_queries_.begin());
    leg_queries_.push_back(waiting);
}

void Controller::State::report_leg(const LegQuery& query, const Burst& burst) {
    wire::PathReport report;
    report.token = query.token;
    report.destination = query.destination;
    report.sent = static_cast<std::uint8_t>(std::min(burst.sent, 255));
    report.received = static_cast<std::uint8_t>(std::min(burst.answered, 255));
    report.queue_delay_s = probes_.forward(query.destination, burst.started).typical_s;
    report.half_round_trip_s = probes_.half_round_trip_s(query.destination);
    report.load = relay_desk_.load();
    send(query.from, report);
}

void Controller::State::answer(HostId from, const wire::PathReport& report) {
    if (!other(report.destination)) return;
    learn(from, report);
    LegState second;
    second.queue_delay_s = report.queue_delay_s;
    second.half_round_trip_s = report.half_round_trip_s;
    second.usable = report.received > 0 && 2 * report.received >= report.sent;
    Destination& destination = destinations_[report.destination];
    if (destination.search) {
        for (Asked& asked : destination.search->asked) {
            if (asked.relay != from || asked.token != report.token || asked.answered) continue;
            asked.answered = true;
            asked.answered_at = now_;
            asked.second = second;
            asked.load = report.load;
        }
    }
    Detour* detour = destination.detour ? &*destination.detour : nullptr;
    if (detour != nullptr && detour->relay == from && detour->legs_awaited && detour->legs_token == report.token) {
        detour->legs_awaited = false;
        detour->second = second;
        judge_legs(report.destination);
    }
}

/// As the host where probes' answers arrive: the reverse direction's source learns that its path is slow.
void Controller::State::notify_source(const Burst& burst) {
    if (!automatic_ || stopping_ || burst.answered == 0) return;
    Peer& peer = peers_[burst.peer];
    const Pair reverse{burst.peer, self_};
    const DelayWindow::Summary summary = probes_.backward(burst.peer, burst.started);
    if (summary.samples < settings_.congestion_level.min_samples ||
        summary.span_s < settings_.congestion_level.min_span_s)
        return;
    const CongestionLevel congestion_level =
        level_of(summary.typical_s, base_latency_s(reverse), settings_.congestion_level);
    if (congestion_level == CongestionLevel::low || now_ < peer.next_notice) return;
    send_notice({reverse.source, reverse.destination, congestion_level, summary.typical_s, 0.0});
}

/// Ranks of this host waited for messages that took long.
void Controller::State::handle(const MessageTime& time) {
    if (!other(time.source) || !plausible(time.latency_s) || !plausible(time.error_s)) return;
    if (learns_) return;  // what larger messages take on the free path is not learnt
    Peer& peer = peers_[time.source];
    const Pair path{time.source, self_};
    const double base_s = base_.latency_s(path, time.size_B).value_or(base_latency_s(path));
    const MessageLevel::Judgement judged =
        peer.messages.add(time.size_B, time.latency_s, time.error_s, base_s, settings_, now_);
    if (!automatic_ || stopping_ || judged.congestion_level == CongestionLevel::low || now_ < peer.next_notice) return;
    send_notice({path.source, path.destination, judged.congestion_level, judged.excess_s, 0.0});
}

void Controller::State::send_notice(const wire::Notice& notice) {
    peers_[notice.source].next_notice = now_ + settings_.report.notice_period_s;
    send(notice.source, notice);
    if (probes_.congestion_level(notice.source).congestion_level() == CongestionLevel::low) return;
    // The way to the source is slow as well: a copy over a third host that answers quickly.
    for (HostId host = 0; host < hosts_; ++host) {
        if (!other(host) || host == notice.source || !peers_[host].heard || peers_[host].down) continue;
        if (probes_.congestion_level(host).congestion_level() != CongestionLevel::low) continue;
        send(host, notice);
        return;
    }
}

void Controller::State::answer(HostId from, const wire::Notice& notice) {
    if (notice.source != self_) {
        // Handed on once: only what comes from the path's own destination.
        if (from == notice.destination && other(notice.source)) send(notice.source, notice);
        return;
    }
    if (!other(notice.destination)) return;
    emit(Noticed{from, Pair{notice.source, notice.destination}, notice.congestion_level, notice.queue_delay_s});
    if (notice.congestion_level == CongestionLevel::low) return;
    Destination& destination = destinations_[notice.destination];
    destination.uses.congested();
    if (!destination.sockets.active(now_, settings_.suspicion)) return;
    hear_foreign(destination, notice.foreign_share);
    suspect(notice.destination, Suspicion::delay);
}

std::vector<wire::LoadEntry> Controller::State::own_entries() const {
    std::vector<wire::LoadEntry> entries;
    for (HostId host = 0; host < hosts_; ++host) {
        const Destination& destination = destinations_[host];
        if (destination.sockets.last_delivered_B() == 0) continue;
        wire::LoadEntry entry;
        entry.destination = host;
        entry.relay = destination.detour ? destination.detour->relay : kNoHost;
        entry.delivered_B = destination.sockets.last_delivered_B();
        entry.earlier_B = destination.sockets.delivered_before_B(now_, settings_.own_load.earlier_s);
        // What was under way before the sockets were silent is not any more.
        if (destination.sockets.active(now_, settings_.suspicion))
            entry.in_flight_B = destination.sockets.in_flight_B();
        entries.push_back(entry);
    }
    if (entries.size() > wire::kMaxLoadEntries) {
        std::stable_sort(entries.begin(), entries.end(), [](const wire::LoadEntry& a, const wire::LoadEntry& b) {
            return a.delivered_B > b.delivered_B;  // an order that lasts: two reports shall list the same
        });
        entries.resize(wire::kMaxLoadEntries);
    }
    return entries;
}

void Controller::State::answer(HostId from, const wire::LoadQuery& query) {
    if (load_queries_.size() >= kMaxLoadQueries) return;
    load_queries_.push_back(LoadWaiting{from, query.token, now_ + settings_.own_load.samples_timeout_s});
    emit(SampleSockets{});
}

/// Answers the load queries that wait: all of them once the sockets were sampled, else those that waited too long.
void Controller::State::answer_loads(bool sampled) {
    if (load_queries_.empty()) return;
    const std::vector<wire::LoadEntry> entries = own_entries();
    std::vector<LoadWaiting> waiting;
    std::swap(waiting, load_queries_);
    for (const LoadWaiting& query : waiting) {
        if (!sampled && now_ < query.deadline) {
            load_queries_.push_back(query);
        } else if (query.from == self_) {
            take_load(self_, query.token, entries);
        } else {
            send(query.from, wire::LoadReport{query.token, entries});
        }
    }
}

void Controller::State::answer(HostId from, const wire::LoadReport& report) {
    take_load(from, report.token, report.entries);
}

void Controller::State::answer(HostId from, const wire::RelayRequest& request) {
    if (!other(request.destination) || request.destination == from) return;
    if (stopping_ || !can_relay_) {
        const auto reason = stopping_ ? wire::RefuseReason::stopping : wire::RefuseReason::no_plane;
        send(from, wire::RelayRefuse{request.token, request.destination, reason});
    } else if (relay_desk_.request(Pair{from, request.destination}, request.rate_bps, now_)) {
        send(from, wire::RelayGrant{request.token, request.destination, 0});
    } else {
        send(from, wire::RelayRefuse{request.token, request.destination, wire::RefuseReason::budget});
    }
}

void Controller::State::answer(HostId from, const wire::RelayGrant& grant) {
    if (!other(grant.destination)) return;
    Destination& destination = destinations_[grant.destination];
    Search* search = destination.search ? &*destination.search : nullptr;
    const bool asked = search != nullptr && search->phase == Search::Phase::ask && search->ask_token == grant.token &&
                       search->decision.relay == from;
    if (asked && !destination.pending) {
        search->granted = true;
        search->ask_deadline = now_ + settings_.choice.ask_timeout_s;  // for the echo
        return take(grant.destination, *search);
    }
    // A grant that came too late; one for a detour made by hand is in use or on its way.
    if (!uses(destination, from)) send(from, wire::RelayRelease{grant.destination});
}

void Controller::State::answer(HostId from, const wire::RelayRefuse& refuse) {
    if (!other(refuse.destination)) return;
    Destination& destination = destinations_[refuse.destination];
    Search* search = destination.search ? &*destination.search : nullptr;
    if (search != nullptr && search->phase == Search::Phase::ask && search->ask_token == refuse.token &&
        search->decision.relay == from) {
        refused(refuse.destination, *search);
        return;
    }
    if (refuse.reason == wire::RefuseReason::budget || !uses(destination, from)) return;
    peers_[from].shunned_until = now_ + settings_.detour.shun_s;
    const Pending* const pending = destination.pending ? &*destination.pending : nullptr;
    if (pending != nullptr && pending->reroute && pending->relay == from && pending->decision.manual) {
        emit(ManualEnded{refuse.destination, from, "the relay refused: it has no data plane, or it stops"});
    }
    destination.retry_restore = now_;
    const bool stops = refuse.reason == wire::RefuseReason::stopping;
    start_restore(refuse.destination, stops ? RestoreReason::peer_stopped : RestoreReason::relay_revoked);
}

void Controller::State::answer(HostId from, const wire::RelayRelease& release) {
    relay_desk_.release(Pair{from, release.destination});
}

void Controller::State::answer(HostId from, const wire::Heartbeat& beat) {
    if (beat.reply) {
        peers_[from].beats_missed = 0;
        peers_[from].last_beat = now_;
        return;
    }
    if (stopping_ || !can_relay_) return;  // no answer: the source shall return even if the refusal was lost
    relay_desk_.heartbeat(from, now_);
    send(from, wire::Heartbeat{true});
}

}  // namespace fairlead::core
