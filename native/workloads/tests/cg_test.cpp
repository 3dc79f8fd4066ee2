// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "cg/grid.hpp"
#include "cg/matrix.hpp"
#include "cg/problem.hpp"
#include "common/problem_class.hpp"

namespace fairlead::cg {
namespace {

constexpr Problem kSmall{.name = '-', .order = 60, .nonzeros = 4, .iterations = 1, .shift = 10.0, .zeta = 0.0};

using Dense = std::vector<std::vector<double>>;

// The matrix by its definition, in full.
Dense dense_reference(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.order);
    Dense a(n, std::vector<double>(n, 0.0));
    GeneratingVectors vectors(problem);
    for (std::size_t k = 0; k < n; ++k) {
        std::vector<double> v(n, 0.0);
        for (const SparseElement& e : vectors.next()) {
            v[static_cast<std::size_t>(e.index)] = e.value;
        }
        const double weight = std::pow(Problem::kCondition, static_cast<double>(k) / problem.order);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                a[i][j] += weight * v[i] * v[j];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        a[i][i] += Problem::kCondition - problem.shift;
    }
    return a;
}

TEST(GeneratingVectors, HaveDistinctLocationsAndHalfOnTheDiagonal) {
    GeneratingVectors vectors(find_class(problems(), "S"));
    for (int i = 0; i < 1400; ++i) {
        std::map<int, double> elements;
        for (const SparseElement& e : vectors.next()) {
            ASSERT_TRUE(elements.emplace(e.index, e.value).second) << "vector " << i << " has " << e.index << " twice";
            ASSERT_TRUE(e.index >= 0 && e.index < 1400);
        }
        EXPECT_EQ(elements.at(i), 0.5);
        EXPECT_TRUE(elements.size() == 7 || elements.size() == 8);
    }
}

TEST(Matrix, BlocksMakeTheDenseReference) {
    const Dense reference = dense_reference(kSmall);
    for (const int ranks : {1, 2, 4, 8, 16}) {
        std::size_t covered = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const Block block = Grid(ranks, rank, kSmall.order).block();
            const CsrMatrix matrix = make_matrix(kSmall, block);
            ASSERT_EQ(matrix.rows(), block.rows());
            covered += static_cast<std::size_t>(block.rows()) * static_cast<std::size_t>(block.columns());
            for (int row = 0; row < block.rows(); ++row) {
                std::vector<double> dense(static_cast<std::size_t>(block.columns()), 0.0);
                for (std::size_t k = matrix.row_start[static_cast<std::size_t>(row)];
                     k < matrix.row_start[static_cast<std::size_t>(row) + 1]; ++k) {
                    ASSERT_EQ(dense[static_cast<std::size_t>(matrix.column[k])], 0.0) << "element stored twice";
                    dense[static_cast<std::size_t>(matrix.column[k])] = matrix.value[k];
                }
                for (int column = 0; column < block.columns(); ++column) {
                    EXPECT_NEAR(dense[static_cast<std::size_t>(column)],
                                reference[static_cast<std::size_t>(block.first_row + row)]
                                         [static_cast<std::size_t>(block.first_column + column)],
                                1e-13);
                }
            }
        }
        EXPECT_EQ(covered, 60U * 60U) << ranks << " ranks";
    }
}

TEST(Matrix, ProductWithOnesGivesRowSums) {
    const Dense reference = dense_reference(kSmall);
    const CsrMatrix matrix = make_matrix(kSmall, {0, 60, 0, 60});
    const std::vector<double> ones(60, 1.0);
    std::vector<double> sums(60);
    multiply(matrix, ones, sums);
    for (std::size_t i = 0; i < 60; ++i) {
        EXPECT_NEAR(sums[i], std::accumulate(reference[i].begin(), reference[i].end(), 0.0), 1e-12);
    }
}

class GridOfRanks : public testing::TestWithParam<int> {};

TEST_P(GridOfRanks, TransposePartnersAreMutualAndHoldWhatTheOtherNeeds) {
    const int ranks = GetParam();
    const auto summed_piece = [](const Grid& grid) {  // the piece that a rank holds after its row's sum
        const int width = grid.columns() / grid.rows();
        return grid.row() * width + grid.column() % width;
    };
    for (int rank = 0; rank < ranks; ++rank) {
        const Grid grid(ranks, rank, 1400);
        EXPECT_EQ(grid.rows() * grid.columns(), ranks);
        const Grid partner(ranks, grid.transpose_partner(), 1400);
        EXPECT_EQ(partner.transpose_partner(), rank);
        EXPECT_EQ(summed_piece(partner), grid.column());
    }
}

TEST_P(GridOfRanks, RecursiveDoublingReachesTheWholeRow) {
    const int ranks = GetParam();
    std::vector<std::vector<int>> reached(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        reached[static_cast<std::size_t>(rank)] = {rank};
    }
    const std::size_t steps = Grid(ranks, 0, 1400).row_partners().size();
    for (std::size_t step = 0; step < steps; ++step) {
        auto next = reached;
        for (int rank = 0; rank < ranks; ++rank) {
            const int partner = Grid(ranks, rank, 1400).row_partners()[step];
            EXPECT_EQ(Grid(ranks, partner, 1400).row_partners()[step], rank);
            const auto& theirs = reached[static_cast<std::size_t>(partner)];
            auto& own = next[static_cast<std::size_t>(rank)];
            own.insert(own.end(), theirs.begin(), theirs.end());
        }
        reached = next;
    }
    for (int rank = 0; rank < ranks; ++rank) {
        auto& row = reached[static_cast<std::size_t>(rank)];
        std::ranges::sort(row);
        const Grid grid(ranks, rank, 1400);
        ASSERT_EQ(std::ssize(row), grid.columns());  // each once
        EXPECT_EQ(row.front(), grid.row() * grid.columns());
        EXPECT_EQ(row.back(), (grid.row() + 1) * grid.columns() - 1);
        EXPECT_EQ(std::ranges::adjacent_find(row), row.end());
    }
}

INSTANTIATE_TEST_SUITE_P(PowersOfTwo, GridOfRanks, testing::Values(1, 2, 4, 8, 16, 32, 64));

TEST(Grid, RefusesWhatIsNoPowerOfTwoOrTooMany) {
    for (const int ranks : {3, 6, 12, 100}) {
        EXPECT_THROW(Grid(ranks, 0, 1400), UsageError) << ranks;
    }
    EXPECT_THROW(Grid(64, 0, 7), UsageError);
}

TEST(Problem, HasThePublishedClasses) {
    struct Expected {
        const char* name;
        int order;
        int nonzeros;
        int iterations;
        double shift;
        double zeta;
    };
    constexpr std::array kExpected = {Expected{"S", 1'400, 7, 15, 10, 8.5971775078648},
                                      Expected{"W", 7'000, 8, 15, 12, 10.362595087124},
                                      Expected{"A", 14'000, 11, 15, 20, 17.130235054029},
                                      Expected{"B", 75'000, 13, 75, 60, 22.712745482631},
                                      Expected{"C", 150'000, 15, 75, 110, 28.973605592845},
                                      Expected{"D", 1'500'000, 21, 100, 500, 52.514532105794},
                                      Expected{"E", 9'000'000, 26, 100, 1500, 77.522164599383}};
    ASSERT_EQ(problems().size(), kExpected.size());
    for (const Expected& expected : kExpected) {
        const Problem& problem = find_class(problems(), expected.name);
        EXPECT_EQ(problem.order, expected.order) << expected.name;
        EXPECT_EQ(problem.nonzeros, expected.nonzeros) << expected.name;
        EXPECT_EQ(problem.iterations, expected.iterations) << expected.name;
        EXPECT_EQ(problem.shift, expected.shift) << expected.name;
        EXPECT_EQ(problem.zeta, expected.zeta) << expected.name;
    }
}

TEST(Problem, RefusesUnknownClasses) {
    EXPECT_EQ(find_class(problems(), "A").order, 14000);
    for (const char* name : {"", "F", "s", "AA"}) {
        EXPECT_THROW(find_class(problems(), name), UsageError) << name;
    }
    EXPECT_EQ(class_names(problems(), "or"), "S, W, A, B, C, D or E");
    EXPECT_EQ(class_names(problems().first(1), "or"), "S");
}

Outcome good_outcome(const Problem& problem) {
    return {.iterations = problem.iterations,
            .standard_zeta = problem.zeta,
            .final_zeta = problem.zeta,
            .final_zeta_lowest = problem.zeta,
            .final_zeta_highest = problem.zeta,
            .residual = 1e-14};
}

TEST(Verify, AcceptsWithinToleranceOnly) {
    const Problem& problem = find_class(problems(), "W");
    Outcome outcome = good_outcome(problem);
    EXPECT_TRUE(verify(problem, outcome).verified);
    outcome.standard_zeta = problem.zeta * (1 + 0.9e-10);
    EXPECT_TRUE(verify(problem, outcome).verified);
    outcome.standard_zeta = problem.zeta * (1 + 1.2e-10);
    EXPECT_FALSE(verify(problem, outcome).verified);
    outcome.standard_zeta = problem.zeta * (1 - 1.2e-10);
    EXPECT_FALSE(verify(problem, outcome).verified);
    outcome.standard_zeta = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(verify(problem, outcome).verified);
}

TEST(Verify, LooksAtEverythingElseToo) {
    const Problem& problem = find_class(problems(), "W");
    Outcome longer = good_outcome(problem);
    longer.iterations = 1000;
    EXPECT_TRUE(verify(problem, longer).verified);
    longer.final_zeta += 1e-8;  // damaged after the standard iterations
    EXPECT_FALSE(verify(problem, longer).verified);

    Outcome shorter = good_outcome(problem);
    shorter.iterations = 3;
    shorter.standard_zeta = 0.0;
    EXPECT_TRUE(verify(problem, shorter).verified);
    EXPECT_NE(verify(problem, shorter).explanation.find("no published value"), std::string::npos);

    Outcome split = good_outcome(problem);
    split.final_zeta_highest += 1e-8;
    EXPECT_FALSE(verify(problem, split).verified);

    Outcome unsolved = good_outcome(problem);
    unsolved.residual = 1e-3;
    EXPECT_FALSE(verify(problem, unsolved).verified);
    unsolved.residual = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(verify(problem, unsolved).verified);
}

}  // namespace
}  // namespace fairlead::cg
