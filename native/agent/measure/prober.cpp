// SPDX-License-Identifier: Apache-2.0
#include "measure/prober.hpp"

namespace fairlead::agent {

Prober::Prober(EventLoop& loop, UdpChannel& channel, const Clock& clock, core::HostId host_count)
    : loop_(loop), channel_(channel), clock_(clock), clocks_(host_count) {}

void Prober::burst(core::HostId peer, int count, double spacing_s, double timeout_s, Callback each) {
    const double start = monotonic_s();
    for (int i = 1; i < count; ++i) {
        loop_.at(start + i * spacing_s, [this, peer, timeout_s, each] { send_one(peer, timeout_s, each); });
    }
    if (count > 0) send_one(peer, timeout_s, std::move(each));
}

void Prober::send_one(core::HostId peer, double timeout_s, Callback callback) {
    const std::uint32_t sequence = next_sequence_++;
    Outstanding entry{
        .peer = peer, .sent_at_s = monotonic_s(), .t1_ns = clock_.now_ns(), .callback = std::move(callback)};
    const auto sent_ns = channel_.send(peer, core::wire::Probe{.sequence = sequence, .t1_ns = entry.t1_ns});
    // The stamp taken after sealing is nearer to the truth than the one that travels.
    if (sent_ns) entry.t1_ns = *sent_ns;
    ++sent_;
    entry.timer = loop_.after(timeout_s, [this, sequence] { lose(sequence); });
    outstanding_.emplace(sequence, std::move(entry));
}

void Prober::lose(std::uint32_t sequence) {
    const auto node = outstanding_.extract(sequence);
    const Outstanding& entry = node.mapped();
    ProbeOutcome outcome;
    outcome.peer = entry.peer;
    outcome.sent_at_s = entry.sent_at_s;
    outcome.lost = true;
    entry.callback(outcome);
}

void Prober::on_probe(core::HostId from, const core::wire::Probe& probe, std::int64_t received_ns) {
    channel_.send(from, core::wire::ProbeReply{.sequence = probe.sequence,
                                               .t1_ns = probe.t1_ns,
                                               .t2_ns = received_ns,
                                               .t3_ns = clock_.now_ns(),
                                               .run_delay_s = run_delay_s_,
                                               .padding_B = probe.padding_B});
    if (stepped_ && clocks_[from].contradicted_by(probe.t1_ns, received_ns)) stepped_(from);
}

void Prober::on_reply(core::HostId from, const core::wire::ProbeReply& reply, std::int64_t received_ns) {
    const auto found = outstanding_.find(reply.sequence);
    if (found == outstanding_.end() || found->second.peer != from) return;  // too late, told as lost before
    const core::Exchange exchange{found->second.t1_ns, reply.t2_ns, reply.t3_ns, received_ns};
    const auto queueing = clocks_[from].add(exchange);
    if (!queueing) return;  // stamps that cannot be true (a clock was set): it will count as lost
    const auto node = outstanding_.extract(found);
    const Outstanding& entry = node.mapped();
    loop_.cancel(entry.timer);
    entry.callback({.peer = from,
                    .sent_at_s = entry.sent_at_s,
                    .exchange = exchange,
                    .queueing = *queueing,
                    .peer_run_delay_s = reply.run_delay_s});
}

std::optional<double> Prober::free_departure_s(core::HostId peer, std::int64_t arrived_ns) const {
    const auto left_ns = peer_clock(peer).free_departure_ns(arrived_ns);
    if (!left_ns) return std::nullopt;
    const double now_s = monotonic_s();
    return now_s - static_cast<double>(clock_.now_ns() - *left_ns) * 1e-9;
}

}  // namespace fairlead::agent
