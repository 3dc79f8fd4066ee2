// SPDX-License-Identifier: Apache-2.0
// bt: the block tridiagonal solver after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 3). See docs/reference/bundled-programs.md.
#include <mpi.h>

#include "bt/block_tridiagonal.hpp"
#include "bt/classes.hpp"
#include "common/mpi.hpp"
#include "flow/grid.hpp"
#include "flow/line_sweep.hpp"
#include "flow/program.hpp"

namespace fairlead::bt {
namespace {

class Solver : public flow::Solver {
  public:
    Solver(const flow::Problem& problem, double perturbation)
        : time_step_(problem.time_step),
          partition_(flow::multipartition(size_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD))),
          grid_("bt", partition_, problem.points, perturbation),
          sweep_(MPI_COMM_WORLD, partition_, BlockTridiagonal(time_step_), grid_.tiles()) {}

    void start() override { grid_.set_initial_state(); }

    // The systems are linear: scaling the solution by the time step is scaling the right-hand side by it.
    void advance() override {
        grid_.update_rhs();
        for (std::size_t direction = 0; direction < 3; ++direction) {
            sweep_.solve(direction);
        }
        grid_.add_change(time_step_);
    }

    flow::Norms norms() override {
        grid_.update_rhs();
        return grid_.norms();
    }

  private:
    double time_step_;
    flow::Partition partition_;
    flow::Grid grid_;
    flow::LineSweep<BlockTridiagonal> sweep_;
};

const flow::Program kProgram = {
    .name = "bt",
    .description = "Flow by block tridiagonal line solves, after the NAS Parallel Benchmarks; verifies its own result",
    .problems = classes(),
    .make_solver = [](const flow::Problem& problem, double perturbation) {
        return std::make_unique<Solver>(problem, perturbation);
    }};

}  // namespace
}  // namespace fairlead::bt

int main(int argc, char** argv) {
    return fairlead::flow::run(fairlead::bt::kProgram, argc, argv);
}
