// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "flow/gas.hpp"

namespace fairlead::flow {

// A 5 x 5 matrix, row by row.
using Matrix5 = std::array<double, 25>;

inline double& element(Matrix5& matrix, std::size_t row, std::size_t column) {
    return matrix[5 * row + column];
}
inline double element(const Matrix5& matrix, std::size_t row, std::size_t column) {
    return matrix[5 * row + column];
}

// Derivative of the convective flux in a direction by the state (NAS report RNR-94-007, section 3).
template <std::size_t kDirection>
Matrix5 convection_jacobian(const State& u, const Primitive& w) {
    constexpr std::size_t kAlong = kMomentum + kDirection;
    const double velocity = w.velocity[kDirection];
    const double enthalpy = kC1 * u[kEnergy] * w.inverse_density - kC2 * w.kinetic;
    Matrix5 jacobian{};
    element(jacobian, kDensity, kAlong) = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
        element(jacobian, kMomentum + d, kDensity) = -w.velocity[d] * velocity;
        element(jacobian, kMomentum + d, kMomentum + d) += velocity;
        element(jacobian, kMomentum + d, kAlong) += w.velocity[d];
        element(jacobian, kAlong, kMomentum + d) -= kC2 * w.velocity[d];
        element(jacobian, kEnergy, kMomentum + d) = -kC2 * w.velocity[d] * velocity;
    }
    element(jacobian, kAlong, kDensity) += kC2 * w.kinetic;
    element(jacobian, kAlong, kEnergy) = kC2;
    element(jacobian, kEnergy, kDensity) = (kC2 * w.kinetic - enthalpy) * velocity;
    element(jacobian, kEnergy, kAlong) += enthalpy;
    element(jacobian, kEnergy, kEnergy) = kC1 * velocity;
    return jacobian;
}

// The same of the viscous terms, the added diffusion on the diagonal included.
template <std::size_t kDirection>
Matrix5 viscous_jacobian(const State& u, const Primitive& w) {
    constexpr double kHeat = kC1C5 * kViscosity;
    Matrix5 jacobian{};
    element(jacobian, kEnergy, kDensity) = -kHeat * u[kEnergy] * w.inverse_density * w.inverse_density;
    for (std::size_t d = 0; d < 3; ++d) {
        const double stress = (d == kDirection ? kNormalStress : 1.0) * kViscosity;
        const double slope = w.velocity[d] * w.inverse_density;
        element(jacobian, kMomentum + d, kDensity) = -stress * slope;
        element(jacobian, kMomentum + d, kMomentum + d) = stress * w.inverse_density;
        element(jacobian, kEnergy, kDensity) -= (stress - kHeat) * w.velocity[d] * slope;
        element(jacobian, kEnergy, kMomentum + d) = (stress - kHeat) * slope;
    }
    element(jacobian, kEnergy, kEnergy) = kHeat * w.inverse_density;
    for (std::size_t m = 0; m < 5; ++m) {
        element(jacobian, m, m) += kDiffusion[kDirection];
    }
    return jacobian;
}

// a + factor * b.
inline void add(Matrix5& a, double factor, const Matrix5& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        a[k] += factor * b[k];
    }
}

inline Matrix5 identity() {
    Matrix5 matrix{};
    for (std::size_t m = 0; m < 5; ++m) {
        element(matrix, m, m) = 1.0;
    }
    return matrix;
}

// How the linearised equations of a point depend on the state of a neighbour in a direction: the block beside the
// diagonal of the implicit step. `first` and `second` are the time step times the factors of the differences, `first`
// negative for the neighbour before. (u, w) is the neighbour's state.
template <std::size_t kDirection>
Matrix5 neighbour_block(const State& u, const Primitive& w, double first, double second) {
    Matrix5 block{};
    add(block, first, convection_jacobian<kDirection>(u, w));
    add(block, -second, viscous_jacobian<kDirection>(u, w));
    return block;
}

// a -= block * b.
inline void subtract_product(State& a, const Matrix5& block, const State& b) {
    for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t k = 0; k < 5; ++k) {
            a[row] -= element(block, row, k) * b[k];
        }
    }
}

inline void subtract_product(Matrix5& a, const Matrix5& block, const Matrix5& b) {
    for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t k = 0; k < 5; ++k) {
            for (std::size_t column = 0; column < 5; ++column) {
                element(a, row, column) -= element(block, row, k) * element(b, k, column);
            }
        }
    }
}

// Turns each of `sides` (matrices of five rows or states) into the solution of matrix * x = side. Without pivoting: the
// blocks here are dominated by their diagonals.
template <class... Sides>
void solve_in_place(Matrix5 matrix, Sides&... sides);

namespace detail {

inline std::size_t columns(const Matrix5&) {
    return 5;
}
inline std::size_t columns(const State&) {
    return 1;
}

// row -= factor * pivot row, and row *= factor.
template <class Side>
void subtract_row(Side& side, std::size_t row, double factor, std::size_t pivot) {
    const std::size_t n = columns(side);
    for (std::size_t k = 0; k < n; ++k) {
        side[n * row + k] -= factor * side[n * pivot + k];
    }
}

template <class Side>
void scale_row(Side& side, std::size_t row, double factor) {
    const std::size_t n = columns(side);
    for (std::size_t k = 0; k < n; ++k) {
        side[n * row + k] *= factor;
    }
}

}  // namespace detail

template <class... Sides>
void solve_in_place(Matrix5 matrix, Sides&... sides) {
    for (std::size_t pivot = 0; pivot < 5; ++pivot) {
        const double scale = 1.0 / element(matrix, pivot, pivot);
        detail::scale_row(matrix, pivot, scale);
        (detail::scale_row(sides, pivot, scale), ...);
        for (std::size_t row = 0; row < 5; ++row) {
            if (row != pivot) {
                const double factor = element(matrix, row, pivot);
                detail::subtract_row(matrix, row, factor, pivot);
                (detail::subtract_row(sides, row, factor, pivot), ...);
            }
        }
    }
}

}  // namespace fairlead::flow
