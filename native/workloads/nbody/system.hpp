// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "nbody/options.hpp"
#include "nbody/ring.hpp"
#include "nbody/verify.hpp"

namespace fairlead::nbody {

// This rank's share of the particles, moved by the leapfrog (kick, drift, kick). All functions are collective.
class System {
  public:
    explicit System(const Setup& setup);

    void step();

    Invariants invariants() const;

    // Deviation of the present accelerations from the direct sum, the largest over all ranks; of all particles when
    // they are few, else of a sample.
    double direct_error() const;

    // Adds to the first particle's acceleration, so that a test sees verification fail.
    void disturb(double acceleration) { field_.x.front() += acceleration; }

    const Ring& ring() const { return ring_; }

  private:
    System(const Setup& setup, const std::vector<Particle>& particles);
    static std::vector<Particle> own_particles(const Setup& setup);
    static Block own_block(const Setup& setup, const std::vector<Particle>& particles);
    void kick(double time);
    void drift(double time);
    Block gather() const;

    Setup setup_;
    Block own_;
    std::vector<Vector> velocity_;
    Field field_;
    Ring ring_;
};

}  // namespace fairlead::nbody
