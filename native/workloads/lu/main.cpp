// SPDX-License-Identifier: Apache-2.0
// lu: the lower-upper (SSOR) solver after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 3). See docs/reference/bundled-programs.md.
#include <mpi.h>

#include "common/mpi.hpp"
#include "flow/grid.hpp"
#include "flow/program.hpp"
#include "lu/classes.hpp"
#include "lu/relaxation.hpp"
#include "lu/surface.hpp"
#include "lu/wavefront.hpp"

namespace fairlead::lu {
namespace {

class Solver : public flow::Solver {
  public:
    Solver(const flow::Problem& problem, double perturbation)
        : time_step_(problem.time_step),
          partition_(flow::pencils(size_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD))),
          grid_("lu", partition_, problem.points, perturbation),
          wavefront_(MPI_COMM_WORLD, partition_, time_step_) {}

    void start() override { grid_.set_initial_state(); }

    // Relaxation is linear in the right-hand side: scaling its outcome by the time step is scaling that.
    void advance() override {
        grid_.update_rhs();
        wavefront_.relax(grid_.tiles().front());
        grid_.add_change(time_step_ * kOverall);
    }

    flow::Norms norms() override {
        grid_.update_rhs();
        flow::Norms norms = grid_.norms();
        norms.surface_integral = all_reduce(surface_integral(grid_.tiles().front()), MPI_SUM);
        return norms;
    }

  private:
    double time_step_;
    flow::Partition partition_;
    flow::Grid grid_;
    Wavefront wavefront_;
};

const flow::Program kProgram = {
    .name = "lu",
    .description = "Flow by over-relaxation in wavefronts, after the NAS Parallel Benchmarks; verifies its own result",
    .problems = classes(),
    .make_solver = [](const flow::Problem& problem, double perturbation) {
        return std::make_unique<Solver>(problem, perturbation);
    }};

}  // namespace
}  // namespace fairlead::lu

int main(int argc, char** argv) {
    return fairlead::flow::run(fairlead::lu::kProgram, argc, argv);
}
