// SPDX-License-Identifier: Apache-2.0
#include "mg/charges.hpp"

#include <algorithm>

#include "common/randlc.hpp"

namespace fairlead::mg {

namespace {

// Leaves the ten smallest and the ten largest, in ascending order.
void keep_extremes(std::vector<Drawn>& drawn) {
    std::ranges::sort(drawn, {}, &Drawn::value);
    if (drawn.size() > 2 * kChargesOfEachSign) {
        drawn.erase(drawn.begin() + kChargesOfEachSign, drawn.end() - kChargesOfEachSign);
    }
}

// Adds `value` at point `point`, if this rank owns it.
void add_at(double point, double value, Block& v) {
    const auto number = static_cast<long long>(point);
    const long long points = v.axis(0).points();
    const auto x = static_cast<int>(number % points);
    const auto y = static_cast<int>(number / points % points);
    const auto z = static_cast<int>(number / points / points);
    if (v.axis(0).owns(x) && v.axis(1).owns(y) && v.axis(2).owns(z)) {
        const auto place = [&](std::size_t axis, int at) { return static_cast<std::size_t>(v.axis(axis).place(at)); };
        v.row(place(1, y), place(2, z))[place(0, x)] += value;
    }
}

}  // namespace

std::vector<Drawn> draw_extremes(const Axes& axes) {
    std::vector<Drawn> drawn;
    const auto points = static_cast<std::uint64_t>(axes[0].points());
    for (int z = axes[2].first(); z < axes[2].first() + axes[2].count(); ++z) {
        for (int y = axes[1].first(); y < axes[1].first() + axes[1].count(); ++y) {
            std::uint64_t point = (static_cast<std::uint64_t>(z) * points + static_cast<std::uint64_t>(y)) * points +
                                  static_cast<std::uint64_t>(axes[0].first());
            const bool full = drawn.size() == 2 * kChargesOfEachSign;
            const double largest_of_small = full ? drawn[kChargesOfEachSign - 1].value : 1.0;
            const double smallest_of_large = full ? drawn[kChargesOfEachSign].value : 0.0;
            Randlc random;
            random.skip(point);
            for (int x = 0; x < axes[0].count(); ++x, ++point) {
                const double value = random();
                if (value < largest_of_small || value > smallest_of_large) {
                    drawn.push_back({.value = value, .point = static_cast<double>(point)});
                }
            }
            keep_extremes(drawn);
        }
    }
    return drawn;
}

void set_charges(std::vector<Drawn> drawn, double perturbation, Block& v) {
    std::ranges::fill(v.values(), 0.0);
    keep_extremes(drawn);
    for (std::size_t i = 0; i < kChargesOfEachSign; ++i) {
        add_at(drawn[i].point, -1.0, v);
        add_at(drawn[drawn.size() - 1 - i].point, 1.0, v);
    }
    add_at(drawn.back().point, perturbation, v);
}

}  // namespace fairlead::mg
