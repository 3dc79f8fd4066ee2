// SPDX-License-Identifier: Apache-2.0
#include "mpi/lasting.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace fairlead {
namespace {

static_assert(std::is_trivially_destructible_v<Lasting<std::vector<std::string>>>);

struct alignas(64) Aligned {
    int number = 7;
};

TEST(Lasting, HoldsAValueThatIsMadeAtOnce) {
    static Lasting<std::vector<int>> numbers;
    EXPECT_TRUE(numbers->empty());
    numbers->push_back(3);
    EXPECT_EQ((*numbers)[0], 3);
    static Lasting<Aligned> aligned;
    EXPECT_EQ(aligned->number, 7);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*aligned) % alignof(Aligned), 0U);
}

}  // namespace
}  // namespace fairlead
