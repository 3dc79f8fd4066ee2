// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace fairlead::mg {

// One axis of a level's periodic grid, divided among the ranks along it; both are powers of two.
//
// With at least as many points as ranks, each rank owns as many neighbouring points as the others. With fewer, only
// every s-th rank, s = ranks / points, owns a point: of each group of s ranks the last. A rank stores the points that
// it owns and a ghost point at either end. One that owns none stores its two ghost points only, which are neighbours.
//
// This division nests: point J of a level is point 2J + 1 of the next finer one, and belongs to the same rank; and what
// a rank stores of a level is enough to interpolate all that it stores of the next finer one.
class Axis {
  public:
    Axis(int points, int ranks, int coordinate);

    int points() const { return points_; }
    int ranks() const { return ranks_; }
    int first() const { return first_; }       // first own point; of none: the upper ghost point
    int count() const { return count_; }       // own points
    int stored() const { return count_ + 2; }  // place 0 is point first() - 1
    bool owns(int point) const { return point >= first_ && point < first_ + count_; }
    int place(int point) const { return point - first_ + 1; }
    int point(int place) const { return place + first_ - 1; }

    // Coordinate of the rank that owns `point`; ghost points -1 and points() are those of the other end.
    int owner(int point) const;

    // Whose point the lower and the upper ghost point are.
    int lower_source() const { return owner(first_ - 1); }
    int upper_source() const { return owner(first_ + count_); }

    // The ranks that have this rank's last own point as their lower ghost point, and its first as their upper.
    std::vector<int> lower_at() const;
    std::vector<int> upper_at() const;

  private:
    int points_;
    int ranks_;
    int coordinate_;
    int first_;
    int count_;
};

}  // namespace fairlead::mg
