// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/sharing.hpp"

#include <algorithm>
#include <stdexcept>

namespace fairlead::core {

namespace {

bool contains(const std::vector<std::uint32_t>& sorted, std::uint32_t value) {
    return std::binary_search(sorted.begin(), sorted.end(), value);
}

void insert(std::vector<std::uint32_t>& sorted, std::uint32_t value) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
    if (place == sorted.end() || *place != value) sorted.insert(place, value);
}

bool same_end(Pair a, Pair b) {
    return a.source == b.source || a.destination == b.destination;
}

}  // namespace

SharingRelation::SharingRelation(HostId host_count) : host_count_(host_count) {}

std::uint32_t SharingRelation::index(Pair pair) const {
    return static_cast<std::uint32_t>(pair_index(pair, host_count_));
}

void SharingRelation::set_hurts(Pair injected, Pair hurt) {
    if (!valid(injected, host_count_) || !valid(hurt, host_count_)) {
        throw std::invalid_argument("sharing relation: a pair of hosts outside the job");
    }
    if (!known_) {
        const std::size_t pairs = static_cast<std::size_t>(host_count_) * host_count_;
        hurt_by_.resize(pairs);
        sharing_.resize(pairs);
        known_ = true;
    }
    if (injected == hurt) return;  // holds for every pair, see hurts()
    insert(hurt_by_[index(hurt)], index(injected));
    insert(sharing_[index(hurt)], index(injected));
    insert(sharing_[index(injected)], index(hurt));
}

bool SharingRelation::hurts(Pair injected, Pair hurt) const {
    if (!valid(injected, host_count_) || !valid(hurt, host_count_)) return false;
    if (injected == hurt) return true;
    if (!known_) return same_end(injected, hurt);
    return contains(hurt_by_[index(hurt)], index(injected));
}

double SharingRelation::weight(Pair pair) const {
    const std::size_t others = static_cast<std::size_t>(host_count_) * static_cast<std::size_t>(host_count_ - 1);
    if (!known_ || !valid(pair, host_count_) || others < 2) return 0.0;
    return static_cast<double>(hurt_by_[index(pair)].size()) / static_cast<double>(others - 1);
}

bool SharingRelation::avoids(Pair direct, HostId relay) const {
    const Pair first{direct.source, relay};
    const Pair second{relay, direct.destination};
    if (!valid(direct, host_count_) || !valid(first, host_count_) || !valid(second, host_count_)) return false;
    if (!known_) return true;
    const std::vector<std::uint32_t>& hurt_first = hurt_by_[index(first)];
    const std::vector<std::uint32_t>& hurt_second = hurt_by_[index(second)];
    const auto escapes = [&](std::uint32_t injected) {
        // An injection on a leg itself hurts that leg.
        return injected != index(first) && injected != index(second) && !contains(hurt_first, injected) &&
               !contains(hurt_second, injected);
    };
    const std::vector<std::uint32_t>& hurt_direct = hurt_by_[index(direct)];
    return escapes(index(direct)) || std::any_of(hurt_direct.begin(), hurt_direct.end(), escapes);
}

std::vector<std::size_t> SharingRelation::path_groups(Pair direct) const {
    std::vector<std::size_t> group_of(host_count_, 0);
    std::vector<HostId> first_of;  // the first relay of each path group stands for all of them
    for (HostId relay = 0; relay < host_count_; ++relay) {
        if (relay == direct.source || relay == direct.destination || !avoids(direct, relay)) continue;
        const auto same = std::find_if(first_of.begin(), first_of.end(), [&](HostId other) {
            return shares({direct.source, relay}, {direct.source, other}) ||
                   shares({relay, direct.destination}, {other, direct.destination});
        });
        group_of[relay] = static_cast<std::size_t>(same - first_of.begin());
        if (same == first_of.end()) first_of.push_back(relay);
    }
    return group_of;
}

std::vector<HostId> SharingRelation::sources_sharing(Pair pair) const {
    std::vector<HostId> sources;
    if (!valid(pair, host_count_)) return sources;
    if (!known_) {  // whoever sends to the same destination
        for (HostId host = 0; host < host_count_; ++host) {
            if (host != pair.source && host != pair.destination) sources.push_back(host);
        }
        return sources;
    }
    for (const std::uint32_t other : sharing_[index(pair)]) {
        const auto source = static_cast<HostId>(other / host_count_);
        if (source != pair.source && (sources.empty() || sources.back() != source)) sources.push_back(source);
    }
    return sources;
}

}  // namespace fairlead::core
