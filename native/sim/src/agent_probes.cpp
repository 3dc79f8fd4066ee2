// SPDX-License-Identifier: Apache-2.0
// Probes: stamped at both ends by clocks that are off, answered when the peer's agent gets a core.
#include "agent.hpp"

namespace fairlead::sim {

using core::HostId;

namespace {

constexpr double kProbeTimeout_s = 0.25;

}  // namespace

void Agents::send_probes(Agent& agent, const core::SendProbes& probes) {
    for (int i = 0; i < probes.count; ++i) {
        events_.at(events_.now() + i * probes.spacing_s, [this, &agent, peer = probes.peer, burst = probes.burst] {
            when_running(agent, 0.0, [this, &agent, peer, burst] { probe(agent, peer, burst); });
        });
    }
}

void Agents::probe(Agent& agent, HostId peer, std::uint32_t burst) {
    if (agent.dead) return;
    ++probes_sent_;
    const auto sent = std::make_shared<Probe>();
    sent->from = agent.host;
    sent->peer = peer;
    sent->burst = burst;
    sent->sent_at = own_time(agent);
    sent->stamps.t1_ns = clock_ns(agent);
    events_.at(events_.now() + kProbeTimeout_s, [this, &agent, sent] {
        if (sent->ended) return;
        sent->ended = true;
        core::ProbeResult result;
        result.peer = sent->peer;
        result.burst = sent->burst;
        result.sent_at = sent->sent_at;
        result.lost = true;
        give(agent, result);
    });
    Agent& answering = this->agent(agent.job, peer);
    network_.send(direct(agent, peer), kProbe_B, [this, &answering, sent] { turn_round(answering, sent); }, {});
}

void Agents::turn_round(Agent& peer, const std::shared_ptr<Probe>& probe) {
    const std::int64_t arrived_ns = clock_ns(peer);
    when_running(peer, kStack_s, [this, &peer, probe, arrived_ns] {
        if (peer.dead) return;
        probe->stamps.t3_ns = clock_ns(peer);
        probe->stamps.t2_ns = settings_.kernel_stamps ? arrived_ns : probe->stamps.t3_ns;
        probe->peer_run_delay_s = peer.run_delay.last_poll_s();
        Agent& asking = agent(peer.job, probe->from);
        network_.send(direct(peer, asking.host), kProbe_B, [this, &asking, probe] { come_back(asking, probe); }, {});
    });
}

void Agents::come_back(Agent& agent, const std::shared_ptr<Probe>& probe) {
    const std::int64_t arrived_ns = clock_ns(agent);
    when_running(agent, kStack_s, [this, &agent, probe, arrived_ns] {
        probe->stamps.t4_ns = settings_.kernel_stamps ? arrived_ns : clock_ns(agent);
        finish(agent, *probe);
    });
}

void Agents::finish(Agent& agent, Probe& probe) {
    if (probe.ended) return;
    probe.ended = true;
    const auto queueing = agent.peers[probe.peer].add(probe.stamps);
    if (!queueing) return;
    core::ProbeResult result;
    result.peer = probe.peer;
    result.burst = probe.burst;
    result.sent_at = probe.sent_at;
    result.round_trip_s = queueing->round_trip_s;
    result.forward_queue_s = queueing->forward_s;
    result.backward_queue_s = queueing->backward_s;
    result.peer_run_delay_s = probe.peer_run_delay_s;
    give(agent, result);
}

}  // namespace fairlead::sim
