// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <ostream>

namespace fairlead::sim {

namespace {

constexpr std::array<std::string_view, 10> kKinds = {"barrier", "bcast",     "reduce",   "allreduce",      "gather",
                                                     "scatter", "allgather", "alltoall", "reduce_scatter", "scan"};

std::string text(int value) {
    return value == kAny ? "any" : std::to_string(value);
}

/// The shortest decimals that are read back as the same number.
std::string text(double value) {
    std::array<char, 32> room{};
    const auto result = std::to_chars(room.data(), room.data() + room.size(), value);
    return {room.data(), result.ptr};
}

struct Writer {
    std::ostream& out;

    void operator()(const Compute& compute) const { out << "compute " << text(compute.duration_s); }
    void operator()(const Send& send) const { transfer("send", send); }
    void operator()(const Receive& receive) const { transfer("recv", receive); }
    void operator()(const Wait& wait) const {
        if (wait.request) {
            out << "wait " << *wait.request;
        } else {
            out << "waitall";
        }
    }
    void operator()(const Collective& collective) const {
        out << name(collective.kind);
        if (collective.kind != CollectiveKind::barrier) out << ' ' << collective.size_B;
        out << ' ' << collective.communicator;
        if (has_root(collective.kind)) out << ' ' << collective.root;
    }
    void transfer(const char* word, const Transfer& each) const {
        out << (each.request ? "i" : "") << word << ' ' << text(each.peer) << ' ' << each.size_B << ' '
            << text(each.tag) << ' ' << each.communicator;
        if (each.request) out << ' ' << *each.request;
    }
};

}  // namespace

Trace::Trace(int rank_count) : events(static_cast<std::size_t>(rank_count)) {
    std::vector<int> all(events.size());
    std::iota(all.begin(), all.end(), 0);
    communicators.emplace(kWorld, std::move(all));
}

std::string_view name(CollectiveKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<CollectiveKind> collective_kind(std::string_view name) {
    const auto found = std::find(kKinds.begin(), kKinds.end(), name);
    if (found == kKinds.end()) return std::nullopt;
    return static_cast<CollectiveKind>(found - kKinds.begin());
}

bool has_root(CollectiveKind kind) {
    return kind == CollectiveKind::bcast || kind == CollectiveKind::reduce || kind == CollectiveKind::gather ||
           kind == CollectiveKind::scatter;
}

void write_trace(const Trace& trace, std::ostream& out) {
    out << "fairlead-trace 1\nranks " << trace.ranks() << '\n';
    for (const auto& [id, members] : trace.communicators) {
        if (id == kWorld) continue;
        out << "communicator " << id;
        for (const int member : members) out << ' ' << member;
        out << '\n';
    }
    for (int rank = 0; rank < trace.ranks(); ++rank) {
        for (const TraceEvent& event : trace.events[static_cast<std::size_t>(rank)]) {
            out << rank << ' ';
            std::visit(Writer{out}, event.operation);
            out << '\n';
        }
    }
}

}  // namespace fairlead::sim
