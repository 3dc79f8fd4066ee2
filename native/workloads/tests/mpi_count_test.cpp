// SPDX-License-Identifier: Apache-2.0
#include "common/mpi_count.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace fairlead {
namespace {

TEST(MpiCount, RefusesWhatAnIntCannotHold) {
    EXPECT_EQ(mpi_count(std::size_t{2'147'483'647}), 2'147'483'647);
    EXPECT_EQ(mpi_count(std::int64_t{0}), 0);
    EXPECT_THROW(mpi_count(std::size_t{2'147'483'648}), std::runtime_error);
    EXPECT_THROW(mpi_count(std::int64_t{1} << 35), std::runtime_error);
}

}  // namespace
}  // namespace fairlead
