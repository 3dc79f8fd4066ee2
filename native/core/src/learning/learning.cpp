// SPDX-License-Identifier: Apache-2.0
#include "learning/learning.hpp"

#include <cmath>

namespace fairlead::core {

namespace {
constexpr double kNoBudget_s = 0.1;  // until probes are affordable again
}  // namespace

Learning::Learning(const Job& job, Paths& paths, const Traffic& traffic, const Peers& peers)
    : job_(job),
      paths_(paths),
      traffic_(traffic),
      peers_(peers),
      learnt_(job.self, job.hosts, job.settings),
      of_(job.hosts) {
    for (HostId host = 0; host < job_.hosts; ++host) {
        if (const auto prior_s = paths_.base().latency_s(job_.path_to(host))) learnt_.set_prior(host, *prior_s);
    }
}

void Learning::advance(Time now, Random& random, Outbox& out) {
    if (!job_.learns || !job_.automatic) return;
    // In a large job paths that are not used would take all the probes that a host may send, for minutes.
    const bool others_wait = traffic_.pairs_in_use(now) > 0 || paths_.probes().host_share() > 1.0;
    const std::vector<HostId> due = learnt_.due(now);
    for (const bool in_use : {true, false}) {
        for (const HostId host : due) {
            if (traffic_.active(host, now) != in_use) continue;
            if (!peers_.up(host) || (!in_use && learnt_.known(host))) {
                learnt_.looked(host, now, random);
            } else if (others_wait && !in_use) {
                learnt_.postpone(host, now + 2.0 * job_.settings.learn.period_s);
            } else if (traffic_.sockets(host).in_flight_B() > 0 && !learnt_.urgent(host, now)) {
                learnt_.postpone(host, now + job_.settings.looks.period_s);
            } else if (!paths_.probes().affordable(host, now)) {
                learnt_.postpone(host, now + kNoBudget_s);
            } else {
                look(host, now, random, out);
            }
        }
    }
}

/// A burst on the direct path; a relay that is drawn at random measures the second leg of a detour.
void Learning::look(HostId host, Time now, Random& random, Outbox& out) {
    paths_.probes().burst(host, now, out.actions());
    learnt_.looked(host, now, random);
    of_[host].token = out.token();
    const std::size_t first = random.below(job_.hosts);
    int asked = 0;
    for (HostId step = 0; step < job_.hosts && asked < job_.settings.learn.relays; ++step) {
        const auto relay = static_cast<HostId>((first + step) % job_.hosts);
        if (!job_.other(relay) || relay == host || !peers_.up(relay)) continue;
        out.send(relay, wire::PathQuery{of_[host].token, host});
        ++asked;
    }
}

void Learning::on_burst(const Burst& burst, Time now, Outbox& out) {
    if (!job_.learns || 2 * burst.answered < burst.sent) return;
    const bool whole = burst.sent >= job_.settings.congestion_level.min_samples;
    learnt_.on_burst(burst.peer, paths_.probes().half_round_trip_s(burst.peer), whole, now);
    use(burst.peer, now, out);
}

void Learning::on_report(HostId relay, const wire::PathReport& report, Time now, Outbox& out) {
    if (!job_.learns || report.received == 0 || !plausible(report.half_round_trip_s)) return;
    if (of_[report.destination].token != report.token || relay == report.destination) return;
    const double first_s = paths_.probes().half_round_trip_s(relay);
    if (first_s <= 0.0 || report.half_round_trip_s <= 0.0) return;
    learnt_.on_detour(report.destination, first_s + report.half_round_trip_s + job_.settings.choice.relay_cost_s);
    use(report.destination, now, out);
}

void Learning::use(HostId host, Time now, Outbox& out) {
    const std::optional<double> base_s = learnt_.base_s(host);
    if (!base_s) return;
    // A lasting shift of the base stands until something new was learnt.
    if (*base_s != of_[host].used_base_s) {
        paths_.set_latency(host, *base_s, now);
        of_[host].used_base_s = *base_s;
    }
    paths_.probes().set_hidden(host, learnt_.hidden_s(host));
    report(host, false, out);
}

void Learning::report(HostId host, bool end, Outbox& out) {
    if (!learnt_.news(host, end)) return;
    learnt_.told(host);
    out.emit(BaseLearnt{job_.path_to(host), *learnt_.base_s(host), learnt_.hidden_s(host), traffic_.link_bps()});
}

void Learning::finish(HostId host, Outbox& out) {
    if (job_.learns && job_.other(host)) report(host, true, out);
}

Time Learning::next_due() const {
    return job_.learns && job_.automatic ? learnt_.next_due() : HUGE_VAL;
}

}  // namespace fairlead::core
