// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "cg/grid.hpp"
#include "cg/matrix.hpp"

namespace fairlead::cg {

// Conjugate gradient on the distributed matrix (NAS report RNR-94-007, section 2.2.3; two-dimensional distribution and
// exchanges as in NPB 2). Vectors are this rank's piece. All communication is point to point: a product exchanges
// pieces with log2(columns) ranks of the row and one across the diagonal, a dot product one number with each of the
// row.
class Solver {
  public:
    Solver(MPI_Comm comm, Grid grid, CsrMatrix matrix);

    // Improves z = 0 towards A z = x with a fixed number of steps. Returns the residual ||x - A z||.
    double solve(std::span<const double> x, std::span<double> z);

    // Sum of `values` over the pieces, in place; bitwise the same on all ranks of equal hardware.
    void sum(std::span<double> values) const;

    double dot(std::span<const double> a, std::span<const double> b) const;

  private:
    // q = A p.
    void multiply(std::span<const double> p, std::span<double> q);

    // Sends `outgoing` to `partner` and receives as much as `incoming` holds; partner may be this rank.
    void exchange(int partner, std::span<const double> outgoing, std::span<double> incoming) const;

    MPI_Comm comm_;
    Grid grid_;
    CsrMatrix matrix_;
    std::vector<double> p_, q_, r_;
    std::vector<double> partial_;  // this block's share of the row's sum
    std::vector<double> received_;
};

}  // namespace fairlead::cg
