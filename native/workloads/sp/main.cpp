// SPDX-License-Identifier: Apache-2.0
// sp: the scalar pentadiagonal solver after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 3). See docs/reference/bundled-programs.md.
#include <mpi.h>

#include "common/mpi.hpp"
#include "flow/grid.hpp"
#include "flow/line_sweep.hpp"
#include "flow/program.hpp"
#include "sp/characteristics.hpp"
#include "sp/classes.hpp"
#include "sp/pentadiagonal.hpp"

namespace fairlead::sp {
namespace {

class Solver : public flow::Solver {
  public:
    Solver(const flow::Problem& problem, double perturbation)
        : time_step_(problem.time_step),
          partition_(flow::multipartition(size_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD))),
          grid_("sp", partition_, problem.points, perturbation),
          sweep_(MPI_COMM_WORLD, partition_, Pentadiagonal(time_step_), grid_.tiles()) {}

    void start() override { grid_.set_initial_state(); }

    void advance() override {
        grid_.update_rhs();
        change_variables([&](const flow::State& change, const flow::State&, const flow::Primitive& w) {
            flow::State scaled = change;
            for (double& value : scaled) {
                value *= time_step_;
            }
            return to_x(scaled, w);
        });
        sweep_.solve(0);
        change_variables(
            [](const flow::State& change, const flow::State&, const flow::Primitive&) { return x_to_y(change); });
        sweep_.solve(1);
        change_variables(
            [](const flow::State& change, const flow::State&, const flow::Primitive&) { return y_to_z(change); });
        sweep_.solve(2);
        change_variables([](const flow::State& change, const flow::State& u, const flow::Primitive& w) {
            return from_z(change, u[flow::kDensity], w);
        });
        grid_.add_change(1.0);
    }

    flow::Norms norms() override {
        grid_.update_rhs();
        return grid_.norms();
    }

  private:
    // Replaces the right-hand side at every inner point by convert(right-hand side, state, its primitives).
    template <class Convert>
    void change_variables(Convert&& convert) {
        for (flow::Tile& tile : grid_.tiles()) {
            flow::for_each_point(tile.layout, tile.inner, [&](const flow::Point&, flow::Index place) {
                tile.rhs[place] = convert(tile.rhs[place], tile.u[place], tile.flow[place]);
            });
        }
    }

    double time_step_;
    flow::Partition partition_;
    flow::Grid grid_;
    flow::LineSweep<Pentadiagonal> sweep_;
};

const flow::Program kProgram = {
    .name = "sp",
    .description =
        "Flow by scalar pentadiagonal line solves, after the NAS Parallel Benchmarks; verifies its own result",
    .problems = classes(),
    .make_solver = [](const flow::Problem& problem, double perturbation) {
        return std::make_unique<Solver>(problem, perturbation);
    }};

}  // namespace
}  // namespace fairlead::sp

int main(int argc, char** argv) {
    return fairlead::flow::run(fairlead::sp::kProgram, argc, argv);
}
