// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fairlead::nbody {

using Vector = std::array<double, 3>;

struct Particle {
    Vector position;
    Vector velocity;
    double mass;
};

// A counter-based generator (splitmix64): the numbers of a particle depend on seed and particle only, so that the
// system is the same on any number of ranks.
class ParticleRandom {
  public:
    ParticleRandom(std::uint64_t seed, std::uint64_t particle);
    std::uint64_t bits();
    double operator()();  // in [0, 1)

  private:
    std::uint64_t state_;
};

// `count` particles of equal mass, a Plummer sphere in equilibrium, in units where the gravitational constant, the
// total mass and the Plummer radius are 1; sampled as Aarseth, Henon and Wielen (1974, Astron. Astrophys. 37, 183)
// describe, cut at radius 10, and shifted so that the centre of mass rests in the origin.
std::vector<Particle> plummer_sphere(int count, std::uint64_t seed);

}  // namespace fairlead::nbody
