// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sp/characteristics.hpp"
#include "sp/pentadiagonal.hpp"
#include "tests/flow_tile.hpp"

namespace fairlead::flow {
namespace {

TEST(Pentadiagonal, SolvesItsSystems) {
    for (std::size_t direction = 0; direction < 3; ++direction) {
        Tile tile = make_tile();
        const Field<State> given = tile.rhs;
        const sp::Pentadiagonal lines(kTimeStep);
        Field<sp::Pentadiagonal::Factors> factors(tile.layout);
        lines.eliminate(tile, factors, direction);
        lines.substitute(tile, factors, direction);
        const Index stride = tile.layout.stride(direction);
        for_each_point(tile.layout, tile.inner, [&](const Point& point, Index place) {
            const std::array<sp::Row, 3> rows =
                sp::rows_of(&tile.flow[place], stride, direction, point[direction], kPoints, kTimeStep);
            State product{};
            for (std::size_t m = 0; m < product.size(); ++m) {
                const sp::Row& row = rows[m < 3 ? 0 : m - 2];
                for (std::size_t k = 0; k < row.size(); ++k) {
                    product[m] += row[k] * tile.rhs[place + (static_cast<Index>(k) - 2) * stride][m];
                }
            }
            expect_near(product, given[place], 1e-12);
        });
    }
}

TEST(Characteristics, RoundTheThreeDirectionsIsTheIdentity) {
    const State u = {2.0, 1.0, -0.5, 0.7, 9.0};
    const Primitive w = primitive_of(u);
    const State change = {0.3, -1.1, 0.4, 2.0, -0.6};
    expect_near(sp::from_z(sp::y_to_z(sp::x_to_y(sp::to_x(change, w))), u[kDensity], w), change, 1e-14);
}

TEST(Characteristics, DiagonaliseTheJacobians) {
    const State u = {2.0, 1.0, -0.5, 0.7, 9.0};
    const Primitive w = primitive_of(u);
    const State change = {0.3, -1.1, 0.4, 2.0, -0.6};
    const auto transported = [&](const Matrix5& jacobian) {
        State product{};
        subtract_product(product, jacobian, change);
        for (double& value : product) {
            value = -value;
        }
        return product;
    };
    const auto by_speed = [&](State values, std::size_t direction) {
        const double v = w.velocity[direction];
        const State speeds = {v, v, v, v + w.sound_speed, v - w.sound_speed};
        for (std::size_t m = 0; m < values.size(); ++m) {
            values[m] *= speeds[m];
        }
        return values;
    };
    const auto to_y = [&](const State& s) { return sp::x_to_y(sp::to_x(s, w)); };
    const auto to_z = [&](const State& s) { return sp::y_to_z(to_y(s)); };
    expect_near(sp::to_x(transported(convection_jacobian<0>(u, w)), w), by_speed(sp::to_x(change, w), 0), 1e-13);
    expect_near(to_y(transported(convection_jacobian<1>(u, w))), by_speed(to_y(change), 1), 1e-13);
    expect_near(to_z(transported(convection_jacobian<2>(u, w))), by_speed(to_z(change), 2), 1e-13);
}

}  // namespace
}  // namespace fairlead::flow
