// SPDX-License-Identifier: Apache-2.0
#include "roles/relay_role.hpp"

#include <algorithm>
#include <utility>

namespace fairlead::core {

namespace {
constexpr std::size_t kMostLegQueries = 256;
}  // namespace

void RelayRole::answer(HostId from, const wire::PathQuery& query, Time now, Outbox& out) {
    if (!job_.other(query.destination) || query.destination == from) return;
    LegQuery waiting{from, query.token, query.destination, 0};
    const Time fresh = now - job_.settings.relay.fresh_s;
    if (const auto done = paths_.probes().completed_since(query.destination, fresh)) return report(waiting, *done, out);
    waiting.burst = paths_.probes().burst(query.destination, now, out.actions());
    if (leg_queries_.size() >= kMostLegQueries) leg_queries_.erase(leg_queries_.begin());
    leg_queries_.push_back(waiting);
}

void RelayRole::on_burst(const Burst& burst, Outbox& out) {
    for (const LegQuery& query : std::exchange(leg_queries_, {})) {
        if (query.destination == burst.peer && query.burst == burst.id) {
            report(query, burst, out);
        } else {
            leg_queries_.push_back(query);
        }
    }
}

void RelayRole::report(const LegQuery& query, const Burst& burst, Outbox& out) const {
    wire::PathReport report;
    report.token = query.token;
    report.destination = query.destination;
    report.sent = static_cast<std::uint8_t>(std::min(burst.sent, 255));
    report.received = static_cast<std::uint8_t>(std::min(burst.answered, 255));
    report.queue_delay_s = paths_.probes().forward(query.destination, burst.started).typical_s;
    report.half_round_trip_s = paths_.probes().half_round_trip_s(query.destination);
    report.load = desk_.load();
    out.send(query.from, report);
}

void RelayRole::answer(HostId from, const wire::RelayRequest& request, Time now, Outbox& out) {
    if (!job_.other(request.destination) || request.destination == from) return;
    if (stopping_ || !able_) {
        const auto reason = stopping_ ? wire::RefuseReason::stopping : wire::RefuseReason::no_plane;
        out.send(from, wire::RelayRefuse{request.token, request.destination, reason});
    } else if (desk_.request(Pair{from, request.destination}, request.rate_bps, request.least_bps, now)) {
        out.send(from, wire::RelayGrant{request.token, request.destination, 0});
    } else {
        out.send(from, wire::RelayRefuse{request.token, request.destination, wire::RefuseReason::budget});
    }
}

void RelayRole::answer(HostId from, const wire::RelayRelease& release) {
    desk_.release(Pair{from, release.destination});
}

void RelayRole::answer_beat(HostId from, std::span<const wire::RelayUse> uses, Time now, Outbox& out) {
    if (stopping_ || !able_) return;  // no answer: the source shall return even if the refusal was lost
    for (const wire::RelayUse& use : uses) {
        if (job_.other(use.destination)) desk_.renew(Pair{from, use.destination}, use.rate_bps, now);
    }
    out.send(from, wire::Heartbeat{true});
}

void RelayRole::answer(HostId from, const wire::Echo& echo, Outbox& out) const {
    if (stopping_ || !able_) return;
    if (echo.relay == job_.self && from == echo.source) return out.send(echo.destination, echo);
    if (echo.destination != job_.self || (from != echo.source && from != echo.relay)) return;
    const wire::EchoReply reply{echo.token, echo.source, echo.destination, echo.relay};
    out.send(echo.source, reply);
    if (!is_way(echo.relay)) out.send(echo.relay, reply);
}

bool RelayRole::hand_on(HostId from, const wire::EchoReply& reply, Outbox& out) const {
    if (reply.relay != job_.self || from != reply.destination) return false;
    out.send(reply.source, reply);
    return true;
}

void RelayRole::stop(Outbox& out) {
    stopping_ = true;
    for (const Pair& path : desk_.granted()) {
        out.send(path.source, wire::RelayRefuse{0, path.destination, wire::RefuseReason::stopping});
    }
}

}  // namespace fairlead::core
