// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ft/share.hpp"

namespace fairlead::ft {

// The distributed field and its spectrum: the heat equation, solved in the space of wave numbers (NAS report
// RNR-94-007, section 2.4). A transform has one all-to-all exchange, in which every rank sends each other one the same
// amount.
class Field {
  public:
    explicit Field(Share share);

    // Draws the initial values and adds `perturbation` to the first one of this rank.
    void draw(double perturbation);

    // From the field to the spectrum.
    void transform();

    // One step in time: the spectrum of the next instant and the field that belongs to it. Returns the field's
    // checksum.
    Complex advance();

    // Transforms the field back. Returns the root mean square of the difference to the spectrum that it came from,
    // relative to that of the spectrum. Uses up the field.
    double round_trip_error();

  private:
    void to_columns(Direction direction);  // of field_
    void to_planes(Direction direction);

    Share share_;
    std::vector<Complex> field_;     // in planes, but in columns within a transform
    std::vector<Complex> spectrum_;  // in columns
    std::vector<Complex> work_;      // packed for the exchange; three arrays in all: class D takes 48 B a point
};

}  // namespace fairlead::ft
