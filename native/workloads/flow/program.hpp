// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "flow/problem.hpp"

namespace fairlead::flow {

// What differs between sp, bt and lu: the way to the next state.
class Solver {
  public:
    virtual ~Solver() = default;
    virtual void start() = 0;    // from the initial state
    virtual void advance() = 0;  // one time step
    virtual Norms norms() = 0;   // of the present state; the same on all ranks
};

struct Program {
    const char* name;
    const char* description;
    std::span<const Problem> problems;
    // `perturbation` is to be added to one element of the forcing.
    std::function<std::unique_ptr<Solver>(const Problem&, double perturbation)> make_solver;
};

// The whole program. Returns the exit code.
int run(const Program& program, int argc, char** argv);

}  // namespace fairlead::flow
