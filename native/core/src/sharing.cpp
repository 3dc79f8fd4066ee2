// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/sharing.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

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

std::uint8_t bit(Filled what) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(what));
}

std::vector<HostId> each_alone(HostId host_count) {
    std::vector<HostId> group_of(host_count);
    std::iota(group_of.begin(), group_of.end(), HostId{0});
    return group_of;
}

}  // namespace

SharingRelation::SharingRelation(HostId host_count) : SharingRelation(host_count, each_alone(host_count)) {
    apart_ = true;
    fills_ = {};  // all fill a link between groups
    fill_between_ = {};
}

SharingRelation::SharingRelation(HostId host_count, std::vector<HostId> group_of)
    : group_of_(std::move(group_of)), apart_(false) {
    if (group_of_.size() != host_count)
        throw std::invalid_argument("sharing relation: a group for each host is needed");
    for (HostId host = 0; host < host_count; ++host) {
        const HostId group = group_of_[host];
        if (group >= host_count) throw std::invalid_argument("sharing relation: more groups than hosts");
        if (group >= members_.size()) members_.resize(group + std::size_t{1});
        members_[group].push_back(host);
    }
    fills_.resize(group_of_.size() * group_of_.size());
    fill_between_.resize(members_.size() * members_.size());
}

SharingRelation::Cell SharingRelation::cell_of(Pair pair) const {
    return static_cast<Cell>(group_of_[pair.source] * members_.size() + group_of_[pair.destination]);
}

void SharingRelation::set_hurts(Pair injected, Pair hurt) {
    for (const Pair cell : {injected, hurt}) {
        const bool inside = cell.source < members_.size() && cell.destination < members_.size();
        if (!inside || (apart_ && cell.source == cell.destination)) {
            throw std::invalid_argument("sharing relation: a pair of hosts or groups outside the job");
        }
    }
    const auto index = [this](Pair cell) {
        return static_cast<Cell>(cell.source * members_.size() + cell.destination);
    };
    known_ = true;
    hurt_by_.resize(members_.size() * members_.size());
    if (apart_ && injected == hurt) return;  // holds for every pair, see hurts()
    insert(hurt_by_[index(hurt)], index(injected));
}

void SharingRelation::set_fills(Pair injected, Filled what) {
    if (apart_ || !valid(injected, host_count())) {
        throw std::invalid_argument("sharing relation: a pair of hosts outside the job");
    }
    known_ = true;
    hurt_by_.resize(members_.size() * members_.size());
    std::uint8_t& filled = fills_[pair_index(injected, host_count())];
    if (what == Filled::between_groups && (filled & bit(what)) == 0) ++fill_between_[cell_of(injected)];
    filled |= bit(what);
}

bool SharingRelation::fills(Pair pair, Filled what) const {
    if (apart_) return what == Filled::between_groups;
    return (fills_[pair_index(pair, host_count())] & bit(what)) != 0;
}

bool SharingRelation::cell_hurts(Cell injected, Cell hurt) const {
    return contains(hurt_by_[hurt], injected);
}

bool SharingRelation::hurts(Pair injected, Pair hurt) const {
    if (!valid(injected, host_count()) || !valid(hurt, host_count())) return false;
    if (injected == hurt) return true;
    if (!known_) return same_end(injected, hurt);
    if (injected.source == hurt.source && fills(injected, Filled::of_source)) return true;
    if (injected.destination == hurt.destination && fills(injected, Filled::of_destination)) return true;
    return fills(injected, Filled::between_groups) && cell_hurts(cell_of(injected), cell_of(hurt));
}

template <typename Each>
bool SharingRelation::any_between(Cell cell, Each each) const {
    for (const HostId source : members_[cell / members_.size()]) {
        for (const HostId destination : members_[cell % members_.size()]) {
            const Pair pair{source, destination};
            if (source != destination && fills(pair, Filled::between_groups) && each(pair)) return true;
        }
    }
    return false;
}

template <typename Each>
bool SharingRelation::any_of_ends(Pair hurt, Each each) const {
    if (apart_) return false;
    for (HostId host = 0; host < host_count(); ++host) {
        const Pair same_source{hurt.source, host};
        const Pair same_destination{host, hurt.destination};
        for (const auto& [pair, what] :
             {std::pair{same_source, Filled::of_source}, std::pair{same_destination, Filled::of_destination}}) {
            if (!valid(pair, host_count()) || pair == hurt || !fills(pair, what)) continue;
            if (fills(pair, Filled::between_groups) && cell_hurts(cell_of(pair), cell_of(hurt))) continue;
            if (each(pair)) return true;
        }
    }
    return false;
}

double SharingRelation::weight(Pair pair) const {
    const std::size_t others = std::size_t{host_count()} * static_cast<std::size_t>(host_count() - 1);
    if (!known_ || !valid(pair, host_count()) || others < 2) return 0.0;
    const Cell own = cell_of(pair);
    std::size_t hurting = 0;
    for (const Cell cell : hurt_by_[own]) hurting += apart_ ? 1 : fill_between_[cell];
    if (fills(pair, Filled::between_groups) && cell_hurts(own, own)) --hurting;  // the pair itself
    any_of_ends(pair, [&](Pair) {
        ++hurting;
        return false;
    });
    return static_cast<double>(hurting) / static_cast<double>(others - 1);
}

bool SharingRelation::avoids(Pair direct, HostId relay) const {
    const Pair first{direct.source, relay};
    const Pair second{relay, direct.destination};
    if (!valid(direct, host_count()) || !valid(first, host_count()) || !valid(second, host_count())) return false;
    if (!known_) return true;
    const auto escapes = [&](Pair injected) { return !hurts(injected, first) && !hurts(injected, second); };
    if (escapes(direct) || any_of_ends(direct, escapes)) return true;
    const Cell legs[] = {cell_of(first), cell_of(second)};
    return std::ranges::any_of(hurt_by_[cell_of(direct)], [&](Cell cell) {
        const bool hurts_a_leg = std::ranges::any_of(legs, [&](Cell leg) { return cell_hurts(cell, leg); });
        return !hurts_a_leg && any_between(cell, [&](Pair pair) { return pair != direct && escapes(pair); });
    });
}

std::vector<std::size_t> SharingRelation::path_groups(Pair direct) const {
    std::vector<std::size_t> group_of(host_count(), 0);
    std::vector<HostId> first_of;  // the first relay of each path group stands for all of them
    for (HostId relay = 0; relay < host_count(); ++relay) {
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

bool SharingRelation::source_shares(HostId source, Pair pair) const {
    if (shares({source, pair.destination}, pair)) return true;  // by the destination's link, too
    const bool fills_between = fills(pair, Filled::between_groups);
    for (HostId group = 0; group < members_.size(); ++group) {
        const auto cell = static_cast<Cell>(group_of_[source] * members_.size() + group);
        const bool hurt = fills_between && cell_hurts(cell_of(pair), cell);
        const bool hurting = cell_hurts(cell, cell_of(pair));
        if (!hurt && !hurting) continue;
        for (const HostId host : members_[group]) {
            if (host != source && (hurt || fills({source, host}, Filled::between_groups))) return true;
        }
    }
    return false;
}

std::vector<HostId> SharingRelation::sources_sharing(Pair pair) const {
    std::vector<HostId> sources;
    if (!valid(pair, host_count())) return sources;
    for (HostId host = 0; host < host_count(); ++host) {
        if (host == pair.source) continue;
        // Where nothing is known: whoever sends to the same destination.
        if (known_ ? source_shares(host, pair) : host != pair.destination) sources.push_back(host);
    }
    return sources;
}

}  // namespace fairlead::core
