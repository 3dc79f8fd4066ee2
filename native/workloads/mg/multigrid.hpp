// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <vector>

#include "mg/block.hpp"
#include "mg/halo.hpp"
#include "mg/problem.hpp"

namespace fairlead::mg {

// Poisson's equation on a periodic grid, by V-cycles over its levels (NAS report RNR-94-007, section 2.3). Every
// operator on every level is followed by one exchange of ghost points.
class Multigrid {
  public:
    // `perturbation` is added to one charge of the right-hand side.
    Multigrid(MPI_Comm comm, const Problem& problem, const RankBox& box, double perturbation);

    // The solution is 0 again, and the residual the right-hand side.
    void start();

    // One V-cycle and the residual after it.
    void advance();

    // Root mean square of the residual, the same on all ranks.
    double residual_norm() const;

  private:
    struct Level {
        Level(MPI_Comm comm, const RankBox& box, int rank, int points);

        Halo halo;
        Block solution;  // on coarser levels: the correction
        Block residual;
    };

    void update_residual(Level& level, const Block& right_side);
    void smooth_solution(Level& level);

    const Problem& problem_;
    std::vector<Level> levels_;  // the coarsest first
    Block right_side_;
};

}  // namespace fairlead::mg
