// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "common/usage.hpp"
#include "flow/exact.hpp"
#include "flow/jacobians.hpp"
#include "flow/norms.hpp"
#include "flow/packing.hpp"
#include "flow/partition.hpp"
#include "flow/problem.hpp"
#include "flow/rhs.hpp"

namespace fairlead::flow {
namespace {

constexpr Index kPoints = 9;
const Box kWhole{.first = {0, 0, 0}, .end = {kPoints, kPoints, kPoints}};

TEST(ExactSolution, IsTheSumOfTheCoefficientsAtTheCorners) {
    EXPECT_EQ(exact_solution(Point{0, 0, 0}, kPoints), (State{2.0, 1.0, 2.0, 2.0, 5.0}));
    const State far = exact_solution(Point{8, 8, 8}, kPoints);
    const State expected = {15.76, 8.26, 10.32, 9.72, 15.52};
    for (std::size_t m = 0; m < 5; ++m) {
        EXPECT_NEAR(far[m], expected[m], 1e-14);
    }
}

TEST(InitialState, IsExactOnTheBoundaryAndBlendsInside) {
    EXPECT_EQ(initial_state({0, 3, 5}, kPoints), exact_solution(Point{0, 3, 5}, kPoints));
    EXPECT_EQ(initial_state({2, 8, 5}, kPoints), exact_solution(Point{2, 8, 5}, kPoints));
    // Linear in each direction between two opposite faces, joined.
    const State middle = initial_state({4, 4, 4}, kPoints);
    std::array<double, 3> mean{};
    for (std::size_t d = 0; d < 3; ++d) {
        std::array<double, 3> low{0.5, 0.5, 0.5};
        std::array<double, 3> high = low;
        low[d] = 0.0;
        high[d] = 1.0;
        mean[d] = 0.5 * (exact_solution(low)[0] + exact_solution(high)[0]);
    }
    EXPECT_NEAR(middle[0], 1.0 - (1.0 - mean[0]) * (1.0 - mean[1]) * (1.0 - mean[2]), 1e-12);
}

void set_exact(Tile& tile) {
    for_each_point(tile.layout, tile.box,
                   [&](const Point& point, Index place) { tile.u[place] = exact_solution(point, tile.points); });
}

TEST(RightHandSide, OfTheExactSolutionIsZero) {
    Tile tile(kWhole, kPoints);
    set_exact(tile);
    compute_rhs(tile);
    for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        for (const double value : tile.rhs[place]) {
            EXPECT_NEAR(value, 0.0, 1e-12);  // rounding of terms of some tens
        }
    });
}

TEST(RightHandSide, OfAPartIsThatOfTheWhole) {
    Tile whole(kWhole, kPoints);
    compute_rhs(whole);
    Tile part({.first = {3, 0, 5}, .end = {6, 4, 9}}, kPoints);
    for_each_point(whole.layout, whole.box, [&](const Point& point, Index place) {
        const bool needed = point[0] >= 1 && point[0] < 8 && point[1] < 6 && point[2] >= 3;
        if (needed) {
            part.u[part.layout.at(point)] = whole.u[place];
        }
    });
    compute_rhs(part);
    for_each_point(part.layout, part.inner, [&](const Point& point, Index place) {
        EXPECT_EQ(part.rhs[place], whole.rhs[whole.layout.at(point)]);
    });
}

TEST(FourthDifference, LeavesOutTheBoundary) {
    EXPECT_EQ(fourth_difference(1, 9), (std::array{0.0, 0.0, 5.0, -4.0, 1.0}));
    EXPECT_EQ(fourth_difference(2, 9), (std::array{0.0, -4.0, 6.0, -4.0, 1.0}));
    EXPECT_EQ(fourth_difference(3, 9), (std::array{1.0, -4.0, 6.0, -4.0, 1.0}));
    EXPECT_EQ(fourth_difference(5, 9), (std::array{1.0, -4.0, 6.0, -4.0, 1.0}));
    EXPECT_EQ(fourth_difference(6, 9), (std::array{1.0, -4.0, 6.0, -4.0, 0.0}));
    EXPECT_EQ(fourth_difference(7, 9), (std::array{1.0, -4.0, 5.0, 0.0, 0.0}));
}

// The blocks of the implicit solvers against the derivative of the right-hand side, taken by differences.
template <std::size_t kDirection>
void expect_blocks_to_be_derivatives(Index side) {
    Tile tile(kWhole, kPoints);
    const Point point{4, 4, 4};
    const Index place = tile.layout.at(point);
    const Index neighbour = place + side * tile.layout.stride(kDirection);
    const Differences difference(kPoints);
    compute_rhs(tile);
    const Matrix5 block = neighbour_block<kDirection>(tile.u[neighbour], tile.flow[neighbour],
                                                      static_cast<double>(side) * difference.first, difference.second);
    const double dissipation = kDissipation * fourth_difference(4, kPoints)[1];
    const State before = tile.u[neighbour];
    for (std::size_t column = 0; column < 5; ++column) {
        constexpr double kStep = 1e-5;
        std::array<State, 2> rhs{};
        for (const std::size_t k : {0U, 1U}) {
            tile.u[neighbour] = before;
            tile.u[neighbour][column] += k == 0 ? -kStep : kStep;
            compute_rhs(tile);
            rhs[k] = tile.rhs[place];
        }
        tile.u[neighbour] = before;
        for (std::size_t row = 0; row < 5; ++row) {
            const double derivative = (rhs[1][row] - rhs[0][row]) / (2.0 * kStep);
            EXPECT_NEAR(derivative + (row == column ? dissipation : 0.0), -element(block, row, column), 1e-5)
                << "row " << row << ", column " << column;
        }
    }
}

TEST(NeighbourBlock, IsTheDerivativeOfTheRightHandSide) {
    for (const Index side : {-1, 1}) {
        expect_blocks_to_be_derivatives<0>(side);
        expect_blocks_to_be_derivatives<1>(side);
        expect_blocks_to_be_derivatives<2>(side);
    }
}

TEST(SolveInPlace, SolvesForStatesAndMatrices) {
    Matrix5 matrix{};
    for (std::size_t k = 0; k < matrix.size(); ++k) {
        matrix[k] = std::sin(static_cast<double>(3 * k + 1));
    }
    add(matrix, 6.0, identity());
    const State state = {1.0, -2.0, 3.0, 0.5, 4.0};
    State x = state;
    Matrix5 inverse = identity();
    solve_in_place(matrix, x, inverse);
    State rest = state;
    subtract_product(rest, matrix, x);
    Matrix5 rest_of_identity = identity();
    subtract_product(rest_of_identity, matrix, inverse);
    for (const double value : rest) {
        EXPECT_NEAR(value, 0.0, 1e-14);
    }
    for (const double value : rest_of_identity) {
        EXPECT_NEAR(value, 0.0, 1e-14);
    }
}

TEST(Norms, AreRootMeanSquaresOfTheInnerPoints) {
    Tile tile(kWhole, kPoints);
    set_exact(tile);
    for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        tile.rhs[place] = {1.0, -2.0, 0.0, 3.0, 0.5};
        tile.u[place][kEnergy] += 0.25;
    });
    State residual{};
    State error{};
    add_squares(tile, residual, error);
    EXPECT_EQ(root_mean_square(residual, kPoints), (State{1.0, 2.0, 0.0, 3.0, 0.5}));
    EXPECT_NEAR(root_mean_square(error, kPoints)[kEnergy], 0.25, 1e-14);
    EXPECT_EQ(root_mean_square(error, kPoints)[kDensity], 0.0);
}

TEST(Packing, MovesLayersOfOneTileIntoTheGhostLayersOfTheNext) {
    const Layout left({.first = {0, 0, 0}, .end = {4, 3, 2}});
    const Layout right({.first = {4, 0, 0}, .end = {7, 3, 2}});
    Field<State> from(left);
    for_each_point(left, {.first = {0, 0, 0}, .end = {4, 3, 2}}, [&](const Point& point, Index place) {
        from[place] = {static_cast<double>(point[0]), static_cast<double>(point[1]), static_cast<double>(point[2])};
    });
    const Box layers{.first = {2, 0, 0}, .end = {4, 3, 2}};
    std::vector<double> message;
    pack(from, left, layers, message);
    ASSERT_EQ(message.size(), 5U * 12U);
    Field<State> to(right);
    std::span<const double> rest = message;
    unpack(to, right, layers, rest);
    EXPECT_TRUE(rest.empty());
    for_each_point(right, layers, [&](const Point& point, Index place) { EXPECT_EQ(to[place], from[left.at(point)]); });
}

TEST(Multipartition, GivesEveryRankEquallyManyTilesOfEverySlab) {
    for (int ranks = 1; ranks <= 18; ++ranks) {
        std::map<TilePosition, int> owner;
        std::vector<Partition> partitions;
        for (int rank = 0; rank < ranks; ++rank) {
            partitions.push_back(multipartition(ranks, rank));
            for (const TilePosition& position : partitions.back().own) {
                EXPECT_TRUE(owner.emplace(position, rank).second) << ranks << " ranks: a tile of two ranks";
            }
        }
        const std::array<int, 3> tiles = partitions.front().tiles;
        ASSERT_EQ(owner.size(), static_cast<std::size_t>(tiles[0] * tiles[1] * tiles[2]));
        for (const Partition& partition : partitions) {
            for (std::size_t d = 0; d < 3; ++d) {
                std::map<int, int> in_slab;
                for (const TilePosition& position : partition.own) {
                    ++in_slab[position[d]];
                    if (partition.has_next(position, d)) {
                        TilePosition next = position;
                        ++next[d];
                        EXPECT_EQ(owner.at(next), partition.next[d]);
                        EXPECT_EQ(partitions[static_cast<std::size_t>(partition.next[d])].previous[d],
                                  owner.at(position));
                    }
                }
                ASSERT_EQ(in_slab.size(), static_cast<std::size_t>(tiles[d]));
                for (const auto& [slab, count] : in_slab) {
                    EXPECT_EQ(count, in_slab.begin()->second) << "slab " << slab;
                }
            }
        }
    }
}

TEST(Multipartition, IsNasOneForSquares) {
    EXPECT_EQ(multipartition(16, 3).tiles, (std::array{4, 4, 4}));
    EXPECT_EQ(multipartition(8, 0).tiles, (std::array{4, 4, 2}));
    EXPECT_EQ(multipartition(3, 0).tiles, (std::array{3, 3, 1}));
}

TEST(Pencils, CoverTheGridOnce) {
    for (int ranks = 1; ranks <= 16; ++ranks) {
        std::set<TilePosition> tiles;
        for (int rank = 0; rank < ranks; ++rank) {
            const Partition partition = pencils(ranks, rank);
            ASSERT_EQ(partition.own.size(), 1U);
            tiles.insert(partition.own.front());
            if (partition.has_next(partition.own.front(), 1)) {
                TilePosition next = partition.own.front();
                ++next[1];
                EXPECT_EQ(pencils(ranks, partition.next[1]).own.front(), next);
                EXPECT_EQ(pencils(ranks, partition.next[1]).previous[1], rank);
            }
        }
        EXPECT_EQ(tiles.size(), static_cast<std::size_t>(ranks));
    }
    EXPECT_EQ(pencils(8, 0).tiles, (std::array{4, 2, 1}));
    EXPECT_EQ(pencils(7, 0).tiles, (std::array{7, 1, 1}));
}

TEST(Partition, BoxesOfTilesMeet) {
    const Partition partition = multipartition(4, 0);
    EXPECT_EQ(partition.box({0, 1, 0}, 9).end[0], 4);
    EXPECT_EQ(partition.box({1, 1, 0}, 9).first[0], 4);
    EXPECT_EQ(partition.box({1, 1, 0}, 9).end[0], 9);
}

TEST(Partition, TooManyRanksAreRefused) {
    EXPECT_NO_THROW(require_room("sp", multipartition(6, 0), 6, 12));
    EXPECT_THROW(require_room("sp", multipartition(7, 0), 7, 12), UsageError);
}

constexpr Problem kProblem{
    .name = 'X',
    .points = 9,
    .iterations = 10,
    .time_step = 1.0,
    .published = {.residual = {1.0, 2.0, 3.0, 4.0, 5.0}, .error = {0.1, 0.2, 0.3, 0.4, 0.5}, .surface_integral = 7.0}};

Outcome as_published() {
    Outcome outcome{
        .iterations = 10, .start = kProblem.published, .standard = kProblem.published, .last = kProblem.published};
    outcome.start.residual = {9.0, 9.0, 9.0, 9.0, 9.0};
    return outcome;
}

TEST(Verify, ComparesEveryValueWithThePublishedOne) {
    EXPECT_TRUE(verify(kProblem, as_published()).verified);
    for (std::size_t m = 0; m < 5; ++m) {
        Outcome outcome = as_published();
        outcome.standard.residual[m] *= 1.0 + 2e-8;
        EXPECT_FALSE(verify(kProblem, outcome).verified);
        outcome = as_published();
        outcome.standard.error[m] *= 1.0 - 2e-8;
        EXPECT_FALSE(verify(kProblem, outcome).verified);
        outcome.standard.error[m] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(verify(kProblem, outcome).verified);
    }
    Outcome outcome = as_published();
    outcome.standard.surface_integral = 7.1;
    EXPECT_FALSE(verify(kProblem, outcome).verified);
}

TEST(Verify, MoreIterationsMustNotRaiseTheNorms) {
    Outcome outcome = as_published();
    outcome.iterations = 11;
    outcome.last.residual[3] = 3.9;
    EXPECT_TRUE(verify(kProblem, outcome).verified);
    outcome.last.error[4] = 0.51;
    EXPECT_FALSE(verify(kProblem, outcome).verified);
    outcome.last.error[4] = 0.5;
    outcome.last.residual[3] = 4.1;
    EXPECT_FALSE(verify(kProblem, outcome).verified);
}

TEST(Verify, FewerIterationsHaveNoPublishedValues) {
    Outcome outcome = as_published();
    outcome.iterations = 9;
    outcome.last.residual[0] = 8.0;
    const Verdict verdict = verify(kProblem, outcome);
    EXPECT_TRUE(verdict.verified);
    EXPECT_NE(verdict.explanation.find("no published values"), std::string::npos);
    outcome.last.residual[0] = 9.1;
    EXPECT_FALSE(verify(kProblem, outcome).verified);
}

}  // namespace
}  // namespace fairlead::flow
