// SPDX-License-Identifier: Apache-2.0
// What the ranks of a program do, one event a line: docs/guides/simulate.md has the format.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fairlead::sim {

inline constexpr int kMaxRanks = 4096;
inline constexpr std::uint64_t kMaxSize_B = std::uint64_t{1} << 40;  ///< of a message or block
inline constexpr double kMaxCompute_s = 1e6;                         ///< of one event
inline constexpr int kAny = -1;  ///< of a receive: from whichever rank, with whichever tag

using CommunicatorId = std::uint32_t;
inline constexpr CommunicatorId kWorld = 0;

struct Compute {
    double duration_s = 0.0;
    friend bool operator==(const Compute&, const Compute&) = default;
};

/// A message to or from a rank of the world.
struct Transfer {
    int peer = 0;
    std::uint64_t size_B = 0;  ///< of a receive: at most
    int tag = 0;
    CommunicatorId communicator = kWorld;
    std::optional<int> request;  ///< of a non-blocking one: what a wait names it by
    friend bool operator==(const Transfer&, const Transfer&) = default;
};
struct Send : Transfer {};
struct Receive : Transfer {};

/// For one request, or (nothing) for all that are open.
struct Wait {
    std::optional<int> request;
    friend bool operator==(const Wait&, const Wait&) = default;
};

enum class CollectiveKind : std::uint8_t {
    barrier,
    bcast,
    reduce,
    allreduce,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce_scatter,
    scan,
};
std::string_view name(CollectiveKind kind);
std::optional<CollectiveKind> collective_kind(std::string_view name);
/// Whether one rank differs from the others.
bool has_root(CollectiveKind kind);

struct Collective {
    CollectiveKind kind = CollectiveKind::barrier;
    std::uint64_t size_B = 0;  ///< gather, scatter, allgather, alltoall: of one block; else of the whole
    CommunicatorId communicator = kWorld;
    int root = 0;  ///< a rank of the world
    friend bool operator==(const Collective&, const Collective&) = default;
};

using Operation = std::variant<Compute, Send, Receive, Wait, Collective>;

struct TraceEvent {
    Operation operation;
    std::uint32_t line = 0;  ///< where it stands, from 1; 0: in no file
};

struct Trace {
    explicit Trace(int rank_count);

    int ranks() const { return static_cast<int>(events.size()); }
    void add(int rank, Operation operation) { events[static_cast<std::size_t>(rank)].push_back({operation, 0}); }

    std::map<CommunicatorId, std::vector<int>> communicators;  ///< their members, ranks of the world; kWorld: all
    std::vector<std::vector<TraceEvent>> events;               ///< by rank
};

/// What is wrong, with file and line.
struct TraceError : std::runtime_error {
    TraceError(const std::string& file, std::size_t line, const std::string& what)
        : std::runtime_error(file + ":" + std::to_string(line) + ": " + what) {}
};

/// Throws TraceError. `file` is its name in messages.
Trace read_trace(std::istream& in, const std::string& file);

void write_trace(const Trace& trace, std::ostream& out);

}  // namespace fairlead::sim
