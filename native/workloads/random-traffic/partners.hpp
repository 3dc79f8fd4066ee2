// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace fairlead::random_traffic {

// The partner of every rank in a round: a random pairing drawn from seed and round alone, so that all ranks draw the
// same one without talking. With an odd number of ranks one is its own partner and rests.
std::vector<int> draw_partners(int ranks, std::uint64_t seed, std::uint64_t round);

}  // namespace fairlead::random_traffic
