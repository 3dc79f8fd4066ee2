// SPDX-License-Identifier: Apache-2.0
#include "mg/multigrid.hpp"

#include <algorithm>
#include <cmath>

#include "common/collectives.hpp"
#include "mg/charges.hpp"
#include "mg/stencil.hpp"

namespace fairlead::mg {

namespace {

void clear(Block& block) {
    std::ranges::fill(block.values(), 0.0);
}

// The extremes of all ranks.
std::vector<Drawn> gather(const std::vector<Drawn>& own) {
    constexpr std::size_t kNumbers = 2 * 2 * kChargesOfEachSign;
    constexpr double kNone = -1.0;
    std::vector<double> numbers;
    for (const Drawn& drawn : own) {
        numbers.insert(numbers.end(), {drawn.value, drawn.point});
    }
    numbers.resize(kNumbers, kNone);  // a rank with few points has fewer
    std::vector<double> all(kNumbers * static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
    all_gather(std::span<const double>(numbers), std::span(all));
    std::vector<Drawn> gathered;
    for (std::size_t i = 0; i < all.size(); i += 2) {
        if (all[i + 1] != kNone) {
            gathered.push_back({.value = all[i], .point = all[i + 1]});
        }
    }
    return gathered;
}

}  // namespace

Multigrid::Level::Level(MPI_Comm comm, const RankBox& box, int rank, int points)
    : halo(comm, box, points), solution(box.divide(points, rank)), residual(box.divide(points, rank)) {}

Multigrid::Multigrid(MPI_Comm comm, const Problem& problem, const RankBox& box, double perturbation)
    : problem_(problem), right_side_(box.divide(1 << problem.levels, rank_of(comm))) {
    for (int level = 1; level <= problem.levels; ++level) {
        levels_.emplace_back(comm, box, rank_of(comm), 1 << level);
    }
    set_charges(gather(draw_extremes(box.divide(1 << problem.levels, rank_of(comm)))), perturbation, right_side_);
}

void Multigrid::start() {
    clear(levels_.back().solution);
    update_residual(levels_.back(), right_side_);
}

void Multigrid::update_residual(Level& level, const Block& right_side) {
    subtract_laplacian(level.solution, right_side, level.residual);
    level.halo.exchange(level.residual);
}

void Multigrid::smooth_solution(Level& level) {
    smooth(problem_.smoother, level.residual, level.solution);
    level.halo.exchange(level.solution);
}

void Multigrid::advance() {
    for (std::size_t level = levels_.size() - 1; level > 0; --level) {
        restrict_to(levels_[level].residual, levels_[level - 1].residual);
        levels_[level - 1].halo.exchange(levels_[level - 1].residual);
    }
    clear(levels_.front().solution);
    smooth_solution(levels_.front());
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        Level& here = levels_[level];
        const bool finest = level + 1 == levels_.size();
        if (!finest) {
            clear(here.solution);
        }
        interpolate(levels_[level - 1].solution, here.solution);
        update_residual(here, finest ? right_side_ : here.residual);
        smooth_solution(here);
    }
    update_residual(levels_.back(), right_side_);
}

double Multigrid::residual_norm() const {
    const double squares = all_reduce(sum_of_squares(levels_.back().residual), MPI_SUM);
    return std::sqrt(squares / std::pow(2.0, 3 * problem_.levels));
}

}  // namespace fairlead::mg
