// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/own_load.hpp"

#include <algorithm>
#include <limits>

namespace fairlead::core {

namespace {

/// For how long the entry's bytes occupy a link that the path uses as well; 0 where there is none.
double occupied_s(const SharedLink& shared, HostId source, const wire::LoadEntry& entry, std::uint64_t bytes_B) {
    const auto of = [&](Pair pair) {
        const std::optional<double> rate_bps = shared(pair);
        if (!rate_bps || bytes_B == 0) return 0.0;
        return *rate_bps > 0.0 ? 8.0 * static_cast<double>(bytes_B) / *rate_bps
                               : std::numeric_limits<double>::infinity();
    };
    if (entry.relay == kNoHost) return of(Pair{source, entry.destination});
    return std::max(of(Pair{source, entry.relay}), of(Pair{entry.relay, entry.destination}));
}

const wire::LoadEntry* entry_to(const LoadSnapshot::Source& source, HostId destination) {
    const auto found = std::find_if(source.entries.begin(), source.entries.end(),
                                    [&](const wire::LoadEntry& entry) { return entry.destination == destination; });
    return found != source.entries.end() ? &*found : nullptr;
}

}  // namespace

void LoadSnapshot::add(HostId source, std::span<const wire::LoadEntry> entries, Time at) {
    if (find(source) != nullptr) return;
    sources_.push_back(Source{source, at, std::vector<wire::LoadEntry>(entries.begin(), entries.end())});
}

const LoadSnapshot::Source* LoadSnapshot::find(HostId source) const {
    const auto found = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const Source& candidate) { return candidate.source == source; });
    return found != sources_.end() ? &*found : nullptr;
}

std::vector<OwnFlow> own_flows(const SharedLink& shared, const LoadSnapshot& first, const LoadSnapshot& second,
                               Time asked_at, double late_s) {
    std::vector<OwnFlow> flows;
    for (const LoadSnapshot::Source& end : second.sources()) {
        const LoadSnapshot::Source* begin = first.find(end.source);
        if (begin == nullptr) continue;
        const bool late = begin->at - asked_at > late_s;
        for (const wire::LoadEntry& entry : end.entries) {
            const wire::LoadEntry* before = entry_to(*begin, entry.destination);
            const std::uint64_t from_B = before == nullptr ? 0 : late ? before->earlier_B : before->delivered_B;
            const std::uint64_t passed_B = entry.delivered_B - std::min(from_B, entry.delivered_B);
            // A pair that changed its route meanwhile may have used both.
            const double was_s = before == nullptr ? 0.0 : occupied_s(shared, end.source, *before, passed_B);
            const double whole_s = std::max(was_s, occupied_s(shared, end.source, entry, passed_B));
            const HostId was = before == nullptr ? entry.relay : before->relay;
            const double under_way_s = occupied_s(shared, end.source, entry, entry.in_flight_B);
            if (whole_s + under_way_s <= 0.0) continue;
            flows.push_back(
                {{end.source, entry.destination}, entry.relay, was, passed_B, whole_s, whole_s + under_way_s});
        }
    }
    return flows;
}

double own_load_s(std::span<const OwnFlow> flows) {
    double sum_s = 0.0;
    for (const OwnFlow& flow : flows) sum_s += flow.most_s;
    return sum_s;
}

double foreign_share(double own_s, double busy_s) {
    if (busy_s <= 0.0) return own_s > 0.0 ? 0.0 : 1.0;
    return std::clamp(1.0 - own_s / busy_s, 0.0, 1.0);
}

}  // namespace fairlead::core
