// SPDX-License-Identifier: Apache-2.0
#include "mg/halo.hpp"

#include "common/mpi.hpp"
#include "common/mpi_count.hpp"

namespace fairlead::mg {

namespace {

// By the end at which the receiver has the points.
enum Tag : int { kLower = 0, kUpper = 1 };

}  // namespace

Halo::Halo(MPI_Comm comm, const RankBox& box, int points) : comm_(comm), rank_(rank_of(comm)) {
    const Axes axes = box.divide(points, rank_);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto rank_at = [&](int coordinate) {
            std::array<int, 3> coordinates = box.coordinates(rank_);
            coordinates[axis] = coordinate;
            return box.rank(coordinates);
        };
        Partners& partners = partners_[axis];
        partners.lower_source = rank_at(axes[axis].lower_source());
        partners.upper_source = rank_at(axes[axis].upper_source());
        for (const int coordinate : axes[axis].lower_at()) {
            partners.lower_at.push_back(rank_at(coordinate));
        }
        for (const int coordinate : axes[axis].upper_at()) {
            partners.upper_at.push_back(rank_at(coordinate));
        }
    }
}

void Halo::exchange(Block& block) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        exchange_along(axis, block);
    }
}

void Halo::exchange_along(std::size_t axis, Block& block) const {
    const Partners& partners = partners_[axis];
    const std::size_t size = block.layer_size(axis);
    const std::size_t upper_ghost = block.stored(axis) - 1;
    if (size == 0) {  // no own points along a later axis: the same for all partners
        return;
    }
    std::vector<double> first(size), last(size), lower(size), upper(size);
    block.copy_layer(axis, 1, first);
    block.copy_layer(axis, upper_ghost - 1, last);
    if (partners.lower_source == rank_) {  // the axis is not divided
        block.set_layer(axis, 0, last);
        block.set_layer(axis, upper_ghost, first);
        return;
    }
    std::vector<MPI_Request> requests;
    const int count = mpi_count(size);
    const auto receive = [&](std::vector<double>& layer, int source, int tag) {
        check(MPI_Irecv(layer.data(), count, MPI_DOUBLE, source, tag, comm_, &requests.emplace_back()), "MPI_Irecv");
    };
    const auto send = [&](const std::vector<double>& layer, int destination, int tag) {
        check(MPI_Isend(layer.data(), count, MPI_DOUBLE, destination, tag, comm_, &requests.emplace_back()),
              "MPI_Isend");
    };
    receive(lower, partners.lower_source, kLower);
    receive(upper, partners.upper_source, kUpper);
    for (const int destination : partners.lower_at) {
        send(last, destination, kLower);
    }
    for (const int destination : partners.upper_at) {
        send(first, destination, kUpper);
    }
    wait_all(requests);
    block.set_layer(axis, 0, lower);
    block.set_layer(axis, upper_ghost, upper);
}

}  // namespace fairlead::mg
