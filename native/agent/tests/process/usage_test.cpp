// SPDX-License-Identifier: Apache-2.0
#include "process/usage.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace fairlead::agent {
namespace {

void write_whole(int fd, const std::string& text) {
    ASSERT_EQ(ftruncate(fd, 0), 0);
    ASSERT_EQ(pwrite(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
}

TEST(RunDelay, IsCountedFromTheFirstThatCouldBeReadOnAndOverWhatCouldNot) {
    UniqueFd file(memfd_create("schedstat", MFD_CLOEXEC));
    const int fd = file.get();
    RunDelay delay(std::move(file));
    EXPECT_EQ(delay.take_s(), 0.0);
    write_whole(fd, "7000000000 3000000000 12\n");
    EXPECT_EQ(delay.take_s(), 0.0) << "what came before is not known";
    write_whole(fd, "8000000000 3500000000 13\n");
    EXPECT_DOUBLE_EQ(delay.take_s(), 0.5);
    write_whole(fd, "");
    EXPECT_EQ(delay.take_s(), 0.0);
    write_whole(fd, "9000000000 3750000000 14\n");
    EXPECT_DOUBLE_EQ(delay.take_s(), 0.25);
}

}  // namespace
}  // namespace fairlead::agent
