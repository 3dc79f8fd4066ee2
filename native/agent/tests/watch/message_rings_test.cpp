// SPDX-License-Identifier: Apache-2.0
#include "watch/message_rings.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "record/ring_file.hpp"

namespace fairlead::agent {
namespace {

class MessageRingsTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "ringsXXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override {
        for (record::Ring* ring : made_) munmap(ring, record::kRing_B);
        std::filesystem::remove_all(directory_);
    }

    record::RingWriter ring_of(int rank) {
        made_.push_back(record::make_ring(directory_.c_str(), rank, 0));
        return record::RingWriter(made_.back());
    }

    std::vector<std::vector<core::MessageEnd>> drained(MessageRings& rings) {
        std::vector<std::vector<core::MessageEnd>> calls;
        rings.drain([&](std::span<const core::MessageEnd> call) { calls.emplace_back(call.begin(), call.end()); });
        return calls;
    }

    std::string directory_;
    std::vector<record::Ring*> made_;
    Clock clock_{Clock::Test{}};
    std::vector<std::string> logged_;
    MessageRings::Log log_ = [this](const std::string& text) { logged_.push_back(text); };

    void set_changed(std::int64_t from_now_s) {
        const std::int64_t seconds = read_clock_ns(CLOCK_REALTIME) / 1'000'000'000 + from_now_s;
        const std::array<timespec, 2> times{{{seconds, 0}, {seconds, 0}}};
        ASSERT_EQ(utimensat(AT_FDCWD, directory_.c_str(), times.data(), 0), 0);
    }
};

record::Message message(record::End end, int peer, std::uint32_t number, std::uint64_t done_ticks) {
    record::Message made{};
    made.communicator = 9;
    made.size_B = 100 + number;
    made.begun_ticks = done_ticks - 3000;
    made.needed_ticks = done_ticks - 2000;
    made.done_ticks = done_ticks;
    made.peer = peer;
    made.tag = -4;
    made.end = end;
    record::set_number(made, number);
    return made;
}

TEST_F(MessageRingsTest, GivesTheEndsOfEachCallWithTheirKeys) {
    MessageRings rings(directory_, clock_, log_);
    EXPECT_TRUE(drained(rings).empty());
    record::RingWriter ring = ring_of(5);
    const std::uint64_t now = record::ticks();
    ring.push(message(record::End::receive, 2, 70'000, now - 9000));
    ring.push(message(record::End::send, 3, 1, now - 9000));
    ring.push(message(record::End::cancelled, 3, 1, now - 8000));
    ring.push(message(record::End::receive, record::kAnySource, 1, now - 8000));
    ring.push(message(record::End::receive, 2, 70'001, now - 8000));
    const auto calls = drained(rings);
    ASSERT_EQ(calls.size(), 2U);
    ASSERT_EQ(calls[0].size(), 2U);
    EXPECT_FALSE(calls[0][0].sends);
    EXPECT_EQ(calls[0][0].key, (core::wire::MessageKey{9, 2, 5, -4, 70'000}));
    EXPECT_EQ(calls[0][0].size_B, 70'100U);
    EXPECT_TRUE(calls[0][1].sends);
    EXPECT_EQ(calls[0][1].key, (core::wire::MessageKey{9, 5, 3, -4, 1}));
    ASSERT_EQ(calls[1].size(), 1U);
    // Needed before the first call returned, but waited for only from then on.
    EXPECT_LT(calls[1][0].needed_ns, calls[0][0].done_ns + 1);
    EXPECT_EQ(calls[1][0].waiting_from_ns, std::max(calls[0][0].done_ns, calls[1][0].needed_ns));
    EXPECT_EQ(rings.ranks(), std::set<std::uint32_t>{5});
    EXPECT_EQ(rings.read(), 5U);
    EXPECT_EQ(rings.dropped(), 0U);
}

TEST_F(MessageRingsTest, SoManyAreReadAtATimeAndRingsTakeTurns) {
    MessageRings rings(directory_, clock_, log_);
    const std::uint64_t now = record::ticks();
    const auto fill = [now](record::RingWriter& ring) {
        for (std::uint64_t k = 0; k < record::kRingRecords; ++k) {
            ring.push(message(record::End::receive, 2, static_cast<std::uint32_t>(k), now - 100'000 + 10 * k));
        }
    };
    constexpr std::uint32_t kRanks = MessageRings::kMostRecords / record::kRingRecords + 2;
    std::vector<record::RingWriter> writers;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) writers.push_back(ring_of(static_cast<int>(rank)));
    for (record::RingWriter& ring : writers) fill(ring);
    std::map<std::uint32_t, std::size_t> first;
    for (const auto& call : drained(rings)) ++first[call[0].key.destination];
    EXPECT_EQ(rings.read(), MessageRings::kMostRecords);
    EXPECT_EQ(first.size(), kRanks - 2);
    std::map<std::uint32_t, std::size_t> second;
    for (auto& [rank, calls] : first) fill(writers[rank]);
    for (const auto& call : drained(rings)) ++second[call[0].key.destination];
    EXPECT_EQ(second.size(), kRanks - 2) << "a full look again";
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        if (first.contains(rank)) continue;
        EXPECT_EQ(second[rank], record::kRingRecords) << rank << " has waited longest";
    }
    EXPECT_EQ(rings.dropped(), 0U);
}

TEST_F(MessageRingsTest, WhatAThreadDoesBetweenItsReceivesIsProcessing) {
    MessageRings rings(directory_, clock_, log_);
    record::RingWriter ring = ring_of(0);
    const std::uint64_t now = record::ticks();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the counter's rate is known better
    // Calls last for 2000 ticks each; in the last one the thread computed for 500 between its tests.
    ring.push(message(record::End::receive, 1, 1, now - 90'000));
    ring.push(message(record::End::send, 1, 1, now - 80'000));
    ring.push(message(record::End::receive, 1, 2, now - 60'000));
    record::Message last = message(record::End::receive, 1, 3, now - 50'000);
    last.computed_ticks = 500;
    ring.push(last);
    const auto calls = drained(rings);
    ASSERT_EQ(calls.size(), 4U);
    const double ns_per_tick = static_cast<double>(calls[3][0].done_ns - calls[0][0].done_ns) / 40'000;
    EXPECT_EQ(calls[0][0].processing_ns, 0) << "nothing is known of what was before";
    EXPECT_EQ(calls[1][0].processing_ns, 0) << "counted with the next receive";
    EXPECT_NEAR(static_cast<double>(calls[2][0].processing_ns), 26'000 * ns_per_tick, 4);
    EXPECT_NEAR(static_cast<double>(calls[3][0].processing_ns), 8'500 * ns_per_tick, 4);
}

TEST_F(MessageRingsTest, StampsAreOfTheAgentsClock) {
    const Clock shifted(Clock::Test{.offset_s = 100.0, .origin_ns = read_clock_ns(CLOCK_REALTIME)});
    MessageRings rings(directory_, shifted, log_);
    record::RingWriter ring = ring_of(0);
    const std::int64_t before_ns = shifted.now_ns();
    const std::uint64_t ticks = record::ticks();
    const std::int64_t after_ns = shifted.now_ns();
    ring.push(message(record::End::send, 1, 1, ticks));
    const auto calls = drained(rings);
    ASSERT_EQ(calls.size(), 1U);
    constexpr std::int64_t kRate_ns = 1'000'000;  // the counter's rate is known from a few microseconds here
    EXPECT_GT(calls[0][0].done_ns, before_ns - kRate_ns);
    EXPECT_LT(calls[0][0].done_ns, after_ns + kRate_ns);
    EXPECT_GE(calls[0][0].done_ns, calls[0][0].needed_ns);
    EXPECT_GE(calls[0][0].needed_ns, calls[0][0].begun_ns);
}

TEST_F(MessageRingsTest, WhatIsNoRingIsLeftAlone) {
    std::ofstream(directory_ + "/1-0.ring") << "short";
    std::ofstream(directory_ + "/2-0.ring") << std::string(record::kRing_B, 'x');
    std::filesystem::create_symlink("/dev/zero", directory_ + "/3-0.ring");
    std::filesystem::create_directory(directory_ + "/4-0.ring");
    MessageRings rings(directory_, clock_, log_);
    EXPECT_TRUE(drained(rings).empty());
    EXPECT_TRUE(rings.ranks().empty());
    MessageRings nowhere(directory_ + "/missing", clock_, log_);
    EXPECT_TRUE(drained(nowhere).empty());
}

/// Of a process that has ended, and was waited for.
pid_t ended_process() {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    return child;
}

TEST_F(MessageRingsTest, ThoseOfProcessesThatHaveEndedAreReadAndRemoved) {
    MessageRings rings(directory_, clock_, log_);
    const auto files = [this] { return std::distance(std::filesystem::directory_iterator(directory_), {}); };
    const auto look = [&] {
        std::size_t calls = 0;
        for (int i = 0; i < 4; ++i) calls += drained(rings).size();
        return calls;
    };
    const auto push = [](record::RingWriter& ring) { ring.push(message(record::End::send, 9, 1, record::ticks())); };
    std::vector<record::RingWriter> writers;
    for (int rank = 0; rank < 4; ++rank) writers.push_back(ring_of(rank));
    look();
    EXPECT_EQ(files(), 4) << "all live";
    const pid_t ended = ended_process();
    for (const int rank : {4, 5}) {
        record::RingWriter ring = ring_of(rank);
        made_.back()->pid = static_cast<std::uint32_t>(ended);
        for (std::uint64_t i = 0; i <= record::kRingRecords; ++i) push(ring);
    }
    EXPECT_GT(look(), 0U) << "what they wrote last";
    look();
    EXPECT_EQ(rings.read(), 2 * record::kRingRecords);
    EXPECT_EQ(rings.dropped(), 2U) << "as before";
    EXPECT_EQ(files(), 4);
    for (record::RingWriter& ring : writers) push(ring);
    EXPECT_EQ(look(), 4U) << "the others are read as before";
    record::RingWriter next = ring_of(6);
    push(next);
    EXPECT_EQ(look(), 1U) << "in a file of the same name";
    EXPECT_EQ(rings.ranks(), (std::set<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
}

/// As in a container of its own.
TEST_F(MessageRingsTest, ThoseOfProcessesOfAnotherPidNamespaceStay) {
    MessageRings rings(directory_, clock_, log_);
    const pid_t ended = ended_process();
    for (const std::uint64_t pid_namespace : {0U, 1U}) {
        ring_of(0);
        made_.back()->pid = static_cast<std::uint32_t>(ended);
        made_.back()->pid_namespace = pid_namespace;
    }
    for (int i = 0; i < 4; ++i) drained(rings);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 2);
}

/// Within a tick of the clock a directory's time of change stays the same.
TEST_F(MessageRingsTest, ARingThatComesWithinTheSameTickAsALookIsFound) {
    constexpr std::int64_t kHour_s = 3600;
    MessageRings rings(directory_, clock_, log_);
    struct stat at_look {};
    set_changed(kHour_s);  // so that it is young however long this test takes
    ASSERT_EQ(stat(directory_.c_str(), &at_look), 0);
    EXPECT_TRUE(drained(rings).empty());
    ring_of(3);
    const std::array<timespec, 2> same{{at_look.st_mtim, at_look.st_mtim}};
    ASSERT_EQ(utimensat(AT_FDCWD, directory_.c_str(), same.data(), 0), 0);
    drained(rings);
    EXPECT_EQ(rings.ranks(), std::set<std::uint32_t>{3});
    // One that has rested is not listed again and again.
    set_changed(-kHour_s);
    ASSERT_EQ(stat(directory_.c_str(), &at_look), 0);
    drained(rings);
    ring_of(4);
    const std::array<timespec, 2> old{{at_look.st_mtim, at_look.st_mtim}};
    ASSERT_EQ(utimensat(AT_FDCWD, directory_.c_str(), old.data(), 0), 0);
    drained(rings);
    EXPECT_EQ(rings.ranks(), std::set<std::uint32_t>{3});
    set_changed(0);
    drained(rings);
    EXPECT_EQ(rings.ranks(), (std::set<std::uint32_t>{3, 4}));
}

TEST_F(MessageRingsTest, ARingThatCannotBeOpenedNowIsFoundLater) {
    MessageRings rings(directory_, clock_, log_);
    ring_of(6);
    set_changed(-3600);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int lowest = dup(0);
    ASSERT_GE(lowest, 0);
    close(lowest);
    const rlimit room_for_one{static_cast<rlim_t>(lowest) + 1, before.rlim_max};  // the listing
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &room_for_one), 0);
    for (int i = 0; i < 3; ++i) drained(rings);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(rings.ranks().empty());
    ASSERT_EQ(logged_.size(), 1U) << "told of once";
    EXPECT_TRUE(logged_[0].ends_with("-0.ring are not read yet: open: Too many open files")) << logged_[0];
    drained(rings);
    EXPECT_EQ(rings.ranks(), std::set<std::uint32_t>{6});
}

}  // namespace
}  // namespace fairlead::agent
