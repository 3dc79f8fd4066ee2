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

SharingRelation::SharingRelation(HostId host_count) : group_of_(each_alone(host_count)), apart_(true) {
    gather_members();
}

SharingRelation::SharingRelation(HostId host_count, std::vector<HostId> group_of)
    : group_of_(std::move(group_of)), apart_(false) {
    if (group_of_.size() != host_count)
        throw std::invalid_argument("sharing relation: a group for each host is needed");
    gather_members();
    fills_.resize(group_of_.size() * group_of_.size());
    fill_between_.resize(members_.size() * members_.size());
    fills_from_.resize(group_of_.size() * members_.size());
    fills_to_.resize(group_of_.size() * members_.size());
}

void SharingRelation::gather_members() {
    for (HostId host = 0; host < host_count(); ++host) {
        const HostId group = group_of_[host];
        if (group >= host_count()) throw std::invalid_argument("sharing relation: more groups than hosts");
        if (group >= members_.size()) members_.resize(group + std::size_t{1});
        members_[group].push_back(host);
    }
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
    const std::uint8_t before = filled;
    filled |= bit(what);
    const std::size_t groups = members_.size();
    count(fills_from_[injected.source * groups + group_of_[injected.destination]], Filled::of_source, before, filled);
    count(fills_to_[injected.destination * groups + group_of_[injected.source]], Filled::of_destination, before,
          filled);
}

void SharingRelation::count(EndFills& fills, Filled end, std::uint8_t before, std::uint8_t after) {
    const auto now_all = [&](int bits) { return (after & bits) == bits && (before & bits) != bits; };
    if (now_all(bit(end))) ++fills.all;
    if (now_all(bit(end) | bit(Filled::between_groups))) ++fills.between;
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
    if (!apart_ && fill_between_[cell] == 0) return false;
    for (const HostId source : members_[cell / members_.size()]) {
        for (const HostId destination : members_[cell % members_.size()]) {
            const Pair pair{source, destination};
            if (source != destination && fills(pair, Filled::between_groups) && each(pair)) return true;
        }
    }
    return false;
}

std::size_t SharingRelation::hurting_ends(Pair pair) const {
    if (apart_) return 0;
    const std::size_t groups = members_.size();
    const Cell own = cell_of(pair);
    std::size_t hurting = 0;
    const auto add = [&](const EndFills& fills, std::size_t cell) {
        hurting += fills.all - (cell_hurts(static_cast<Cell>(cell), own) ? fills.between : 0U);
    };
    for (std::size_t group = 0; group < groups; ++group) {
        add(fills_from_[pair.source * groups + group], group_of_[pair.source] * groups + group);
        add(fills_to_[pair.destination * groups + group], group * groups + group_of_[pair.destination]);
    }
    const bool by_other = fills(pair, Filled::between_groups) && cell_hurts(own, own);
    for (const Filled end : {Filled::of_source, Filled::of_destination}) {
        if (fills(pair, end) && !by_other) --hurting;  // the pair itself
    }
    return hurting;
}

double SharingRelation::weight(Pair pair) const {
    const std::size_t others = std::size_t{host_count()} * static_cast<std::size_t>(host_count() - 1);
    if (!known_ || !valid(pair, host_count()) || others < 2) return 0.0;
    const Cell own = cell_of(pair);
    std::size_t hurting = 0;
    for (const Cell cell : hurt_by_[own]) hurting += apart_ ? 1 : fill_between_[cell];
    if (fills(pair, Filled::between_groups) && cell_hurts(own, own)) --hurting;  // the pair itself
    hurting += hurting_ends(pair);
    return static_cast<double>(hurting) / static_cast<double>(others - 1);
}

bool SharingRelation::avoids(Pair direct, HostId relay) const {
    const Pair first{direct.source, relay};
    const Pair second{relay, direct.destination};
    if (!valid(direct, host_count()) || !valid(first, host_count()) || !valid(second, host_count())) return false;
    if (!known_) return true;
    // What fills the link of an end of the direct path hurts the leg at this end, too.
    const auto escapes = [&](Pair injected) { return !hurts(injected, first) && !hurts(injected, second); };
    if (escapes(direct)) return true;
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

std::vector<SharingRelation::Shared> SharingRelation::shared_by_groups(Pair pair) const {
    const std::size_t groups = members_.size();
    const bool fills_between = fills(pair, Filled::between_groups);
    std::vector<Shared> shared(groups);
    for (std::size_t of = 0; of < groups; ++of) {
        for (std::size_t to = 0; to < groups; ++to) {
            const auto cell = static_cast<Cell>(of * groups + to);
            const bool others = of != to || members_[to].size() > 1;
            if (fills_between && others && cell_hurts(cell_of(pair), cell)) shared[of].hurt = true;
            if (cell_hurts(cell, cell_of(pair))) shared[of].hurting.push_back(static_cast<HostId>(to));
        }
    }
    return shared;
}

bool SharingRelation::source_shares(HostId source, Pair pair, const Shared& of_group) const {
    if (of_group.hurt || shares({source, pair.destination}, pair)) return true;  // by the destination's link, too
    return std::ranges::any_of(of_group.hurting, [&](HostId group) {
        return std::ranges::any_of(members_[group], [&](HostId host) {
            return host != source && fills({source, host}, Filled::between_groups);
        });
    });
}

std::vector<HostId> SharingRelation::sources_sharing(Pair pair) const {
    std::vector<HostId> sources;
    if (!valid(pair, host_count())) return sources;
    const std::vector<Shared> shared = known_ ? shared_by_groups(pair) : std::vector<Shared>{};
    for (HostId host = 0; host < host_count(); ++host) {
        if (host == pair.source) continue;
        // Where nothing is known: whoever sends to the same destination.
        const bool shares = known_ ? source_shares(host, pair, shared[group_of_[host]]) : host != pair.destination;
        if (shares) sources.push_back(host);
    }
    return sources;
}

}  // namespace fairlead::core
