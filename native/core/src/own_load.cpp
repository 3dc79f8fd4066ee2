// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/own_load.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {

bool loads(Pair path, HostId source, const wire::LoadEntry& entry, const SharingRelation& sharing) {
    if (entry.relay == kNoHost) return sharing.shares(path, Pair{source, entry.destination});
    return sharing.shares(path, Pair{source, entry.relay}) ||
           sharing.shares(path, Pair{entry.relay, entry.destination});
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

double own_load_B(Pair path, const SharingRelation& sharing, const LoadSnapshot& first, const LoadSnapshot& second,
                  Time asked_at, double late_s) {
    double sum_B = 0.0;
    for (const LoadSnapshot::Source& end : second.sources()) {
        const LoadSnapshot::Source* begin = first.find(end.source);
        if (begin == nullptr) continue;
        const bool late = begin->at - asked_at > late_s;
        for (const wire::LoadEntry& entry : end.entries) {
            const wire::LoadEntry* before = entry_to(*begin, entry.destination);
            const bool counts = loads(path, end.source, entry, sharing) ||
                                (before != nullptr && loads(path, end.source, *before, sharing));
            if (!counts) continue;
            if (before == nullptr) continue;
            const std::uint64_t from_B = late ? before->earlier_B : before->delivered_B;
            if (entry.delivered_B > from_B) sum_B += static_cast<double>(entry.delivered_B - from_B);
        }
    }
    return sum_B;
}

double foreign_share(double own_B, double bottleneck_bps, double busy_s) {
    if (bottleneck_bps <= 0.0 || busy_s <= 0.0) return own_B > 0.0 ? 0.0 : 1.0;
    return std::clamp(1.0 - 8.0 * own_B / (bottleneck_bps * busy_s), 0.0, 1.0);
}

double needed_foreign_share(double counted_s, const OwnLoadSettings& settings) {
    const double range_s = settings.certain_s - settings.min_elapsed_s;
    const double certainty = range_s > 0.0 ? std::clamp((counted_s - settings.min_elapsed_s) / range_s, 0.0, 1.0) : 1.0;
    return settings.brief_share + certainty * (settings.foreign_share - settings.brief_share);
}

}  // namespace fairlead::core
