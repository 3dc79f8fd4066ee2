// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/thread_times.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace {

int entries_left = INT_MAX;

}  // namespace

// In place of the C library's: as where the kernel has no memory to list the rest.
extern "C" dirent* readdir(DIR* directory) {
    static const auto next = reinterpret_cast<decltype(&readdir)>(dlsym(RTLD_NEXT, "readdir"));
    if (entries_left == 0) {
        errno = ENOMEM;
        return nullptr;
    }
    --entries_left;
    return next(directory);
}

namespace fairlead::benchmark {
namespace {

TEST(ThreadTimes, WhatRanOnAProcessorComesLongestFirst) {
    const ThreadTimes before{{{1, 1}, {"init", 0, 500}}, {{2, 2}, {"kworker/0:1", 0, 100}}, {{3, 3}, {"gone", 0, 9}}};
    const ThreadTimes after{{{1, 1}, {"init", 0, 500}},
                            {{2, 2}, {"kworker/0:1", 0, 130}},
                            {{2, 4}, {"elsewhere", 1, 900}},
                            {{5, 5}, {"new", 0, 70}}};
    const auto ran = ran_between(before, after, 0);
    ASSERT_EQ(ran.size(), 2U);
    EXPECT_EQ(ran[0].name, "new");
    EXPECT_EQ(ran[0].run_ns, 70U);
    EXPECT_EQ(ran[1].name, "kworker/0:1");
    EXPECT_EQ(ran[1].run_ns, 30U);
}

TEST(ThreadTimes, OthersAreSeenAndThisProcessIsNot) {
    const ThreadTimes now = thread_times();
    const auto parent = now.find({getppid(), getppid()});
    if (parent != now.end()) {  // it may be in another namespace
        EXPECT_FALSE(parent->second.name.empty());
        EXPECT_GE(parent->second.cpu, 0);
    }
    EXPECT_FALSE(now.contains({getpid(), getpid()}));
}

TEST(ThreadTimes, AListThatBreaksOffIsTakenAsFarAsItGoes) {
    const std::size_t all = thread_times().size();
    entries_left = 10;
    EXPECT_LE(thread_times().size(), all);
    EXPECT_EQ(entries_left, 0);
    entries_left = INT_MAX;
}

}  // namespace
}  // namespace fairlead::benchmark
