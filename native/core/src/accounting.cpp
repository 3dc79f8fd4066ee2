// SPDX-License-Identifier: Apache-2.0
// The job's own bytes against a queue that a search has found: asked for twice, counted over the time that probes
// prove.
#include <algorithm>
#include <functional>

#include "state.hpp"

namespace fairlead::core {

namespace {

constexpr std::size_t kMaxLoadsAwaited = 32;

}  // namespace

/// Asks this host's own sockets and every host whose pairs share a bottleneck with the path.
void Controller::State::ask_loads(HostId host, Search& search) {
    search.load_token = next_token_++;
    search.loads_deadline = now_ + settings_.own_load.answer_timeout_s;
    search.loads_awaited.assign(1, self_);
    answer(self_, wire::LoadQuery{search.load_token});
    const auto ask = [&](HostId source) {
        if (!other(source) || !peers_[source].heard || peers_[source].down) return;
        if (peers_[source].loads_unanswered >= settings_.own_load.max_unanswered) return;
        if (search.loads_awaited.size() > kMaxLoadsAwaited) return;
        if (std::ranges::find(search.loads_awaited, source) != search.loads_awaited.end()) return;
        search.loads_awaited.push_back(source);
        send(source, wire::LoadQuery{search.load_token});
    };
    std::ranges::for_each(sharing_.sources_sharing(path_to(host)), ask);
    // Detours over this host: their sources may share nothing with the path themselves.
    for (const Pair& detoured : relay_desk_.granted()) {
        if (shared_bps(host, Pair{self_, detoured.destination})) ask(detoured.source);
    }
}

void Controller::State::take_load(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries) {
    for (Destination& destination : destinations_) {
        if (!destination.search || destination.search->load_token != token) continue;
        Search& search = *destination.search;
        (search.second_round ? search.loads_second : search.loads_first).add(source, entries, now_);
        std::erase(search.loads_awaited, source);
    }
}

bool Controller::State::loads_complete(const Search& search) const {
    return search.loads_awaited.empty() || now_ >= search.loads_deadline;
}

/// Hosts asked that are not in both snapshots.
std::vector<HostId> Controller::State::loads_missing(const Search& search) const {
    std::vector<HostId> missing = search.loads_awaited;
    for (const LoadSnapshot::Source& source : search.loads_second.sources()) {
        if (search.loads_first.find(source.source) == nullptr) missing.push_back(source.source);
    }
    return missing;
}

/// Another pair's search has counted on the same bottleneck; 0: it has not counted.
void Controller::State::hear_foreign(Destination& destination, double share) const {
    if (share <= 0.0) return;
    destination.told_foreign = share;
    destination.told_foreign_at = now_;
}

/// Others' share of the traffic on the path's bottleneck, if another pair's search has counted it just now.
double Controller::State::told_foreign(HostId host) const {
    const Destination& destination = destinations_[host];
    return now_ - destination.told_foreign_at <= settings_.own_load.told_s ? destination.told_foreign : 0.0;
}

/// Too little time to tell the job's bytes from others', or a host did not answer: the bytes are counted for longer,
/// while the direct path goes on being probed.
bool Controller::State::count_again(HostId host, Search& search) {
    if (search.silent || search.recounts >= settings_.own_load.max_recounts) return false;
    if (probes_.forward(host, search.started).typical_s < threshold_s(host) && !search.by_rate) return false;
    const bool missing = !loads_missing(search).empty();
    const bool brief = busy_s(host, search) < settings_.own_load.min_busy_s;
    const double counted = counted_s(search);
    const bool broken = probes_.forward(host, search.started).low_s < threshold_s(host);
    const double share = std::max(foreign_part(host, search), told_foreign(host));
    const bool unsure =
        !search.by_rate && ((broken && counted < settings_.own_load.broken_s) ||
                            (share < settings_.own_load.foreign_share && counted < settings_.own_load.certain_s));
    if (!missing && !brief && !unsure) return false;
    ++search.recounts;
    search.count_at = now_ + settings_.own_load.min_elapsed_s;
    search.second_round = false;
    search.loads_second.clear();
    if (missing) {
        search.loads_first.clear();
        search.counted_from = now_;
        ask_loads(host, search);
    }
    return true;
}

/// For how long the job's bytes were counted: after the last of the first reports (late ones are replaced by earlier
/// counters) until this host's second.
double Controller::State::counted_s(const Search& search) const {
    const LoadSnapshot::Source* end = search.loads_second.find(self_);
    if (end == nullptr) return 0.0;
    Time begin = search.counted_from;
    for (const LoadSnapshot::Source& source : search.loads_first.sources()) {
        if (source.source == self_ || source.at - search.counted_from <= settings_.own_load.late_answer_s)
            begin = std::max(begin, source.at);
    }
    return std::max(0.0, end->at - begin);
}

/// How long the queue is known to have stood meanwhile: only where probes prove it, between them the job's own bursts
/// may come and go.
double Controller::State::busy_s(HostId host, const Search& search) const {
    const double counted = counted_s(search);
    const LoadSnapshot::Source* end = search.loads_second.find(self_);
    if (end == nullptr || search.by_rate) return counted;
    return probes_.standing_s(host, end->at - counted, end->at);
}

double Controller::State::bottleneck_bps(HostId destination) const {
    if (const auto known = base_.throughput_bps(path_to(destination))) return *known;
    return std::max(destinations_[destination].delivery_bps, destinations_[destination].sockets.best_rate_bps());
}

/// The link that another pair's packets load and this path's may queue at. Pairs that traffic on this path hurts pass
/// its own bottleneck. Pairs that only hurt it do so at a link of theirs that is wider: two hosts of one switch fill
/// the first link of a path whose bottleneck is a trunk.
std::optional<double> Controller::State::shared_bps(HostId host, Pair pair) const {
    const Pair path = path_to(host);
    // Where bottlenecks are not known, pairs of one end share the link of that host.
    if (learns_ && pair != path && sharing_.hurts(path, pair)) return std::max(link_bps_, bottleneck_bps(host));
    if (sharing_.hurts(path, pair)) return bottleneck_bps(host);
    if (!sharing_.hurts(pair, path)) return std::nullopt;
    const double own_bps = bottleneck_bps(host);
    return std::max(own_bps, base_.throughput_bps(pair).value_or(own_bps));
}

/// The job's own pairs on the links where the path's packets may queue.
std::vector<OwnFlow> Controller::State::sharing_flows(HostId host, const Search& search) const {
    const auto shared = [&](Pair pair) { return shared_bps(host, pair); };
    return own_flows(shared, search.loads_first, search.loads_second, search.counted_from,
                     settings_.own_load.late_answer_s);
}

/// Those that passed the path's own bottleneck and carried most, for the report.
std::vector<FlowRate> Controller::State::largest_flows(HostId host, const Search& search) const {
    constexpr std::size_t kMostFlows = 16;
    const double counted = counted_s(search);
    std::vector<OwnFlow> flows = sharing_flows(host, search);
    std::erase_if(flows, [&](const OwnFlow& flow) {
        const auto passes = [&](Pair pair) { return sharing_.hurts(path_to(host), pair); };
        const HostId relay = flow.relay;
        const bool there = relay == kNoHost
                               ? passes(flow.pair)
                               : passes({flow.pair.source, relay}) || passes({relay, flow.pair.destination});
        return !there || flow.size_B == 0;
    });
    std::ranges::sort(flows, std::greater<>{}, &OwnFlow::size_B);
    std::vector<FlowRate> rates;
    for (const OwnFlow& flow : flows) {
        if (rates.size() == kMostFlows || counted <= 0.0) break;
        rates.push_back({flow.pair, flow.relay, 8.0 * static_cast<double>(flow.size_B) / counted});
    }
    return rates;
}

/// The pair that should leave the path's bottleneck before this one does: it carries much more, or about as much and
/// comes first by number; it is there, or left meanwhile; and without it the queue drains soon. Where others would take
/// what it leaves, its share is small and the queue takes long to drain: then nobody is waited for.
std::optional<Pair> Controller::State::first_to_leave(HostId host, const Search& search) const {
    const double counted = counted_s(search);
    if (!sharing_.known() || search.silent || search.by_rate || counted <= 0.0) return std::nullopt;
    const Pair path = path_to(host);
    const std::vector<OwnFlow> flows = sharing_flows(host, search);
    const auto own = std::ranges::find(flows, path, &OwnFlow::pair);
    const double own_B = own == flows.end() ? 0.0 : static_cast<double>(own->size_B);
    const double alike = settings_.choice.alike_share;
    for (const OwnFlow& flow : flows) {
        if (flow.pair == path || flow.before != kNoHost || !sharing_.hurts(path, flow.pair)) continue;
        const auto size_B = static_cast<double>(flow.size_B);
        const bool earlier = pair_index(flow.pair, hosts_) < pair_index(path, hosts_);
        const bool first = alike * size_B > own_B || (earlier && size_B >= alike * own_B);
        const double drained_s = search.decision.queue_delay_s * counted / flow.occupied_s;
        if (first && drained_s <= settings_.choice.settle_s &&
            std::ranges::find(destinations_[host].gave_way_to, flow.pair) == destinations_[host].gave_way_to.end())
            return flow.pair;
    }
    return std::nullopt;
}

/// What others have sent into the path's bottleneck meanwhile, at least. Without candidates nobody was asked, and there
/// is nothing to decide either.
double Controller::State::foreign_part(HostId host, const Search& search) const {
    return foreign_share(own_load_s(sharing_flows(host, search)), busy_s(host, search));
}

}  // namespace fairlead::core
