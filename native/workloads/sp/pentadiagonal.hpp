// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "flow/tile.hpp"

namespace fairlead::sp {

// The approximate factorisation in one direction after diagonalisation (NAS report RNR-94-007, section 3): for the
// characteristic variables on every line three scalar pentadiagonal matrices, one for the three variables that travel
// with the flow, one each for those that travel with and against sound. The right-hand side becomes the solution.
class Pentadiagonal {
  public:
    static constexpr flow::Index kReach = 2;

    // What elimination leaves of a row: row + a * (next row) + b * (the one after that) = right-hand side. a and b for
    // each of the three matrices.
    using Factors = std::array<double, 6>;

    explicit Pentadiagonal(double time_step) : time_step_(time_step) {}

    void eliminate(flow::Tile& tile, flow::Field<Factors>& factors, std::size_t direction) const;
    void substitute(flow::Tile& tile, const flow::Field<Factors>& factors, std::size_t direction) const;

  private:
    double time_step_;
};

// A row of a pentadiagonal matrix: coefficients of the rows -2 to +2 from it.
using Row = std::array<double, 5>;

// The three matrices' rows at a place of a line. `here` points into a tile's primitives.
std::array<Row, 3> rows_of(const flow::Primitive* here, flow::Index stride, std::size_t direction, flow::Index row,
                           flow::Index points, double time_step);

}  // namespace fairlead::sp
