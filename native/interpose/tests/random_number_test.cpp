// SPDX-License-Identifier: Apache-2.0
#include "relay/library/random_number.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace fairlead::relay {
namespace {

TEST(RandomNumber, ASignalDoesNotEndIt) {
    static int signals = 0;
    const std::uint64_t number = random_number([](void* to, std::size_t size_B, unsigned) -> ssize_t {
        if (++signals <= 2) {
            errno = EINTR;
            return -1;
        }
        std::memset(to, 7, size_B);
        return static_cast<ssize_t>(size_B);
    });
    EXPECT_EQ(number, 0x0707070707070707U);
    EXPECT_EQ(signals, 3);
}

TEST(RandomNumber, WhereTheKernelGivesNoneThereIsOneAllTheSame) {
    const auto none = [](void*, std::size_t, unsigned) -> ssize_t {
        errno = EPERM;
        return -1;
    };
    const std::uint64_t number = random_number(none);
    EXPECT_NE(number, 0U);
    EXPECT_NE(number, random_number(none));
}

}  // namespace
}  // namespace fairlead::relay
