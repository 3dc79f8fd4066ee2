// SPDX-License-Identifier: Apache-2.0
#include "mg/block.hpp"

#include <cstdint>

#include "common/rank_count.hpp"

namespace fairlead::mg {

RankBox::RankBox(int count, int points) : ranks{1, 1, 1} {
    const std::int64_t side = points;
    require_power_of_two("mg", count, side * side * side);
    std::size_t axis = 2;
    for (int left = count; left > 1; left /= 2) {
        ranks[axis] *= 2;
        axis = (axis + 2) % 3;
    }
}

std::array<int, 3> RankBox::coordinates(int rank) const {
    return {rank % ranks[0], rank / ranks[0] % ranks[1], rank / ranks[0] / ranks[1]};
}

int RankBox::rank(const std::array<int, 3>& coordinates) const {
    return (coordinates[2] * ranks[1] + coordinates[1]) * ranks[0] + coordinates[0];
}

Axes RankBox::divide(int points, int rank) const {
    const std::array<int, 3> own = coordinates(rank);
    return {Axis(points, ranks[0], own[0]), Axis(points, ranks[1], own[1]), Axis(points, ranks[2], own[2])};
}

Block::Block(const Axes& axes) : axes_(axes), values_(stored(0) * stored(1) * stored(2), 0.0) {}

std::size_t Block::layer_size(std::size_t axis) const {
    std::size_t size = 1;
    for (std::size_t other = 0; other < 3; ++other) {
        if (other != axis) {
            size *= other < axis ? stored(other) : stored(other) - 2;
        }
    }
    return size;
}

template <typename Visit>
void Block::for_each_of_layer(std::size_t axis, std::size_t place, Visit visit) const {
    std::array<std::size_t, 3> begin{};
    std::array<std::size_t, 3> end{};
    for (std::size_t other = 0; other < 3; ++other) {
        begin[other] = other < axis ? 0 : 1;
        end[other] = stored(other) - begin[other];
    }
    begin[axis] = place;
    end[axis] = place + 1;
    for (std::size_t z = begin[2]; z < end[2]; ++z) {
        for (std::size_t y = begin[1]; y < end[1]; ++y) {
            for (std::size_t x = begin[0]; x < end[0]; ++x) {
                visit((z * stored(1) + y) * stored(0) + x);
            }
        }
    }
}

void Block::copy_layer(std::size_t axis, std::size_t place, std::span<double> to) const {
    std::size_t next = 0;
    for_each_of_layer(axis, place, [&](std::size_t index) { to[next++] = values_[index]; });
}

void Block::set_layer(std::size_t axis, std::size_t place, std::span<const double> from) {
    std::size_t next = 0;
    for_each_of_layer(axis, place, [&](std::size_t index) { values_[index] = from[next++]; });
}

}  // namespace fairlead::mg
