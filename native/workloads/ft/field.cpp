// SPDX-License-Identifier: Apache-2.0
#include "ft/field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "common/collectives.hpp"

namespace fairlead::ft {

namespace {

// The standard lays a complex number out as two doubles.
std::span<double> as_doubles(std::vector<Complex>& values) {
    return {reinterpret_cast<double*>(values.data()), 2 * values.size()};
}

void exchange(std::vector<Complex>& outgoing, std::vector<Complex>& incoming) {
    all_to_all(std::span<const double>(as_doubles(outgoing)), as_doubles(incoming));
}

}  // namespace

Field::Field(Share share)
    : share_(std::move(share)), field_(share_.points()), spectrum_(share_.points()), work_(share_.points()) {}

void Field::draw(double perturbation) {
    share_.draw(field_);
    field_.front() += perturbation;
}

void Field::to_columns(Direction direction) {
    share_.transform_x(direction, field_);
    share_.transform_y(direction, field_);
    share_.pack_planes(field_, work_);
    exchange(work_, field_);
    share_.unpack_columns(field_, work_);
    std::swap(field_, work_);
    share_.transform_z(direction, field_);
}

void Field::to_planes(Direction direction) {
    share_.transform_z(direction, field_);
    share_.pack_columns(field_, work_);
    exchange(work_, field_);
    share_.unpack_planes(field_, work_);
    std::swap(field_, work_);
    share_.transform_y(direction, field_);
    share_.transform_x(direction, field_);
}

void Field::transform() {
    to_columns(Direction::kForward);
    std::swap(field_, spectrum_);
}

Complex Field::advance() {
    share_.evolve(spectrum_, field_);
    to_planes(Direction::kInverse);
    const Complex own = share_.checksum(field_);
    std::array<double, 2> sum = {own.real(), own.imag()};
    all_reduce(sum, MPI_SUM);
    return {sum[0], sum[1]};
}

double Field::round_trip_error() {
    to_columns(Direction::kForward);
    const double points = static_cast<double>(share_.points()) * size_of(MPI_COMM_WORLD);
    std::array<double, 2> squares = {0.0, 0.0};  // of the differences, of the spectrum
    for (std::size_t i = 0; i < spectrum_.size(); ++i) {
        squares[0] += std::norm(field_[i] / points - spectrum_[i]);
        squares[1] += std::norm(spectrum_[i]);
    }
    all_reduce(squares, MPI_SUM);
    return std::sqrt(squares[0] / squares[1]);
}

}  // namespace fairlead::ft
