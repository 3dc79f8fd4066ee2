// SPDX-License-Identifier: Apache-2.0
#include "sp/pentadiagonal.hpp"

#include <algorithm>

#include "flow/rhs.hpp"

namespace fairlead::sp {

using flow::Index;
using flow::Point;
using flow::Primitive;
using flow::State;

namespace {

constexpr std::size_t kMatrices = 3;

// The matrix that a characteristic variable belongs to.
constexpr std::array<std::size_t, 5> kMatrixOf = {0, 0, 0, 1, 2};

// What stands in for the viscous terms on the left-hand side.
double spread(const Primitive& w, std::size_t direction) {
    return flow::kDiffusion[direction] +
           flow::kViscosity * w.inverse_density * std::max({flow::kNormalStress, flow::kC1C5, 1.0});
}

// Makes the row's own coefficient 1 and the ones before it 0, given the two rows before after the same. Changes the
// right-hand sides of the variables of `matrix`. `rhs` and `factors` point to the row.
void eliminate_row(Row row, std::size_t matrix, State* rhs, Pentadiagonal::Factors* factors, Index stride) {
    const std::size_t f = 2 * matrix;
    const Pentadiagonal::Factors& second_before = factors[-2 * stride];
    const Pentadiagonal::Factors& before = factors[-stride];
    const double far = row[0];
    const double near = row[1] - far * second_before[f];
    const double own = row[2] - far * second_before[f + 1] - near * before[f];
    const double scale = 1.0 / own;
    (*factors)[f] = scale * (row[3] - near * before[f + 1]);
    (*factors)[f + 1] = scale * row[4];
    for (std::size_t m = 0; m < kMatrixOf.size(); ++m) {
        if (kMatrixOf[m] == matrix) {
            (*rhs)[m] = scale * ((*rhs)[m] - far * rhs[-2 * stride][m] - near * rhs[-stride][m]);
        }
    }
}

}  // namespace

std::array<Row, 3> rows_of(const Primitive* here, Index stride, std::size_t direction, Index row, Index points,
                           double time_step) {
    const flow::Differences difference(points);
    const double first = time_step * difference.first;
    const double second = time_step * difference.second;
    const Primitive& before = here[-stride];
    const Primitive& after = here[stride];
    Row flowing{0.0, -first * before.velocity[direction] - second * spread(before, direction),
                1.0 + 2.0 * second * spread(*here, direction),
                first * after.velocity[direction] - second * spread(after, direction), 0.0};
    const std::array<double, 5>& fourth = flow::fourth_difference(row, points);
    for (std::size_t k = 0; k < flowing.size(); ++k) {
        flowing[k] += time_step * flow::kDissipation * fourth[k];
    }
    Row with_sound = flowing;
    with_sound[1] -= first * before.sound_speed;
    with_sound[3] += first * after.sound_speed;
    Row against_sound = flowing;
    against_sound[1] += first * before.sound_speed;
    against_sound[3] -= first * after.sound_speed;
    return {flowing, with_sound, against_sound};
}

void Pentadiagonal::eliminate(flow::Tile& tile, flow::Field<Factors>& factors, std::size_t direction) const {
    const Index stride = tile.layout.stride(direction);
    flow::for_each_point(tile.layout, tile.inner, [&](const Point& point, Index place) {
        const std::array<Row, kMatrices> rows =
            rows_of(&tile.flow[place], stride, direction, point[direction], tile.points, time_step_);
        for (std::size_t matrix = 0; matrix < kMatrices; ++matrix) {
            eliminate_row(rows[matrix], matrix, &tile.rhs[place], &factors[place], stride);
        }
    });
}

void Pentadiagonal::substitute(flow::Tile& tile, const flow::Field<Factors>& factors, std::size_t direction) const {
    const Index stride = tile.layout.stride(direction);
    flow::for_each_point_backward(tile.layout, tile.inner, [&](const Point&, Index place) {
        for (std::size_t m = 0; m < kMatrixOf.size(); ++m) {
            const std::size_t f = 2 * kMatrixOf[m];
            tile.rhs[place][m] -= factors[place][f] * tile.rhs[place + stride][m] +
                                  factors[place][f + 1] * tile.rhs[place + 2 * stride][m];
        }
    });
}

}  // namespace fairlead::sp
