// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/problem_class.hpp"
#include "mg/charges.hpp"
#include "mg/problem.hpp"

namespace fairlead::mg {
namespace {

struct Division {
    int points;
    int ranks;
};

class AxisOfRanks : public testing::TestWithParam<Division> {
  protected:
    Axis axis(int coordinate) const { return {GetParam().points, GetParam().ranks, coordinate}; }
};

TEST_P(AxisOfRanks, OwnsEveryPointOnce) {
    std::vector<int> owners(static_cast<std::size_t>(GetParam().points), -1);
    for (int coordinate = 0; coordinate < GetParam().ranks; ++coordinate) {
        const Axis own = axis(coordinate);
        for (int point = own.first(); point < own.first() + own.count(); ++point) {
            ASSERT_EQ(owners[static_cast<std::size_t>(point)], -1);
            owners[static_cast<std::size_t>(point)] = coordinate;
            EXPECT_EQ(own.owner(point), coordinate);
            EXPECT_TRUE(own.owns(point));
            EXPECT_EQ(own.point(own.place(point)), point);
        }
    }
    EXPECT_EQ(std::ranges::count(owners, -1), 0);
}

TEST_P(AxisOfRanks, GhostPointsComeFromTheirOwners) {
    const int points = GetParam().points;
    int sent = 0;
    for (int coordinate = 0; coordinate < GetParam().ranks; ++coordinate) {
        const Axis own = axis(coordinate);
        for (const int other : own.lower_at()) {
            ++sent;
            EXPECT_EQ((own.first() + own.count() - 1) % points, (axis(other).first() - 1 + points) % points);
        }
        for (const int other : own.upper_at()) {
            ++sent;
            EXPECT_EQ(own.first() % points, (axis(other).first() + axis(other).count()) % points);
        }
        EXPECT_GT(axis(own.lower_source()).count(), 0);
        EXPECT_GT(axis(own.upper_source()).count(), 0);
    }
    EXPECT_EQ(sent, 2 * GetParam().ranks);
}

TEST_P(AxisOfRanks, NextCoarserLevelIsEnoughToRestrictAndToInterpolate) {
    if (GetParam().points < 4) {
        return;  // the coarsest
    }
    for (int coordinate = 0; coordinate < GetParam().ranks; ++coordinate) {
        const Axis fine = axis(coordinate);
        const Axis coarse(GetParam().points / 2, GetParam().ranks, coordinate);
        for (int point = coarse.first(); point < coarse.first() + coarse.count(); ++point) {
            EXPECT_TRUE(fine.owns(2 * point + 1));
        }
        for (int place = 0; place < fine.stored(); ++place) {
            const int point = fine.point(place);
            const int upper = point % 2 == 0 ? point / 2 : (point - 1) / 2;
            const int lower = point % 2 == 0 ? upper - 1 : upper;
            EXPECT_GE(coarse.place(lower), 0) << coordinate << " " << place;
            EXPECT_LT(coarse.place(upper), coarse.stored()) << coordinate << " " << place;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Divisions, AxisOfRanks,
                         testing::Values(Division{32, 1}, Division{32, 2}, Division{8, 4}, Division{4, 4},
                                         Division{2, 2}, Division{8, 16}, Division{4, 16}, Division{2, 16},
                                         Division{2, 4}));

TEST(RankBox, IsNearlyACube) {
    EXPECT_EQ(RankBox(1, 32).ranks, (std::array<int, 3>{1, 1, 1}));
    EXPECT_EQ(RankBox(2, 32).ranks, (std::array<int, 3>{1, 1, 2}));
    EXPECT_EQ(RankBox(4, 32).ranks, (std::array<int, 3>{1, 2, 2}));
    EXPECT_EQ(RankBox(8, 32).ranks, (std::array<int, 3>{2, 2, 2}));
    EXPECT_EQ(RankBox(16, 32).ranks, (std::array<int, 3>{2, 2, 4}));
    const RankBox box(16, 32);
    for (int rank = 0; rank < 16; ++rank) {
        EXPECT_EQ(box.rank(box.coordinates(rank)), rank);
    }
    EXPECT_THROW(RankBox(6, 32), UsageError);
    EXPECT_THROW(RankBox(16, 2), UsageError);
    EXPECT_EQ(RankBox(64, 2048).ranks, (std::array<int, 3>{4, 4, 4}));  // 2^33 points
}

// On one rank, with the ghost points filled in.
Block periodic(int points, auto value_at) {
    Block block(RankBox(1, points).divide(points, 0));
    for (std::size_t z = 0; z < block.stored(2); ++z) {
        for (std::size_t y = 0; y < block.stored(1); ++y) {
            for (std::size_t x = 0; x < block.stored(0); ++x) {
                const auto wrapped = [&](std::size_t place) { return (static_cast<int>(place) - 1 + points) % points; };
                block.row(y, z)[x] = value_at(wrapped(x), wrapped(y), wrapped(z));
            }
        }
    }
    return block;
}

double some_value(int x, int y, int z) {
    return std::sin(1.0 + x * x + 5.0 * y + 0.3 * z * z * y);
}

// The weights applied at one point by their definition.
double by_definition(const Weights& weights, int points, int x, int y, int z) {
    const double by_distance[] = {weights.centre, weights.face, weights.edge, weights.corner};
    double sum = 0.0;
    for (int i = -1; i <= 1; ++i) {
        for (int j = -1; j <= 1; ++j) {
            for (int k = -1; k <= 1; ++k) {
                const auto wrapped = [&](int at) { return (at + points) % points; };
                sum += by_distance[i * i + j * j + k * k] * some_value(wrapped(x + i), wrapped(y + j), wrapped(z + k));
            }
        }
    }
    return sum;
}

TEST(Stencil, OperatorsAreTheirDefinitions) {
    constexpr int kPoints = 8;
    constexpr Weights kWeights = {.centre = 0.3, .face = -0.7, .edge = 1.1, .corner = 0.2};
    const Block u = periodic(kPoints, some_value);
    const Block v = periodic(kPoints, [](int x, int y, int z) { return x + 10.0 * y + 100.0 * z; });
    Block r = periodic(kPoints, [](int, int, int) { return 0.0; });
    subtract_laplacian(u, v, r);
    Block smoothed = v;
    smooth(kWeights, u, smoothed);
    for (int z = 0; z < kPoints; ++z) {
        for (int y = 0; y < kPoints; ++y) {
            for (int x = 0; x < kPoints; ++x) {
                const auto at = [&](const Block& block) {
                    return block.row(static_cast<std::size_t>(y + 1),
                                     static_cast<std::size_t>(z + 1))[static_cast<std::size_t>(x + 1)];
                };
                EXPECT_NEAR(at(r), at(v) - by_definition(kLaplacian, kPoints, x, y, z), 1e-12);
                EXPECT_NEAR(at(smoothed), at(v) + by_definition(kWeights, kPoints, x, y, z), 1e-12);
            }
        }
    }
}

TEST(Stencil, RestrictsToEverySecondPoint) {
    constexpr Weights kFullWeighting = {.centre = 0.5, .face = 0.25, .edge = 0.125, .corner = 0.0625};
    const Block fine = periodic(8, some_value);
    Block coarse = periodic(4, [](int, int, int) { return 0.0; });
    restrict_to(fine, coarse);
    for (int z = 0; z < 4; ++z) {
        for (int y = 0; y < 4; ++y) {
            for (int x = 0; x < 4; ++x) {
                EXPECT_NEAR(coarse.row(static_cast<std::size_t>(y + 1),
                                       static_cast<std::size_t>(z + 1))[static_cast<std::size_t>(x + 1)],
                            by_definition(kFullWeighting, 8, 2 * x + 1, 2 * y + 1, 2 * z + 1), 1e-12);
            }
        }
    }
}

TEST(Stencil, InterpolatesLinearlyAndAdds) {
    const Block coarse = periodic(4, some_value);
    Block fine = periodic(8, [](int, int, int) { return 1.0; });
    interpolate(coarse, fine);
    const auto wrapped = [](int at) { return (at + 4) % 4; };
    // At a point of both grids, between two points along x, and in the middle of eight.
    EXPECT_NEAR(fine.row(4, 6)[2], 1.0 + some_value(0, 1, 2), 1e-14);  // places are points + 1
    EXPECT_NEAR(fine.row(4, 6)[3], 1.0 + 0.5 * (some_value(0, 1, 2) + some_value(1, 1, 2)), 1e-14);
    double middle = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        middle += some_value(wrapped(0 - corner % 2), wrapped(1 - corner / 2 % 2), wrapped(2 - corner / 4)) / 8;
    }
    EXPECT_NEAR(fine.row(3, 5)[1], 1.0 + middle, 1e-14);
    // Ghost points are those of the other end.
    EXPECT_EQ(fine.row(0, 3)[4], fine.row(8, 3)[4]);
    EXPECT_EQ(fine.row(3, 9)[9], fine.row(3, 1)[1]);
}

TEST(Block, LayersGoThereAndBack) {
    Block block = periodic(4, some_value);
    EXPECT_EQ(block.layer_size(0), 16U);
    EXPECT_EQ(block.layer_size(1), 24U);
    EXPECT_EQ(block.layer_size(2), 36U);
    Block empty(RankBox(1, 4).divide(4, 0));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // In this order the ghost points of the whole surface are filled from the own points.
        std::vector<double> layer(block.layer_size(axis));
        if (axis == 0) {
            for (std::size_t place = 1; place <= 4; ++place) {
                block.copy_layer(0, place, layer);
                empty.set_layer(0, place, layer);
            }
        }
        empty.copy_layer(axis, 4, layer);
        empty.set_layer(axis, 0, layer);
        empty.copy_layer(axis, 1, layer);
        empty.set_layer(axis, 5, layer);
    }
    EXPECT_TRUE(std::ranges::equal(empty.values(), block.values()));
}

TEST(Charges, DoNotDependOnTheDivision) {
    constexpr int kPoints = 16;
    const RankBox one(1, kPoints);
    Block whole(one.divide(kPoints, 0));
    set_charges(draw_extremes(one.divide(kPoints, 0)), 0.0, whole);
    EXPECT_EQ(std::ranges::count(whole.values(), 1.0), 10);
    EXPECT_EQ(std::ranges::count(whole.values(), -1.0), 10);
    EXPECT_EQ(sum_of_squares(whole), 20.0);

    const RankBox eight(8, kPoints);
    std::vector<Drawn> all;
    for (int rank = 0; rank < 8; ++rank) {
        const std::vector<Drawn> own = draw_extremes(eight.divide(kPoints, rank));
        EXPECT_EQ(own.size(), 20U);
        all.insert(all.end(), own.begin(), own.end());
    }
    double found = 0.0;
    for (int rank = 0; rank < 8; ++rank) {
        Block part(eight.divide(kPoints, rank));
        set_charges(all, 0.25, part);
        for (std::size_t z = 1; z <= 8; ++z) {
            for (std::size_t y = 1; y <= 8; ++y) {
                for (std::size_t x = 1; x <= 8; ++x) {
                    const auto place = [&](std::size_t axis, std::size_t at) {
                        return static_cast<std::size_t>(part.axis(axis).point(static_cast<int>(at)) + 1);
                    };
                    const double difference = part.row(y, z)[x] - whole.row(place(1, y), place(2, z))[place(0, x)];
                    EXPECT_TRUE(difference == 0.0 || difference == 0.25);
                    found += difference;
                }
            }
        }
    }
    EXPECT_EQ(found, 0.25);  // the perturbation, once
}

TEST(MgProblem, HasThePublishedClasses) {
    struct Expected {
        const char* name;
        int points;
        int iterations;
        double edge_weight;
        double norm;
    };
    constexpr std::array kExpected = {
        Expected{"S", 32, 4, -1.0 / 64, 0.5307707005734e-04},   Expected{"W", 128, 4, -1.0 / 64, 0.6467329375339e-05},
        Expected{"A", 256, 4, -1.0 / 64, 0.2433365309069e-05},  Expected{"B", 256, 20, -1.0 / 61, 0.1800564401355e-05},
        Expected{"C", 512, 20, -1.0 / 61, 0.5706732285740e-06}, Expected{"D", 1024, 50, -1.0 / 61, 0.1583275060440e-09},
        Expected{"E", 2048, 50, -1.0 / 61, 0.5630442584711e-10}};
    ASSERT_EQ(problems().size(), kExpected.size());
    for (const Expected& expected : kExpected) {
        const Problem& problem = find_class(problems(), expected.name);
        EXPECT_EQ(1 << problem.levels, expected.points) << expected.name;
        EXPECT_EQ(problem.iterations, expected.iterations) << expected.name;
        EXPECT_EQ(problem.smoother.edge, expected.edge_weight) << expected.name;
        EXPECT_EQ(problem.norm, expected.norm) << expected.name;
    }
    EXPECT_THROW(find_class(problems(), "F"), UsageError);
}

TEST(MgVerify, AcceptsWithinToleranceOnly) {
    const Problem& problem = find_class(problems(), "A");
    const Outcome good{.iterations = 4, .first_norm = 1e-3, .standard_norm = problem.norm, .final_norm = problem.norm};
    EXPECT_TRUE(verify(problem, good).verified);
    Outcome bad = good;
    bad.standard_norm *= 1 + 1.2e-8;
    EXPECT_FALSE(verify(problem, bad).verified);
    bad.standard_norm = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(verify(problem, bad).verified);
    bad = good;
    bad.final_norm = 0.9e-3;  // not converging
    EXPECT_FALSE(verify(problem, bad).verified);
    Outcome longer = good;
    longer.iterations = 9;
    EXPECT_TRUE(verify(problem, longer).verified);
    longer.final_norm *= 1.1;
    EXPECT_FALSE(verify(problem, longer).verified);
    Outcome shorter = good;
    shorter.iterations = 2;
    shorter.standard_norm = 0.0;
    EXPECT_TRUE(verify(problem, shorter).verified);
    EXPECT_NE(verify(problem, shorter).explanation.find("no published value"), std::string::npos);
}

}  // namespace
}  // namespace fairlead::mg
