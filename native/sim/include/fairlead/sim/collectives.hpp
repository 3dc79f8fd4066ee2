// SPDX-License-Identifier: Apache-2.0
// Collective operations as messages, by the algorithms that MPI libraries use (Thakur, Rabenseifner and Gropp 2005).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/sim/trace.hpp"

namespace fairlead::sim {

/// A message to or from a member, by its place in the communicator.
struct Part {
    int peer = 0;
    std::uint64_t size_B = 0;
    friend bool operator==(const Part&, const Part&) = default;
};

/// What a rank sends and receives at the same time. Its next round begins when all of this is done.
struct Round {
    std::vector<Part> sends;
    std::vector<int> receives;  ///< from these members
};

/// The names of the algorithms for a kind; the first is taken where none is named.
const std::vector<std::string_view>& algorithms(CollectiveKind kind);

/// An algorithm for each kind.
using Algorithms = std::map<CollectiveKind, std::string>;

/// What member `self` of `members` does. `size_B` as in Collective, `root` a place in the communicator. Throws
/// std::invalid_argument for an algorithm that the kind does not have.
std::vector<Round> rounds(CollectiveKind kind, std::string_view algorithm, int members, int self, int root,
                          std::uint64_t size_B);

}  // namespace fairlead::sim
