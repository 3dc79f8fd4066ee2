// SPDX-License-Identifier: Apache-2.0
#include "mpi/handles.hpp"

#include <gtest/gtest.h>

namespace fairlead {
namespace {

TEST(Communicator, AProcessThatItIsNotKnownToHaveIsOutsideTheWorld) {
    Communicator pair;
    pair.world_ranks = {5, 3};
    EXPECT_EQ(pair.world_rank(1), 3);
    EXPECT_EQ(pair.world_rank(2), record::kOutsideWorld);
    EXPECT_EQ(pair.world_rank(-1), record::kOutsideWorld);
    EXPECT_EQ(Communicator{}.world_rank(2), 2);
}

}  // namespace
}  // namespace fairlead
