// SPDX-License-Identifier: Apache-2.0
#include "record/ring.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "record/ring_file.hpp"

namespace fairlead::record {
namespace {

struct Memory {
    Memory() : bytes(static_cast<char*>(std::aligned_alloc(kPage_B, kRing_B))), ring(new (bytes) Ring{}) {}
    ~Memory() { std::free(bytes); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    char* bytes;
    Ring* ring;
};

Message numbered(std::uint64_t number) {
    Message message{};
    message.communicator = number;
    message.size_B = ~number;
    return message;
}

std::vector<std::uint64_t> drained(RingReader& reader) {
    std::vector<std::uint64_t> numbers;
    reader.drain([&](const Message& message) {
        EXPECT_EQ(message.size_B, ~message.communicator);
        numbers.push_back(message.communicator);
    });
    return numbers;
}

TEST(Ring, GivesWhatWasPutInItsOrderAndOnce) {
    const Memory memory;
    RingWriter writer(memory.ring);
    RingReader reader(memory.ring);
    for (const std::uint64_t number : {7U, 8U, 9U}) writer.push(numbered(number));
    EXPECT_EQ(drained(reader), (std::vector<std::uint64_t>{7, 8, 9}));
    EXPECT_EQ(drained(reader), std::vector<std::uint64_t>{});
    writer.push(numbered(10));
    EXPECT_EQ(drained(reader), std::vector<std::uint64_t>{10});
}

TEST(Ring, AMessageThatWaitedIsGivenAsItEnded) {
    const Memory memory;
    RingWriter writer(memory.ring);
    RingReader reader(memory.ring);
    Message waited = numbered(7);
    waited.begun_ticks = 1;
    waited.end = End::receive;
    set_number(waited, 12);
    writer.push(
        waited,
        {.size_B = 8, .needed_ticks = 2, .computed_ticks = 3, .done_ticks = 4, .peer = 5, .tag = 6, .completed_by = 9});
    std::vector<Message> given;
    reader.drain([&](const Message& message) { given.push_back(message); });
    ASSERT_EQ(given.size(), 1U);
    const Message& told = given[0];
    EXPECT_EQ((std::array{told.communicator, told.size_B, told.begun_ticks}), (std::array<std::uint64_t, 3>{7, 8, 1}));
    EXPECT_EQ((std::array{told.needed_ticks, told.computed_ticks, told.done_ticks}),
              (std::array<std::uint64_t, 3>{2, 3, 4}));
    EXPECT_EQ((std::array{told.peer, told.tag}), (std::array<std::int32_t, 2>{5, 6}));
    EXPECT_EQ(told.completed_by, 9U);
    EXPECT_EQ(told.end, End::receive);
    EXPECT_EQ(number_of(told), 12U);
}

TEST(Ring, AFullOneDropsTheNewestAndCounts) {
    const Memory memory;
    RingWriter writer(memory.ring);
    RingReader reader(memory.ring);
    for (std::uint64_t number = 0; number < kRingRecords + 5; ++number) writer.push(numbered(number));
    EXPECT_EQ(reader.dropped(), 5U);
    const std::vector<std::uint64_t> there = drained(reader);
    ASSERT_EQ(there.size(), kRingRecords);
    EXPECT_EQ(there.back(), kRingRecords - 1);
    writer.push(numbered(1));
    EXPECT_EQ(drained(reader), std::vector<std::uint64_t>{1});
    EXPECT_EQ(reader.dropped(), 5U);
}

TEST(Ring, SoManyAreReadAtATime) {
    const Memory memory;
    RingWriter writer(memory.ring);
    RingReader reader(memory.ring);
    for (const std::uint64_t number : {7U, 8U, 9U}) writer.push(numbered(number));
    std::vector<std::uint64_t> numbers;
    const auto take = [&](const Message& message) { numbers.push_back(message.communicator); };
    EXPECT_EQ(reader.drain(take, 2), 2U);
    EXPECT_EQ(memory.ring->read, 2U);
    EXPECT_EQ(reader.drain(take, 0), 0U);
    EXPECT_EQ(reader.drain(take, 2), 1U);
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{7, 8, 9}));
}

TEST(Ring, NumbersThatCannotBeAreNoRecords) {
    const Memory memory;
    RingReader reader(memory.ring);
    memory.ring->written = kRingRecords + 1;
    EXPECT_EQ(drained(reader), std::vector<std::uint64_t>{});
    EXPECT_EQ(memory.ring->read, kRingRecords + 1);
}

TEST(Ring, OneThreadWritesWhileAnotherReads) {
    const Memory memory;
    constexpr std::uint64_t kMessages = 200'000;
    std::uint64_t read = 0;
    std::uint64_t last = 0;
    std::thread rank([&] {
        RingWriter writer(memory.ring);
        for (std::uint64_t number = 1; number <= kMessages; ++number) writer.push(numbered(number));
    });
    RingReader reader(memory.ring);
    while (read + reader.dropped() < kMessages) {
        for (const std::uint64_t number : drained(reader)) {
            EXPECT_GT(number, last);
            last = number;
            ++read;
        }
    }
    rank.join();
    EXPECT_EQ(read + reader.dropped(), kMessages);
}

class RingFileTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "ringXXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string directory_;
};

TEST_F(RingFileTest, IsThereCompleteUnderTheNameOfItsProcess) {
    Ring* const first = make_ring(directory_.c_str(), 3, 0);
    Ring* const second = make_ring(directory_.c_str(), 3, 1);
    EXPECT_NE(first, second);
    EXPECT_EQ(first->magic, kRingMagic);
    EXPECT_EQ(first->rank, 3);
    EXPECT_EQ(first->pid, static_cast<std::uint32_t>(getpid()));
    EXPECT_NE(first->pid_namespace, 0U);
    EXPECT_EQ(second->thread, 1U);
    const std::string stem = directory_ + "/" + std::to_string(getpid());
    EXPECT_EQ(std::filesystem::file_size(stem + "-0.ring"), kRing_B);
    EXPECT_EQ(std::filesystem::file_size(stem + "-1.ring"), kRing_B);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 2);
}

TEST_F(RingFileTest, WithoutAPlaceItIsWrittenWhereNobodyLooks) {
    testing::internal::CaptureStderr();
    Ring* const ring = make_ring((directory_ + "/missing").c_str(), 0, 0);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("missing: No such file"), std::string::npos);
    RingWriter writer(ring);
    writer.push(numbered(1));
    EXPECT_EQ(ring->written, 1U);
}

// Beyond it the kernel sends a signal that ends the process.
TEST_F(RingFileTest, ALimitOfWhatFilesMayHoldIsKept) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit less{kRing_B - 1, before.rlim_max};
    testing::internal::CaptureStderr();
    setrlimit(RLIMIT_FSIZE, &less);
    Ring* const ring = make_ring(directory_.c_str(), 0, 0);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(": File too large;"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(directory_));
    RingWriter writer(ring);
    writer.push(numbered(1));
    EXPECT_EQ(ring->written, 1U);
}

TEST_F(RingFileTest, OfManyThatHaveNoPlaceOneSaysSo) {
    const std::string missing = directory_ + "/missing";
    testing::internal::CaptureStderr();
    for (std::uint32_t thread = 0; thread < 3; ++thread) {
        EXPECT_NE(make_ring(missing.c_str(), 0, thread), nullptr);
    }
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said, "fairlead: cannot create a ring in " + missing +
                        ": No such file or directory; messages of ranks without one are not watched\n");
}

}  // namespace
}  // namespace fairlead::record
