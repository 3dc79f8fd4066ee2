// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/verdict.hpp"
#include "nbody/forces.hpp"
#include "nbody/plummer.hpp"

namespace fairlead::nbody {

// What the conservation laws speak of; sums over all particles.
struct Invariants {
    Vector momentum{};
    double momentum_scale = 0.0;  // sum of m |v|
    double energy = 0.0;
};

struct Outcome {
    Invariants start;
    Invariants end;
    double direct_error;           // largest deviation of an acceleration from the direct sum, see direct_sum_error
    std::uint64_t payload_errors;  // blocks whose payload arrived damaged
};

// Accelerations by the direct sum over `all`, one particle after the other, in the order of their numbers. Slow and
// plain: the reference for the ring.
std::vector<Vector> direct_sum(const Sources& all, const std::vector<std::size_t>& targets, double softening);

// Largest |computed - reference|, relative to the root mean square of |reference|. Vectors of equal length.
double direct_sum_error(const std::vector<Vector>& computed, const std::vector<Vector>& reference);

// At most `most` numbers out of 0 .. count-1, evenly spread.
std::vector<std::size_t> spread_sample(std::size_t count, std::size_t most);

// Momentum is conserved to rounding, energy to the error of the leapfrog, accelerations equal the direct sum to
// rounding, payloads arrive as they were sent.
Verdict verify(const Outcome& outcome);

}  // namespace fairlead::nbody
