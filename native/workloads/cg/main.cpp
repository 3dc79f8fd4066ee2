// SPDX-License-Identifier: Apache-2.0
// cg: the conjugate-gradient kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 2.2.3): smallest eigenvalue of a sparse matrix by inverse power iteration.
// See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <cmath>
#include <vector>

#include "cg/problem.hpp"
#include "cg/solver.hpp"
#include "common/benchmark.hpp"
#include "common/formatted.hpp"

namespace fairlead::cg {
namespace {

constexpr Benchmark kBenchmark = {
    .name = "cg",
    .description = "Conjugate gradient after the NAS Parallel Benchmarks; verifies its own result",
    .iterations = "outer iterations",
    .perturb = "add this to one element of the matrix, to see verification fail"};

// The inverse power iteration. `x` and `z` are this rank's pieces.
class PowerIteration {
  public:
    PowerIteration(Solver& solver, const Problem& problem, std::size_t piece)
        : solver_(solver), problem_(problem), x_(piece), z_(piece) {}

    void start() { std::ranges::fill(x_, 1.0); }

    void advance() {
        residual_ = solver_.solve(x_, z_);
        // Both products in one exchange, as the reference pattern has it.
        double products[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < x_.size(); ++i) {
            products[0] += x_[i] * z_[i];
            products[1] += z_[i] * z_[i];
        }
        solver_.sum(products);
        zeta_ = problem_.shift + 1.0 / products[0];
        const double scale = 1.0 / std::sqrt(products[1]);
        std::ranges::transform(z_, x_.begin(), [&](double component) { return scale * component; });
    }

    double zeta() const { return zeta_; }
    double residual() const { return residual_; }

  private:
    Solver& solver_;
    const Problem& problem_;
    std::vector<double> x_, z_;
    double zeta_ = 0.0;
    double residual_ = 0.0;
};

Outcome iterate(PowerIteration& power, const Problem& problem, int iterations, Timing& timing) {
    // One iteration untimed, which also opens the connections; then from the start again.
    power.start();
    power.advance();
    power.start();
    Outcome outcome{};
    timing.iterate(iterations, [&](int iteration) {
        power.advance();
        if (iteration == problem.iterations) {
            outcome.standard_zeta = power.zeta();
        }
    });
    outcome.iterations = iterations;
    outcome.final_zeta = power.zeta();
    outcome.final_zeta_lowest = all_reduce(power.zeta(), MPI_MIN);
    outcome.final_zeta_highest = all_reduce(power.zeta(), MPI_MAX);
    outcome.residual = power.residual();
    return outcome;
}

Findings solve(const Problem& problem, const BenchmarkOptions& options, Timing& timing) {
    const int rank = rank_of(MPI_COMM_WORLD);
    const Grid grid(size_of(MPI_COMM_WORLD), rank, problem.order);
    CsrMatrix matrix = make_matrix(problem, grid.block());
    if (rank == 0) {
        matrix.value.front() += options.perturbation;
    }
    Solver solver(MPI_COMM_WORLD, grid, std::move(matrix));
    PowerIteration power(solver, problem, static_cast<std::size_t>(grid.piece_length()));
    timing.end_set_up();

    const Outcome outcome = iterate(power, problem, options.iterations_or(problem.iterations), timing);
    return {.verdict = verify(problem, outcome),
            .lines = {formatted("zeta %.13f, published %.13f after %d iterations", outcome.final_zeta, problem.zeta,
                                problem.iterations)},
            .fields = {{"zeta", outcome.final_zeta}, {"residual", outcome.residual}}};
}

}  // namespace
}  // namespace fairlead::cg

int main(int argc, char** argv) {
    using namespace fairlead;
    return run_benchmark(cg::kBenchmark, cg::problems(), cg::solve, argc, argv);
}
