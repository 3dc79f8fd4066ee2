// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "flow/field.hpp"

namespace fairlead::flow {

// Appends a field's values in `box` to `message`.
template <std::size_t kNumbers>
void pack(const Field<std::array<double, kNumbers>>& field, const Layout& layout, const Box& box,
          std::vector<double>& message) {
    for_each_point(layout, box, [&](const Point&, Index place) {
        message.insert(message.end(), field[place].begin(), field[place].end());
    });
}

// Takes them from the front of `message`, which becomes shorter.
template <std::size_t kNumbers>
void unpack(Field<std::array<double, kNumbers>>& field, const Layout& layout, const Box& box,
            std::span<const double>& message) {
    for_each_point(layout, box, [&](const Point&, Index place) {
        std::ranges::copy(message.first(kNumbers), field[place].begin());
        message = message.subspan(kNumbers);
    });
}

}  // namespace fairlead::flow
