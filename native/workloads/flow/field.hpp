// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace fairlead::flow {

using Index = std::ptrdiff_t;
using Point = std::array<Index, 3>;  // x, y, z in the whole grid

// The points from `first` up to, but not including, `end`.
struct Box {
    Point first;
    Point end;

    Index points() const {
        Index product = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            product *= end[d] - first[d];
        }
        return product;
    }

    // The same box from `from` to `to` in one direction.
    Box between(std::size_t direction, Index from, Index to) const {
        Box cut = *this;
        cut.first[direction] = from;
        cut.end[direction] = to;
        return cut;
    }
};

// The difference equations reach this far: so many layers of points around a box are copies of others' or lie outside
// the grid.
inline constexpr Index kGhostLayers = 2;

// Where the points of a box and its ghost layers are in memory: x varies fastest.
class Layout {
  public:
    explicit Layout(const Box& box) {
        for (std::size_t d = 0; d < 3; ++d) {
            stride_[d] = size_;
            origin_ += (kGhostLayers - box.first[d]) * size_;
            size_ *= box.end[d] - box.first[d] + 2 * kGhostLayers;
        }
    }

    Index at(const Point& point) const { return origin_ + point[0] + point[1] * stride_[1] + point[2] * stride_[2]; }
    Index stride(std::size_t direction) const { return stride_[direction]; }
    Index size() const { return size_; }

  private:
    std::array<Index, 3> stride_{};
    Index origin_ = 0;
    Index size_ = 1;
};

// A value at every point of a layout.
template <class Value>
class Field {
  public:
    explicit Field(const Layout& layout, const Value& value = {})
        : values_(static_cast<std::size_t>(layout.size()), value) {}

    // No check of bounds: these are the inner loops.
    Value& operator[](Index place) { return values_.data()[place]; }
    const Value& operator[](Index place) const { return values_.data()[place]; }

  private:
    std::vector<Value> values_;
};

// Calls visit(point, place) for all points of `box`, x fastest.
template <class Visit>
void for_each_point(const Layout& layout, const Box& box, Visit&& visit) {
    Point point{};
    for (point[2] = box.first[2]; point[2] < box.end[2]; ++point[2]) {
        for (point[1] = box.first[1]; point[1] < box.end[1]; ++point[1]) {
            point[0] = box.first[0];
            for (Index place = layout.at(point); point[0] < box.end[0]; ++point[0], ++place) {
                visit(point, place);
            }
        }
    }
}

// The same in the opposite order.
template <class Visit>
void for_each_point_backward(const Layout& layout, const Box& box, Visit&& visit) {
    Point point{};
    for (point[2] = box.end[2] - 1; point[2] >= box.first[2]; --point[2]) {
        for (point[1] = box.end[1] - 1; point[1] >= box.first[1]; --point[1]) {
            point[0] = box.end[0] - 1;
            for (Index place = layout.at(point); point[0] >= box.first[0]; --point[0], --place) {
                visit(point, place);
            }
        }
    }
}

}  // namespace fairlead::flow
