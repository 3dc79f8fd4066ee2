// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/collectives.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

namespace fairlead::sim {

namespace {

struct Member {
    int count = 0;
    int self = 0;
    int root = 0;
    std::uint64_t size_B = 0;

    int at(int distance) const { return ((self + distance) % count + count) % count; }
    /// One of `count` shares of the size.
    std::uint64_t share_B() const {
        const auto members = static_cast<std::uint64_t>(count);
        return (size_B + members - 1) / members;
    }
};

using Rounds = std::vector<Round>;

Rounds dissemination(const Member& m) {
    Rounds all;
    for (int distance = 1; distance < m.count; distance *= 2) {
        all.push_back({{{m.at(distance), m.size_B}}, {m.at(-distance)}});
    }
    return all;
}

/// From the root: who has it passes it on to who is half as far away each time.
Rounds binomial_tree(const Member& m) {
    Rounds all;
    const int place = ((m.self - m.root) % m.count + m.count) % m.count;
    const auto member = [&m](int at) { return (at + m.root) % m.count; };
    int distance = 1;
    for (; distance < m.count; distance *= 2) {
        if ((place & distance) == 0) continue;
        all.push_back({{}, {member(place - distance)}});
        break;
    }
    for (distance /= 2; distance > 0; distance /= 2) {
        if (place + distance < m.count) all.push_back({{{member(place + distance), m.size_B}}, {}});
    }
    return all;
}

/// To the root: the tree the other way round.
Rounds binomial_reduction(const Member& m) {
    Rounds all = binomial_tree(m);
    std::reverse(all.begin(), all.end());
    for (Round& round : all) {
        if (round.sends.empty()) {
            round.sends.push_back({round.receives.front(), m.size_B});
            round.receives.clear();
        } else {
            round.receives.push_back(round.sends.front().peer);
            round.sends.clear();
        }
    }
    return all;
}

Rounds from_root(const Member& m) {
    Round round;
    if (m.self != m.root) {
        round.receives.push_back(m.root);
    } else {
        for (int i = 1; i < m.count; ++i) round.sends.push_back({m.at(i), m.size_B});
    }
    return {round};
}

Rounds to_root(const Member& m) {
    Round round;
    if (m.self != m.root) {
        round.sends.push_back({m.root, m.size_B});
    } else {
        for (int i = 1; i < m.count; ++i) round.receives.push_back(m.at(i));
    }
    return {round};
}

/// Where their number is no power of two, the first members of even place hand over to their neighbours before it, and
/// get the result after it.
Rounds recursive_doubling(const Member& m) {
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(m.count)));
    const int extra = m.count - power;
    const bool paired = m.self < 2 * extra;
    if (paired && m.self % 2 == 0) return {{{{m.self + 1, m.size_B}}, {}}, {{}, {m.self + 1}}};
    Rounds all;
    if (paired) all.push_back({{}, {m.self - 1}});
    const int place = paired ? m.self / 2 : m.self - extra;
    for (int distance = 1; distance < power; distance *= 2) {
        const int other = place ^ distance;
        const int peer = other < extra ? 2 * other + 1 : other + extra;
        all.push_back({{{peer, m.size_B}}, {peer}});
    }
    if (paired) all.push_back({{{m.self - 1, m.size_B}}, {}});
    return all;
}

Rounds around(const Member& m, int times, std::uint64_t part_B) {
    return Rounds(static_cast<std::size_t>(times), Round{{{m.at(1), part_B}}, {m.at(-1)}});
}

/// The shares are summed up once around, and passed on once around.
Rounds ring_allreduce(const Member& m) {
    return around(m, 2 * (m.count - 1), m.share_B());
}

Rounds ring_allgather(const Member& m) {
    return around(m, m.count - 1, m.size_B);
}

Rounds pairwise(const Member& m, std::uint64_t part_B) {
    Rounds all;
    for (int distance = 1; distance < m.count; ++distance)
        all.push_back({{{m.at(distance), part_B}}, {m.at(-distance)}});
    return all;
}

Rounds pairwise_alltoall(const Member& m) {
    return pairwise(m, m.size_B);
}

Rounds pairwise_reduce_scatter(const Member& m) {
    return pairwise(m, m.share_B());
}

/// Everybody to everybody at once.
Rounds linear(const Member& m) {
    Round round;
    for (int distance = 1; distance < m.count; ++distance) {
        round.sends.push_back({m.at(distance), m.size_B});
        round.receives.push_back(m.at(-distance));
    }
    return {round};
}

Rounds chain(const Member& m) {
    Rounds all;
    if (m.self > 0) all.push_back({{}, {m.self - 1}});
    if (m.self + 1 < m.count) all.push_back({{{m.self + 1, m.size_B}}, {}});
    return all;
}

struct Algorithm {
    CollectiveKind kind;
    std::string_view name;
    Rounds (*rounds)(const Member&);
};

constexpr Algorithm kAlgorithms[] = {
    {CollectiveKind::barrier, "dissemination", dissemination},
    {CollectiveKind::bcast, "binomial", binomial_tree},
    {CollectiveKind::bcast, "linear", from_root},
    {CollectiveKind::reduce, "binomial", binomial_reduction},
    {CollectiveKind::reduce, "linear", to_root},
    {CollectiveKind::allreduce, "recursive-doubling", recursive_doubling},
    {CollectiveKind::allreduce, "ring", ring_allreduce},
    {CollectiveKind::gather, "linear", to_root},
    {CollectiveKind::scatter, "linear", from_root},
    {CollectiveKind::allgather, "ring", ring_allgather},
    {CollectiveKind::allgather, "linear", linear},
    {CollectiveKind::alltoall, "pairwise", pairwise_alltoall},
    {CollectiveKind::alltoall, "linear", linear},
    {CollectiveKind::reduce_scatter, "pairwise", pairwise_reduce_scatter},
    {CollectiveKind::scan, "chain", chain},
};

}  // namespace

const std::vector<std::string_view>& algorithms(CollectiveKind kind) {
    static const auto by_kind = [] {
        std::map<CollectiveKind, std::vector<std::string_view>> names;
        for (const Algorithm& each : kAlgorithms) names[each.kind].push_back(each.name);
        return names;
    }();
    return by_kind.at(kind);
}

std::vector<Round> rounds(CollectiveKind kind, std::string_view algorithm, int members, int self, int root,
                          std::uint64_t size_B) {
    for (const Algorithm& each : kAlgorithms) {
        if (each.kind != kind || each.name != algorithm) continue;
        if (members == 1) return {};
        return each.rounds({members, self, root, kind == CollectiveKind::barrier ? 0 : size_B});
    }
    throw std::invalid_argument(std::string(name(kind)) + " has no algorithm '" + std::string(algorithm) + "'");
}

}  // namespace fairlead::sim
