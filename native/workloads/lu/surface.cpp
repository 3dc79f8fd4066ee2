// SPDX-License-Identifier: Apache-2.0
#include "lu/surface.hpp"

namespace fairlead::lu {

using flow::Index;
using flow::Point;

namespace {

// The box, with its last points. It is not a cube: the benchmark sets it so.
struct Bounds {
    explicit Bounds(Index points) : low{1, 1, 2}, high{points - 2, points - 3, points - 2} {}

    // How many of the intervals in this direction a point ends: 2 inside, 1 at both ends, 0 outside.
    double intervals(const Point& point, std::size_t d) const {
        if (point[d] < low[d] || point[d] > high[d]) {
            return 0.0;
        }
        return point[d] == low[d] || point[d] == high[d] ? 1.0 : 2.0;
    }

    bool on_face(const Point& point, std::size_t d) const { return point[d] == low[d] || point[d] == high[d]; }

    Point low;
    Point high;
};

}  // namespace

double surface_integral(const flow::Tile& tile) {
    const Bounds bounds(tile.points);
    double sum = 0.0;
    flow::for_each_point(tile.layout, tile.inner, [&](const Point& point, Index place) {
        for (std::size_t d = 0; d < 3; ++d) {
            if (bounds.on_face(point, d)) {
                const double weight = bounds.intervals(point, (d + 1) % 3) * bounds.intervals(point, (d + 2) % 3);
                sum += weight * flow::pressure(tile.u[place], flow::primitive_of(tile.u[place]));
            }
        }
    });
    const double spacing = 1.0 / static_cast<double>(tile.points - 1);
    return 0.25 * spacing * spacing * sum;
}

}  // namespace fairlead::lu
