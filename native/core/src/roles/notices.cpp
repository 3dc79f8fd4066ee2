// SPDX-License-Identifier: Apache-2.0
#include "roles/notices.hpp"

namespace fairlead::core {

void Notices::on_burst(const Burst& burst, Time now, Outbox& out) {
    if (burst.answered == 0 || quiet(burst.peer, now)) return;
    const CongestionLevelSettings& settings = job_.settings.congestion_level;
    const Pair path{burst.peer, job_.self};
    const DelayWindow::Summary summary = paths_.probes().backward(burst.peer, burst.started);
    if (summary.samples < settings.min_samples || summary.span_s < settings.min_span_s) return;
    const CongestionLevel level = level_of(summary.typical_s, paths_.base_latency_s(path), settings);
    if (level != CongestionLevel::low) send({path.source, path.destination, level, summary.typical_s, 0.0}, now, out);
}

void Notices::on_message(const MessageTime& time, Time now, Outbox& out) {
    if (job_.learns) return;
    const Pair path{time.source, job_.self};
    const double base_s = paths_.base().latency_s(path, time.size_B).value_or(paths_.base_latency_s(path));
    const MessageLevel::Judgement judged =
        sources_[time.source].messages.add(time.size_B, time.latency_s, time.error_s, base_s, job_.settings, now);
    if (judged.congestion_level == CongestionLevel::low || quiet(time.source, now)) return;
    send({path.source, path.destination, judged.congestion_level, judged.excess_s, 0.0}, now, out);
}

void Notices::send(const wire::Notice& notice, Time now, Outbox& out) {
    sources_[notice.source].next_notice = now + job_.settings.report.notice_period_s;
    out.send(notice.source, notice);
    if (paths_.congestion_level(notice.source) == CongestionLevel::low) return;
    // The way to the source is slow as well: a copy over a third host that answers quickly.
    for (HostId host = 0; host < job_.hosts; ++host) {
        if (!job_.other(host) || host == notice.source || !peers_.up(host) ||
            paths_.congestion_level(host) != CongestionLevel::low)
            continue;
        return out.send(host, notice);
    }
}

void Notices::hand_on(HostId from, const wire::Notice& notice, Outbox& out) const {
    if (from == notice.destination && job_.other(notice.source)) out.send(notice.source, notice);
}

void Notices::tell_sharing(const wire::Notice& notice, std::span<const LoadSnapshot::Source> loads, Time now,
                           Outbox& out) {
    const SharingRelation& sharing = paths_.sharing();
    if (!sharing.known()) return;
    for (const LoadSnapshot::Source& told : loads) {
        if (!job_.other(told.source) || now < sources_[told.source].next_notice) continue;
        bool any = false;
        for (const wire::LoadEntry& entry : told.entries) {
            const Pair sibling{told.source, entry.destination};
            if (entry.relay != kNoHost || !valid(sibling, job_.hosts)) continue;
            if (!sharing.shares({notice.source, notice.destination}, sibling)) continue;
            out.send(told.source, wire::Notice{told.source, entry.destination, notice.congestion_level,
                                               notice.queue_delay_s, notice.foreign_share});
            any = true;
        }
        if (any) sources_[told.source].next_notice = now + job_.settings.report.notice_period_s;
    }
}

}  // namespace fairlead::core
