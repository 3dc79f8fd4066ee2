// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace fairlead {

// The clock of a run. All ranks call its functions together.
class Timing {
  public:
    Timing();  // set-up begins

    void end_set_up();

    // A timed section: `advance` is called with the numbers 1 to `iterations`. What `begin` does belongs to the
    // section, but to no iteration.
    void iterate(
        int iterations, const std::function<void(int)>& advance, const std::function<void()>& begin = [] {});

    double setup_s() const { return setup_s_; }                                // of the slowest rank
    double total_s() const { return total_s_; }                                // of the slowest rank, all sections
    const std::vector<double>& iterations_s() const { return iterations_s_; }  // of this rank

  private:
    double start_s_;
    double setup_s_ = 0.0;
    double total_s_ = 0.0;
    std::vector<double> iterations_s_;
};

}  // namespace fairlead
