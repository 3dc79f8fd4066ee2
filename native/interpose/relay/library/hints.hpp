// SPDX-License-Identifier: Apache-2.0
// What a program may say of a communicator by an MPI_Info.
#pragma once

#include <array>
#include <string_view>

#include "mpi/pmpi.hpp"

namespace fairlead::relay {

/// Without what it says of its receives: that none is from any source, or with any tag. The plane pulls by such ones.
/// MPICH may be built so that it looks for the messages of such a communicator in several places, by source and tag; of
/// a receive from anywhere it would look in one. A library is free to ignore what an MPI_Info says.
class Hints {
  public:
    explicit Hints(MPI_Info info) : info_(info) {
        int number = 0;
        if (!kHintsPlaceMessages || info == info_null() || PMPI_Info_get_nkeys(info, &number) != MPI_SUCCESS) {
            return;
        }
        for (int at = 0; at < number; ++at) {
            std::array<char, kLongestKey> key{};
            PMPI_Info_get_nthkey(info, at, key.data());
            if (std::string_view(key.data()).starts_with("mpi_assert_no_any_") && copied()) {
                PMPI_Info_delete(info_, key.data());
            }
        }
    }
    ~Hints() {
        if (owned_) {
            PMPI_Info_free(&info_);
        }
    }
    Hints(const Hints&) = delete;
    Hints& operator=(const Hints&) = delete;

    operator MPI_Info() const { return info_; }

  private:
    static constexpr int kLongestKey = 256;

    /// Only where something is left out: the library may write into the program's own (MPI_COMM_TYPE_HW_UNGUIDED).
    bool copied() {
        MPI_Info copy = info_null();
        if (!owned_ && PMPI_Info_dup(info_, &copy) == MPI_SUCCESS) {
            info_ = copy;
            owned_ = true;
        }
        return owned_;
    }

    MPI_Info info_;
    bool owned_ = false;
};

}  // namespace fairlead::relay
