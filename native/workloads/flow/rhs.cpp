// SPDX-License-Identifier: Apache-2.0
#include "flow/rhs.hpp"

namespace fairlead::flow {

namespace {

constexpr std::array<std::array<double, 5>, 5> kFourthDifference = {{
    {0.0, 0.0, 5.0, -4.0, 1.0},
    {0.0, -4.0, 6.0, -4.0, 1.0},
    {1.0, -4.0, 6.0, -4.0, 1.0},
    {1.0, -4.0, 6.0, -4.0, 0.0},
    {1.0, -4.0, 5.0, 0.0, 0.0},
}};

double square(double x) {
    return x * x;
}

// The sum of the neighbours less twice the middle.
double bend(double before, double here, double after) {
    return before - 2.0 * here + after;
}

// Convective flux through a plane across the direction.
template <std::size_t kDirection>
State convection(const State& u, const Primitive& w) {
    const double velocity = w.velocity[kDirection];
    const double p = pressure(u, w);
    State flux{u[kMomentum + kDirection], u[1] * velocity, u[2] * velocity, u[3] * velocity,
               (u[kEnergy] + p) * velocity};
    flux[kMomentum + kDirection] += p;
    return flux;
}

// Adds the differences along one direction at a point. `u` and `w` point to it; the next one is `stride` away.
template <std::size_t kDirection>
void add_differences(State& rhs, const State* u, const Primitive* w, Index stride, const std::array<double, 5>& fourth,
                     const Differences& difference) {
    const State flux_before = convection<kDirection>(u[-stride], w[-stride]);
    const State flux_after = convection<kDirection>(u[stride], w[stride]);
    const double diffusion = kDiffusion[kDirection] * difference.second;
    for (std::size_t m = 0; m < rhs.size(); ++m) {
        const double before = u[-stride][m];
        const double here = u[0][m];
        const double after = u[stride][m];
        rhs[m] += -difference.first * (flux_after[m] - flux_before[m]) + diffusion * bend(before, here, after) -
                  kDissipation * (fourth[0] * u[-2 * stride][m] + fourth[1] * before + fourth[2] * here +
                                  fourth[3] * after + fourth[4] * u[2 * stride][m]);
    }

    const double viscosity = kViscosity * difference.second;
    const Primitive& before = w[-stride];
    const Primitive& after = w[stride];
    for (std::size_t d = 0; d < 3; ++d) {
        rhs[kMomentum + d] += (d == kDirection ? kNormalStress : 1.0) * viscosity *
                              bend(before.velocity[d], w->velocity[d], after.velocity[d]);
    }
    const auto specific_energy = [&](Index place) { return u[place][kEnergy] * w[place].inverse_density; };
    rhs[kEnergy] += viscosity * ((1.0 - kC1C5) * bend(before.kinetic, w->kinetic, after.kinetic) +
                                 bend(square(before.velocity[kDirection]), square(w->velocity[kDirection]),
                                      square(after.velocity[kDirection])) /
                                     6.0 +
                                 kC1C5 * bend(specific_energy(-stride), specific_energy(0), specific_energy(stride)));
}

}  // namespace

const std::array<double, 5>& fourth_difference(Index row, Index points) {
    const std::size_t kind = row == 1 ? 0 : row == 2 ? 1 : row == points - 3 ? 3 : row == points - 2 ? 4 : 2;
    return kFourthDifference[kind];
}

void compute_rhs(Tile& tile) {
    for (Index place = 0; place < tile.layout.size(); ++place) {
        tile.flow[place] = primitive_of(tile.u[place]);
    }
    const Differences difference(tile.points);
    for_each_point(tile.layout, tile.inner, [&](const Point& point, Index place) {
        const State* u = &tile.u[place];
        const Primitive* w = &tile.flow[place];
        State rhs = tile.forcing[place];
        const auto along = [&]<std::size_t kDirection>() {
            add_differences<kDirection>(rhs, u, w, tile.layout.stride(kDirection),
                                        fourth_difference(point[kDirection], tile.points), difference);
        };
        along.template operator()<0>();
        along.template operator()<1>();
        along.template operator()<2>();
        tile.rhs[place] = rhs;
    });
}

}  // namespace fairlead::flow
