// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/jacobians.hpp"
#include "flow/tile.hpp"

namespace fairlead::bt {

// The approximate factorisation in one direction (NAS report RNR-94-007, section 3): on every line a tridiagonal
// matrix of 5 x 5 blocks. The right-hand side becomes the solution.
class BlockTridiagonal {
  public:
    static constexpr flow::Index kReach = 1;

    // What elimination leaves of a row: row + factors * (next row) = right-hand side.
    using Factors = flow::Matrix5;

    explicit BlockTridiagonal(double time_step) : time_step_(time_step) {}

    void eliminate(flow::Tile& tile, flow::Field<Factors>& factors, std::size_t direction) const;
    void substitute(flow::Tile& tile, const flow::Field<Factors>& factors, std::size_t direction) const;

  private:
    template <std::size_t kDirection>
    void eliminate_along(flow::Tile& tile, flow::Field<Factors>& factors) const;

    double time_step_;
};

// A row of blocks: what multiplies the row before, the row itself and the row after.
struct BlockRow {
    flow::Matrix5 before;
    flow::Matrix5 here;
    flow::Matrix5 after;
};

// The blocks at a place of a line. `u` and `w` point into a tile's fields.
template <std::size_t kDirection>
BlockRow block_row(const flow::State* u, const flow::Primitive* w, flow::Index stride, flow::Index points,
                   double time_step);

}  // namespace fairlead::bt
