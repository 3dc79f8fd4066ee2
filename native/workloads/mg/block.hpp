// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "mg/axis.hpp"

namespace fairlead::mg {

using Axes = std::array<Axis, 3>;  // x, y, z

// The ranks as a box, as many along z as along y and x or twice as many. Ranks are numbered along x, then y, then z.
struct RankBox {
    std::array<int, 3> ranks;  // along x, y, z

    // Throws UsageError unless `count` is a power of two, with at least one of the points^3 points for each.
    RankBox(int count, int points);

    std::array<int, 3> coordinates(int rank) const;
    int rank(const std::array<int, 3>& coordinates) const;

    // How the grid of `points` points a side is divided, as rank `rank` sees it.
    Axes divide(int points, int rank) const;
};

// What a rank stores of one quantity on one level: its own points and the layer of ghost points around them.
class Block {
  public:
    explicit Block(const Axes& axes);

    const Axis& axis(std::size_t axis) const { return axes_[axis]; }
    std::size_t stored(std::size_t axis) const { return static_cast<std::size_t>(axes_[axis].stored()); }

    std::span<double> values() { return values_; }
    std::span<const double> values() const { return values_; }

    // The stored points along x at the places `y` and `z`.
    double* row(std::size_t y, std::size_t z) { return values_.data() + (z * stored(1) + y) * stored(0); }
    const double* row(std::size_t y, std::size_t z) const { return values_.data() + (z * stored(1) + y) * stored(0); }

    // The layer of points at place `place` of axis `axis`. Along the axes before it the layer includes ghost points:
    // with x, y and z exchanged in this order, edges and corners are right, too.
    std::size_t layer_size(std::size_t axis) const;
    void copy_layer(std::size_t axis, std::size_t place, std::span<double> to) const;
    void set_layer(std::size_t axis, std::size_t place, std::span<const double> from);

  private:
    template <typename Visit>
    void for_each_of_layer(std::size_t axis, std::size_t place, Visit visit) const;

    Axes axes_;
    std::vector<double> values_;
};

}  // namespace fairlead::mg
