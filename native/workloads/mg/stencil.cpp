// SPDX-License-Identifier: Apache-2.0
#include "mg/stencil.hpp"

#include <algorithm>
#include <vector>

#include "mg/block.hpp"

namespace fairlead::mg {

namespace {

// Sums over the neighbouring rows of one row, at each stored point along x. With them a point's 26 neighbours take two
// sums of four and a few of two, instead of 26.
struct RowSums {
    explicit RowSums(std::size_t length) : faces(length), edges(length) {}

    void set(const Block& block, std::size_t y, std::size_t z) {
        const double* south = block.row(y - 1, z);
        const double* north = block.row(y + 1, z);
        const double* below = block.row(y, z - 1);
        const double* above = block.row(y, z + 1);
        for (std::size_t x = 0; x < faces.size(); ++x) {
            faces[x] = south[x] + north[x] + below[x] + above[x];
        }
        south = block.row(y - 1, z - 1);
        north = block.row(y + 1, z - 1);
        below = block.row(y - 1, z + 1);
        above = block.row(y + 1, z + 1);
        for (std::size_t x = 0; x < edges.size(); ++x) {
            edges[x] = south[x] + north[x] + below[x] + above[x];
        }
    }

    std::vector<double> faces;  // of the four rows that share a face with this one
    std::vector<double> edges;  // of the four that share an edge
};

double weighted(const Weights& weights, const double* row, const RowSums& sums, std::size_t x) {
    return weights.centre * row[x] + weights.face * (row[x - 1] + row[x + 1] + sums.faces[x]) +
           weights.edge * (sums.faces[x - 1] + sums.faces[x + 1] + sums.edges[x]) +
           weights.corner * (sums.edges[x - 1] + sums.edges[x + 1]);
}

// out = base + sign * (weights applied to block) at the own points; `out` may be `base`.
void apply(const Weights& weights, double sign, const Block& block, const Block& base, Block& out) {
    const std::size_t end = block.stored(0) - 1;
    RowSums sums(block.stored(0));
    for (std::size_t z = 1; z + 1 < block.stored(2); ++z) {
        for (std::size_t y = 1; y + 1 < block.stored(1); ++y) {
            sums.set(block, y, z);
            const double* row = block.row(y, z);
            const double* base_row = base.row(y, z);
            double* out_row = out.row(y, z);
            for (std::size_t x = 1; x < end; ++x) {
                out_row[x] = base_row[x] + sign * weighted(weights, row, sums, x);
            }
        }
    }
}

}  // namespace

void subtract_laplacian(const Block& u, const Block& v, Block& r) {
    apply(kLaplacian, -1.0, u, v, r);
}

void smooth(const Weights& smoother, const Block& r, Block& u) {
    apply(smoother, 1.0, r, u, u);
}

void restrict_to(const Block& fine, Block& coarse) {
    constexpr Weights kFullWeighting = {.centre = 1.0 / 2, .face = 1.0 / 4, .edge = 1.0 / 8, .corner = 1.0 / 16};
    // The place in `fine` of the point at place `place` of `coarse`.
    const auto fine_place = [&](std::size_t axis, std::size_t place) {
        const int point = coarse.axis(axis).point(static_cast<int>(place));
        return static_cast<std::size_t>(fine.axis(axis).place(2 * point + 1));
    };
    RowSums sums(fine.stored(0));
    for (std::size_t z = 1; z + 1 < coarse.stored(2); ++z) {
        for (std::size_t y = 1; y + 1 < coarse.stored(1); ++y) {
            const std::size_t fine_y = fine_place(1, y);
            const std::size_t fine_z = fine_place(2, z);
            sums.set(fine, fine_y, fine_z);
            const double* row = fine.row(fine_y, fine_z);
            double* coarse_row = coarse.row(y, z);
            for (std::size_t x = 1; x + 1 < coarse.stored(0); ++x) {
                coarse_row[x] = weighted(kFullWeighting, row, sums, fine_place(0, x));
            }
        }
    }
}

namespace {

// The coarse places next to the fine place `place`: one twice where both points coincide, else the two neighbours.
struct Between {
    Between(const Axis& coarse, const Axis& fine, std::size_t place) {
        const int point = fine.point(static_cast<int>(place));
        const bool coincides = point % 2 != 0;  // point -1, the lower ghost, is odd
        const int at = coincides ? (point - 1) / 2 : point / 2;
        upper = static_cast<std::size_t>(coarse.place(at));
        lower = coincides ? upper : upper - 1;
    }

    std::size_t lower;
    std::size_t upper;
};

}  // namespace

void interpolate(const Block& coarse, Block& fine) {
    std::vector<Between> along_x;
    for (std::size_t x = 0; x < fine.stored(0); ++x) {
        along_x.emplace_back(coarse.axis(0), fine.axis(0), x);
    }
    std::vector<double> mean(coarse.stored(0));  // of the coarse rows next to the fine row
    for (std::size_t z = 0; z < fine.stored(2); ++z) {
        const Between along_z(coarse.axis(2), fine.axis(2), z);
        for (std::size_t y = 0; y < fine.stored(1); ++y) {
            const Between along_y(coarse.axis(1), fine.axis(1), y);
            const double* first = coarse.row(along_y.lower, along_z.lower);
            const double* second = coarse.row(along_y.upper, along_z.lower);
            const double* third = coarse.row(along_y.lower, along_z.upper);
            const double* fourth = coarse.row(along_y.upper, along_z.upper);
            for (std::size_t x = 0; x < mean.size(); ++x) {
                mean[x] = 0.25 * (first[x] + second[x] + third[x] + fourth[x]);
            }
            double* row = fine.row(y, z);
            for (std::size_t x = 0; x < along_x.size(); ++x) {
                row[x] += 0.5 * (mean[along_x[x].lower] + mean[along_x[x].upper]);
            }
        }
    }
}

double sum_of_squares(const Block& block) {
    double sum = 0.0;
    for (std::size_t z = 1; z + 1 < block.stored(2); ++z) {
        for (std::size_t y = 1; y + 1 < block.stored(1); ++y) {
            const double* row = block.row(y, z);
            for (std::size_t x = 1; x + 1 < block.stored(0); ++x) {
                sum += row[x] * row[x];
            }
        }
    }
    return sum;
}

}  // namespace fairlead::mg
