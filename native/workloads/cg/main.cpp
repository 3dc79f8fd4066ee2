// SPDX-License-Identifier: Apache-2.0
// cg: the conjugate-gradient kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 2.2.3): smallest eigenvalue of a sparse matrix by inverse power iteration. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cg/problem.hpp"
#include "cg/solver.hpp"
#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"

namespace fairlead::cg {
namespace {

struct Options {
    std::string class_name = "S";
    int iterations = 0;  // 0: the class's own number
    double perturbation = 0.0;
    std::string json;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Conjugate gradient after the NAS Parallel Benchmarks; verifies its own result", "cg");
    app.add_option("--class", options.class_name, "problem class: S, W, A, B or C")->capture_default_str();
    app.add_option("--iterations", options.iterations, "outer iterations (default: the class's own number)")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--perturb", options.perturbation,
                   "add this to one element of the matrix, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    return options;
}

struct Timing {
    double setup_s = 0.0;
    double total_s = 0.0;              // the timed section
    std::vector<double> iterations_s;  // its parts
};

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
    barrier();
    Outcome outcome{};
    const double start = MPI_Wtime();
    double before = start;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
        power.advance();
        if (iteration == problem.iterations) {
            outcome.standard_zeta = power.zeta();
        }
        const double now = MPI_Wtime();
        timing.iterations_s.push_back(now - before);
        before = now;
    }
    timing.total_s = all_reduce(before - start, MPI_MAX);
    outcome.iterations = iterations;
    outcome.final_zeta = power.zeta();
    outcome.final_zeta_lowest = all_reduce(power.zeta(), MPI_MIN);
    outcome.final_zeta_highest = all_reduce(power.zeta(), MPI_MAX);
    outcome.residual = power.residual();
    return outcome;
}

void report(const Options& options, const Problem& problem, int ranks, const Outcome& outcome, const Timing& timing,
            const Verdict& verdict) {
    std::printf("cg class %c, %d ranks, %d iterations: %.3f s (set-up %.3f s)\n", problem.name, ranks,
                outcome.iterations, timing.total_s, timing.setup_s);
    std::printf("zeta %.13f, published %.13f after %d iterations\n", outcome.final_zeta, problem.zeta,
                problem.iterations);
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    write_result({{"program", "cg"},
                  {"class", std::string(1, problem.name)},
                  {"ranks", ranks},
                  {"iterations", outcome.iterations},
                  {"seconds", timing.total_s},
                  {"setup_s", timing.setup_s},
                  {"zeta", outcome.final_zeta},
                  {"residual", outcome.residual},
                  {"verified", verdict.verified},
                  {"verification", verdict.explanation},
                  {"iteration_s", timing.iterations_s}},
                 options.json);
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    const Problem& problem = find_problem(options.class_name);
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_of(MPI_COMM_WORLD);
    const Grid grid(ranks, rank, problem.order);

    Timing timing;
    const double start = MPI_Wtime();
    CsrMatrix matrix = make_matrix(problem, grid.block());
    if (rank == 0) {
        matrix.value.front() += options.perturbation;
    }
    Solver solver(MPI_COMM_WORLD, grid, std::move(matrix));
    PowerIteration power(solver, problem, static_cast<std::size_t>(grid.piece_length()));
    timing.setup_s = all_reduce(MPI_Wtime() - start, MPI_MAX);

    const int iterations = options.iterations > 0 ? options.iterations : problem.iterations;
    const Outcome outcome = iterate(power, problem, iterations, timing);
    Verdict verdict = verify(problem, outcome);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank == 0) {
        report(options, problem, ranks, outcome, timing, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::cg

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::cg::run(argc, argv); });
}
