// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

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

// In a process of its own, as a program: whether that ended well.
template <class Program>
bool ends_well(Program&& program) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(program() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

class RecorderOfRingsTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "ringsXXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string directory_;
};

TEST_F(RecorderOfRingsTest, TheirPlaceIsKnownAfterTheEnvironmentIsOverwritten) {
    EXPECT_TRUE(ends_well([this] {
        std::string variable = directory_;
        configure(nullptr, kNames, 1, 0, variable.c_str());
        std::ranges::fill(variable, 'x');
        Thread::current().pass(Message{});
        return true;
    }));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(RecorderOfRingsTest, RanksOfAnotherWorldHaveNone) {
    EXPECT_TRUE(ends_well([this] {
        configure(nullptr, kNames, 1, 0, directory_.c_str());
        is_of_another_world();
        Thread::current().pass(Message{});
        return true;
    }));
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

// Otherwise a program whose threads divide the work so would grow with every message.
TEST_F(RecorderOfRingsTest, WhatOneThreadBeginsAndAnotherCompletesTakesNoMoreMemory) {
    EXPECT_TRUE(ends_well([this] {
        configure(nullptr, kNames, 1, 0, directory_.c_str());
        constexpr std::size_t kAtOnce = 1000;
        std::set<Message*> places;
        for (int round = 0; round < 100; ++round) {
            std::vector<Message*> begun(kAtOnce);
            std::ranges::generate(begun, [] { return Thread::current().new_message(); });
            places.insert(begun.begin(), begun.end());
            std::thread([&begun] {
                for (Message* const message : begun) Thread::current().forget(*message);
            }).join();
        }
        return places.size() < 2 * kAtOnce && !places.contains(nullptr);
    }));
}

using RecorderOfFilesTest = RecorderOfRingsTest;

// As a program that aborts where something is wrong, whatever it does just now.
TEST_F(RecorderOfFilesTest, AHandlerOfASignalThatEndsTheProgramDoesNotWaitForItsOwnThread) {
    EXPECT_TRUE(ends_well([this] {
        configure(directory_.c_str(), kNames, 1, 0, nullptr);
        std::signal(SIGSEGV, [](int) {
            ending(State::aborted);
            _exit(0);
        });
        void* const forbidden = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        alarm(20);
        initialized(0, 1, 0, static_cast<const char*>(forbidden));  // it is copied with the lock held
        return false;
    }));
}

TEST(Recorder, WhereThereIsNoKeyLeftNobodyElsesIsTaken) {
    EXPECT_TRUE(ends_well([] {
        for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) {
        }
        const void* const before = pthread_getspecific(0);
        configure(nullptr, kNames, 1, 0, nullptr);
        Thread::current();
        return pthread_getspecific(0) == before;
    }));
}

TEST(Recorder, ARankThatIsNotOfTheWorldIsOutside) {
    EXPECT_TRUE(ends_well([] {
        configure(nullptr, kNames, 1, 0, nullptr);
        Thread::current().sent(1 << 24, 8);
        return true;
    }));
}

}  // namespace
}  // namespace fairlead::record
