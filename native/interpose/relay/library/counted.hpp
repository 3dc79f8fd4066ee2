// SPDX-License-Identifier: Apache-2.0
// Counts of any size for calls that count by int.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "mpi/pmpi.hpp"

namespace fairlead::relay {

inline bool fits(MPI_Count count) {
    return count <= std::numeric_limits<int>::max();
}

/// So many elements: as they are, or as one element of a datatype made of them. That may go as soon as a message with
/// it has begun.
class Counted {
  public:
    Counted(MPI_Count count, MPI_Datatype datatype) : datatype_(datatype), made_(!fits(count)) {
        if (!made_) {
            count_ = static_cast<int>(count);
            return;
        }
        constexpr MPI_Count kMost = std::numeric_limits<int>::max();
        MPI_Count lower = 0;
        MPI_Count extent_B = 0;
        PMPI_Type_get_extent_x(datatype, &lower, &extent_B);
        std::vector<int> lengths;
        std::vector<MPI_Aint> begins;
        for (MPI_Count at = 0; at < count; at += kMost) {
            lengths.push_back(static_cast<int>(std::min(kMost, count - at)));
            begins.push_back(static_cast<MPI_Aint>(at * extent_B));
        }
        PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), begins.data(), datatype,
                                  &datatype_);
        PMPI_Type_commit(&datatype_);
    }
    ~Counted() {
        if (made_) PMPI_Type_free(&datatype_);
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    int count() const { return count_; }
    MPI_Datatype datatype() const { return datatype_; }

  private:
    MPI_Datatype datatype_;
    bool made_;
    int count_ = 1;
};

}  // namespace fairlead::relay
