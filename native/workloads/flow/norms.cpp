// SPDX-License-Identifier: Apache-2.0
#include "flow/norms.hpp"

#include <cmath>

#include "flow/exact.hpp"

namespace fairlead::flow {

void add_squares(const Tile& tile, State& residual, State& error) {
    for_each_point(tile.layout, tile.inner, [&](const Point& point, Index place) {
        const State exact = exact_solution(point, tile.points);
        for (std::size_t m = 0; m < exact.size(); ++m) {
            const double difference = tile.u[place][m] - exact[m];
            residual[m] += tile.rhs[place][m] * tile.rhs[place][m];
            error[m] += difference * difference;
        }
    });
}

State root_mean_square(const State& sum, Index points) {
    const auto side = static_cast<double>(points - 2);
    State root{};
    for (std::size_t m = 0; m < sum.size(); ++m) {
        root[m] = std::sqrt(sum[m] / (side * side * side));
    }
    return root;
}

}  // namespace fairlead::flow
