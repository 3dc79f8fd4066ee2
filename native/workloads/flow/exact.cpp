// SPDX-License-Identifier: Apache-2.0
#include "flow/exact.hpp"

#include <algorithm>

namespace fairlead::flow {

namespace {

// The coefficients of one variable: of 1, and of the first to fourth powers of x, of y and of z.
struct Polynomial {
    double constant;
    std::array<std::array<double, 4>, 3> powers;
};

constexpr std::array<Polynomial, 5> kPolynomials = {{
    {2.0, {{{0.0, 5.0, 0.02, 0.5}, {0.0, 3.0, 0.01, 0.4}, {4.0, 0.5, 0.03, 0.3}}}},
    {1.0, {{{0.0, 1.0, 0.01, 0.4}, {0.0, 2.0, 0.03, 0.3}, {0.0, 3.0, 0.02, 0.5}}}},
    {2.0, {{{2.0, 0.0, 0.04, 0.3}, {0.0, 2.0, 0.03, 0.5}, {0.0, 3.0, 0.05, 0.4}}}},
    {2.0, {{{2.0, 0.0, 0.03, 0.2}, {0.0, 2.0, 0.05, 0.1}, {0.0, 3.0, 0.04, 0.3}}}},
    {5.0, {{{4.0, 0.1, 0.05, 0.1}, {3.0, 0.4, 0.04, 0.3}, {2.0, 0.3, 0.03, 0.2}}}},
}};

double value(const Polynomial& polynomial, const std::array<double, 3>& position) {
    double sum = polynomial.constant;
    for (std::size_t d = 0; d < 3; ++d) {
        const double t = position[d];
        const auto& c = polynomial.powers[d];
        sum += t * (c[0] + t * (c[1] + t * (c[2] + t * c[3])));
    }
    return sum;
}

std::array<double, 3> position_of(const Point& point, Index points) {
    std::array<double, 3> position{};
    for (std::size_t d = 0; d < 3; ++d) {
        position[d] = static_cast<double>(point[d]) / static_cast<double>(points - 1);
    }
    return position;
}

}  // namespace

State exact_solution(const std::array<double, 3>& position) {
    State u{};
    for (std::size_t m = 0; m < u.size(); ++m) {
        u[m] = value(kPolynomials[m], position);
    }
    return u;
}

State exact_solution(const Point& point, Index points) {
    return exact_solution(position_of(point, points));
}

State initial_state(const Point& point, Index points) {
    if (on_boundary(point, points)) {
        return exact_solution(point, points);
    }
    const std::array<double, 3> position = position_of(point, points);
    // Between each two opposite faces, linear: one value a direction. They are then joined by 1 - (1-a)(1-b)(1-c).
    std::array<State, 3> linear{};
    for (std::size_t d = 0; d < 3; ++d) {
        std::array<double, 3> low = position;
        std::array<double, 3> high = position;
        low[d] = 0.0;
        high[d] = 1.0;
        const State at_low = exact_solution(low);
        const State at_high = exact_solution(high);
        for (std::size_t m = 0; m < at_low.size(); ++m) {
            linear[d][m] = (1.0 - position[d]) * at_low[m] + position[d] * at_high[m];
        }
    }
    State u{};
    for (std::size_t m = 0; m < u.size(); ++m) {
        const double a = linear[0][m];
        const double b = linear[1][m];
        const double c = linear[2][m];
        u[m] = a + b + c - a * b - a * c - b * c + a * b * c;
    }
    return u;
}

bool on_boundary(const Point& point, Index points) {
    return std::ranges::any_of(point, [&](Index i) { return i == 0 || i == points - 1; });
}

bool in_grid(const Point& point, Index points) {
    return std::ranges::all_of(point, [&](Index i) { return i >= 0 && i < points; });
}

}  // namespace fairlead::flow
