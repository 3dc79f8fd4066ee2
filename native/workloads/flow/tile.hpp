// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/field.hpp"
#include "flow/gas.hpp"

namespace fairlead::flow {

// A box of the grid in one rank's hands, with the fields that all three programs have.
struct Tile {
    // `points`: of the whole cubic grid, a side.
    Tile(const Box& box, Index points);

    // Sets the state from which the iteration starts.
    void set_initial_state();

    Index points;
    Box box;
    Box inner;  // without the points on the grid's boundary, which keep their values
    Layout layout;
    Field<State> u;
    Field<Primitive> flow;  // of u
    Field<State> forcing;   // makes the exact solution the steady one
    // The right-hand side, which the solvers turn into the change of u in place. Zero on the boundary and outside the
    // grid, so that the line solves need no special first and last rows.
    Field<State> rhs;
};

}  // namespace fairlead::flow
