// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cg/matrix.hpp"

namespace fairlead::cg {

// The two-dimensional grid of ranks over the matrix, for a power of two of ranks: as many columns as rows, or twice as
// many. Ranks are numbered along the rows. The vectors are cut into `columns` pieces; the rank at (row, column) holds
// piece `column` of all of them (so each piece is held by `rows` ranks) and the block of the matrix whose columns are
// that piece. A row of blocks is one piece high on a square grid and two pieces high on the other.
class Grid {
  public:
    // Throws UsageError when `ranks` is no power of two, or more than the matrix has room for.
    Grid(int ranks, int rank, int order);

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    int row() const { return row_; }
    int column() const { return column_; }
    bool square() const { return rows_ == columns_; }

    Block block() const;

    // First component of piece `column`; of `columns()`: the end.
    int piece_start(int column) const;
    int piece_length() const { return piece_start(column_ + 1) - piece_start(column_); }

    // This row's ranks with which sums are exchanged, in this order (recursive doubling). On a grid that is not square
    // the first one is the holder of the other piece of this row.
    const std::vector<int>& row_partners() const { return row_partners_; }

    // After a row's sum this rank holds a piece that another one needs, and that one the piece that this one needs.
    int transpose_partner() const { return transpose_partner_; }

  private:
    int order_;
    int rows_;
    int columns_;
    int row_;
    int column_;
    int transpose_partner_;
    std::vector<int> row_partners_;
};

}  // namespace fairlead::cg
