// SPDX-License-Identifier: Apache-2.0
#include "ft/share.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/randlc.hpp"
#include "common/rank_count.hpp"

namespace fairlead::ft {

namespace {

constexpr double kDiffusivity = 1e-6;  // alpha of the report
constexpr int kChecksumPoints = 1024;

// exp(-4 pi^2 alpha k^2) for the wave numbers k of `count` points: 0, 1, ..., count/2 - 1, -count/2, ..., -1.
std::vector<double> decay_factors(int count) {
    std::vector<double> factors;
    for (int i = 0; i < count; ++i) {
        const double wave_number = i < count / 2 ? i : i - count;
        factors.push_back(
            std::exp(-4.0 * std::numbers::pi * std::numbers::pi * kDiffusivity * wave_number * wave_number));
    }
    return factors;
}

int checked_ranks(Grid grid, int ranks) {
    require_power_of_two("ft", ranks, std::min(grid.ny, grid.nz));
    return ranks;
}

}  // namespace

Share::Share(Grid grid, int ranks, int rank)
    : grid_(grid),
      nx_(static_cast<std::size_t>(grid.nx)),
      ny_(static_cast<std::size_t>(grid.ny)),
      nz_(static_cast<std::size_t>(grid.nz)),
      ranks_(static_cast<std::size_t>(checked_ranks(grid, ranks))),
      rank_(static_cast<std::size_t>(rank)),
      planes_(nz_ / ranks_),
      rows_(ny_ / ranks_),
      fft_x_(grid.nx),
      fft_y_(grid.ny),
      fft_z_(grid.nz),
      decay_x_(decay_factors(grid.nx)),
      decay_y_(decay_factors(grid.ny)),
      decay_z_(decay_factors(grid.nz)) {}

void Share::draw(std::span<Complex> planes) const {
    Randlc random;
    random.skip(2 * rank_ * points());
    for (Complex& value : planes.first(points())) {
        const double real = random();
        value = {real, random()};
    }
}

void Share::transform_x(Direction direction, std::span<Complex> planes) {
    for (std::size_t row = 0; row < planes_ * ny_; row += Fft::kWidth) {
        fft_x_.transform(direction, {.first = row * nx_, .line_stride = nx_, .point_stride = 1}, planes);
    }
}

void Share::transform_y(Direction direction, std::span<Complex> planes) {
    for (std::size_t plane = 0; plane < planes_; ++plane) {
        for (std::size_t x = 0; x < nx_; x += Fft::kWidth) {
            fft_y_.transform(direction, {.first = plane * ny_ * nx_ + x, .line_stride = 1, .point_stride = nx_},
                             planes);
        }
    }
}

void Share::transform_z(Direction direction, std::span<Complex> columns) {
    for (std::size_t column = 0; column < rows_ * nx_; column += Fft::kWidth) {
        fft_z_.transform(direction, {.first = column * nz_, .line_stride = nz_, .point_stride = 1}, columns);
    }
}

// The tile of x is as wide as a cache line: of what is read or written with a stride, all of a line is used.
constexpr std::size_t kTile = 4;

void Share::pack_planes(std::span<const Complex> planes, std::span<Complex> outgoing) const {
    for (std::size_t y = 0; y < ny_; ++y) {  // the blocks of all ranks, one after the other
        for (std::size_t tile = 0; tile < nx_; tile += kTile) {
            for (std::size_t plane = 0; plane < planes_; ++plane) {
                for (std::size_t x = tile; x < tile + kTile; ++x) {
                    outgoing[(y * nx_ + x) * planes_ + plane] = planes[(plane * ny_ + y) * nx_ + x];
                }
            }
        }
    }
}

void Share::unpack_planes(std::span<const Complex> incoming, std::span<Complex> planes) const {
    for (std::size_t y = 0; y < ny_; ++y) {
        for (std::size_t tile = 0; tile < nx_; tile += kTile) {
            for (std::size_t plane = 0; plane < planes_; ++plane) {
                for (std::size_t x = tile; x < tile + kTile; ++x) {
                    planes[(plane * ny_ + y) * nx_ + x] = incoming[(y * nx_ + x) * planes_ + plane];
                }
            }
        }
    }
}

void Share::unpack_columns(std::span<const Complex> incoming, std::span<Complex> columns) const {
    for (std::size_t from = 0; from < ranks_; ++from) {
        for (std::size_t column = 0; column < rows_ * nx_; ++column) {
            std::ranges::copy(incoming.subspan((from * rows_ * nx_ + column) * planes_, planes_),
                              columns.begin() + static_cast<std::ptrdiff_t>(column * nz_ + from * planes_));
        }
    }
}

void Share::pack_columns(std::span<const Complex> columns, std::span<Complex> outgoing) const {
    for (std::size_t to = 0; to < ranks_; ++to) {
        for (std::size_t column = 0; column < rows_ * nx_; ++column) {
            std::ranges::copy(columns.subspan(column * nz_ + to * planes_, planes_),
                              outgoing.begin() + static_cast<std::ptrdiff_t>((to * rows_ * nx_ + column) * planes_));
        }
    }
}

void Share::evolve(std::span<Complex> spectrum, std::span<Complex> field) const {
    for (std::size_t row = 0; row < rows_; ++row) {
        for (std::size_t x = 0; x < nx_; ++x) {
            const double decay_xy = decay_y_[rank_ * rows_ + row] * decay_x_[x];
            const std::size_t first = (row * nx_ + x) * nz_;
            for (std::size_t z = 0; z < nz_; ++z) {
                spectrum[first + z] *= decay_xy * decay_z_[z];
                field[first + z] = spectrum[first + z];
            }
        }
    }
}

Complex Share::checksum(std::span<const Complex> planes) const {
    Complex sum = 0.0;
    for (std::size_t j = 1; j <= kChecksumPoints; ++j) {
        const std::size_t z = 5 * j % nz_;
        if (z / planes_ == rank_) {
            sum += planes[((z % planes_) * ny_ + 3 * j % ny_) * nx_ + j % nx_];
        }
    }
    return sum / grid_.points();
}

}  // namespace fairlead::ft
