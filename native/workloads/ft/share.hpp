// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "ft/fft.hpp"

namespace fairlead::ft {

// A periodic box of nx * ny * nz points, each a power of two.
struct Grid {
    int nx;
    int ny;
    int nz;

    double points() const { return static_cast<double>(nx) * ny * nz; }
};

// What one rank has of the box, and what it does to it without the others. There are two divisions:
//
// planes:  neighbouring planes of constant z, (x, y) complete: point (x, y, z) at ((z - first plane) * ny + y) * nx +
// x; columns: neighbouring rows of constant y, (x, z) complete: point (x, y, z) at ((y - first row) * nx + x) * nz + z.
//
// Between them lies an all-to-all exchange. Block r of its outgoing data, for rank r, and block r of the incoming, from
// it, are as long as each other and ordered by y, then x, then z.
class Share {
  public:
    // Throws UsageError unless `ranks` is a power of two with at least one plane and one row for each.
    Share(Grid grid, int ranks, int rank);

    std::size_t points() const { return planes_ * ny_ * nx_; }

    // The initial values, in planes: pairs of random numbers, x fastest, then y, then z.
    void draw(std::span<Complex> planes) const;

    void transform_x(Direction direction, std::span<Complex> planes);
    void transform_y(Direction direction, std::span<Complex> planes);
    void transform_z(Direction direction, std::span<Complex> columns);

    void pack_planes(std::span<const Complex> planes, std::span<Complex> outgoing) const;
    void unpack_columns(std::span<const Complex> incoming, std::span<Complex> columns) const;
    void pack_columns(std::span<const Complex> columns, std::span<Complex> outgoing) const;
    void unpack_planes(std::span<const Complex> incoming, std::span<Complex> planes) const;

    // One step in time of the heat equation, in columns of the spectrum; the result is copied to `field`.
    void evolve(std::span<Complex> spectrum, std::span<Complex> field) const;

    // This share of the checksum: the sum over the points (j mod nx, 3j mod ny, 5j mod nz), j from 1 to 1024, divided
    // by the number of points of the box.
    Complex checksum(std::span<const Complex> planes) const;

  private:
    Grid grid_;
    std::size_t nx_, ny_, nz_;
    std::size_t ranks_, rank_;
    std::size_t planes_, rows_;
    Fft fft_x_, fft_y_, fft_z_;
    std::vector<double> decay_x_, decay_y_, decay_z_;  // factors of one step in time
};

}  // namespace fairlead::ft
