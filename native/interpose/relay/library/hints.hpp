// SPDX-License-Identifier: Apache-2.0
// What a program may say of a communicator by an MPI_Info.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "mpi/pmpi.hpp"

namespace fairlead::relay {

/// What it says of its receives: that none is from any source, or with any tag.
inline constexpr std::array kAssertions{"mpi_assert_no_any_source", "mpi_assert_no_any_tag"};
using Assertions = std::array<std::optional<bool>, kAssertions.size()>;  ///< nothing where it says nothing of it

/// Without those, which the plane keeps for MPI_Comm_get_info (Plane::asserted): it pulls by such receives.
/// MPICH may be built so that it looks for the messages of such a communicator in several places, by source and tag; of
/// a receive from anywhere it would look in one. A library is free to ignore what an MPI_Info says.
class Hints {
  public:
    explicit Hints(MPI_Info info) : info_(info) {
        int number = 0;
        if (!kHintsPlaceMessages || info == info_null() || PMPI_Info_get_nkeys(info, &number) != MPI_SUCCESS) {
            return;
        }
        for (std::size_t at = 0; number > 0 && at < kAssertions.size(); ++at) {
            std::array<char, kLongestValue + 1> value{};
            int there = 0;
            PMPI_Info_get(info, kAssertions[at], kLongestValue, value.data(), &there);
            if (there != 0 && copied()) {
                PMPI_Info_delete(info_, kAssertions[at]);
                said_[at] = value.data() == std::string_view("true") || std::atoi(value.data()) != 0;  // as MPICH
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
    /// What is left out.
    const Assertions& said() const { return said_; }

  private:
    static constexpr int kLongestValue = 16;

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
    Assertions said_{};
};

}  // namespace fairlead::relay
