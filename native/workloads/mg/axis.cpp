// SPDX-License-Identifier: Apache-2.0
#include "mg/axis.hpp"

namespace fairlead::mg {

Axis::Axis(int points, int ranks, int coordinate) : points_(points), ranks_(ranks), coordinate_(coordinate) {
    if (points >= ranks) {
        count_ = points / ranks;
        first_ = coordinate * count_;
    } else {
        const int group = ranks / points;
        count_ = (coordinate + 1) % group == 0 ? 1 : 0;
        first_ = (coordinate + 1) / group - count_;
    }
}

int Axis::owner(int point) const {
    const int wrapped = (point + points_) % points_;
    return points_ >= ranks_ ? wrapped / (points_ / ranks_) : (wrapped + 1) * (ranks_ / points_) - 1;
}

std::vector<int> Axis::lower_at() const {
    std::vector<int> coordinates;
    for (int other = 0; other < ranks_; ++other) {
        if (Axis(points_, ranks_, other).lower_source() == coordinate_) {
            coordinates.push_back(other);
        }
    }
    return coordinates;
}

std::vector<int> Axis::upper_at() const {
    std::vector<int> coordinates;
    for (int other = 0; other < ranks_; ++other) {
        if (Axis(points_, ranks_, other).upper_source() == coordinate_) {
            coordinates.push_back(other);
        }
    }
    return coordinates;
}

}  // namespace fairlead::mg
