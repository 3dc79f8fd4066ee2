// SPDX-License-Identifier: Apache-2.0
#include "cg/grid.hpp"

#include <bit>
#include <cstdint>
#include <string>

#include "common/usage.hpp"

namespace fairlead::cg {

Grid::Grid(int ranks, int rank, int order) : order_(order) {
    if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
        throw UsageError("cg: the number of ranks must be a power of two, and is " + std::to_string(ranks));
    }
    const int doublings = std::countr_zero(static_cast<unsigned>(ranks));
    rows_ = 1 << (doublings / 2);
    columns_ = ranks / rows_;
    if (columns_ > order) {
        throw UsageError("cg: " + std::to_string(ranks) + " ranks are too many for a matrix of order " +
                         std::to_string(order));
    }
    row_ = rank / columns_;
    column_ = rank % columns_;
    for (int distance = 1; distance < columns_; distance *= 2) {
        row_partners_.push_back(row_ * columns_ + (column_ ^ distance));
    }
    // This rank's piece after a row's sum: `half` of row_. Its partner holds piece column_ and needs this one.
    const int width = columns_ / rows_;
    const int half = column_ % width;
    transpose_partner_ = (column_ / width) * columns_ + row_ * width + half;
}

int Grid::piece_start(int column) const {
    return static_cast<int>(std::int64_t{order_} * column / columns_);
}

Block Grid::block() const {
    const int width = columns_ / rows_;
    return {.first_row = piece_start(row_ * width),
            .end_row = piece_start((row_ + 1) * width),
            .first_column = piece_start(column_),
            .end_column = piece_start(column_ + 1)};
}

}  // namespace fairlead::cg
