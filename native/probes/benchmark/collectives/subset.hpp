// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <vector>

#include "common/mpi.hpp"

namespace fairlead::benchmark {

// A communicator of some ranks of the world, in the order given, for as long as a request lasts. Collective over these
// ranks only; the others are not asked.
class Subset {
  public:
    Subset(const std::vector<int>& ranks, int tag) {
        MPI_Group all = MPI_GROUP_NULL;
        MPI_Group some = MPI_GROUP_NULL;
        check(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
        check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some), "MPI_Group_incl");
        check(MPI_Comm_create_group(MPI_COMM_WORLD, some, tag, &comm_), "MPI_Comm_create_group");
        check(MPI_Group_free(&some), "MPI_Group_free");
        check(MPI_Group_free(&all), "MPI_Group_free");
    }
    ~Subset() { MPI_Comm_free(&comm_); }
    Subset(const Subset&) = delete;
    Subset& operator=(const Subset&) = delete;
    MPI_Comm comm() const { return comm_; }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace fairlead::benchmark
