// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "mg/block.hpp"

namespace fairlead::mg {

// Brings the ghost points of one level's blocks up to date: along x, then y, then z, each by a message to the neighbour
// at either end (none where the axis is not divided).
class Halo {
  public:
    Halo(MPI_Comm comm, const RankBox& box, int points);

    void exchange(Block& block) const;

  private:
    // Along one axis, as ranks of the communicator.
    struct Partners {
        int lower_source, upper_source;
        std::vector<int> lower_at, upper_at;
    };

    void exchange_along(std::size_t axis, Block& block) const;

    MPI_Comm comm_;
    int rank_;
    std::array<Partners, 3> partners_;
};

}  // namespace fairlead::mg
