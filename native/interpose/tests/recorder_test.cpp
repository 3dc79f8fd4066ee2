// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include <gtest/gtest.h>

namespace fairlead::record {
namespace {

constexpr const char* kNames[] = {"MPI_Test"};

TEST(Recorder, WithoutAFileOrARingVainTestsAreNotTimed) {
    configure(nullptr, kNames, 1, 0, nullptr);
    Thread& thread = Thread::current();
    thread.found_nothing(10);
    thread.next_call(20);
    EXPECT_FALSE(thread.follows_vain_test(20));
}

}  // namespace
}  // namespace fairlead::record
