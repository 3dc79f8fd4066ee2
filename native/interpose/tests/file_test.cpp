// SPDX-License-Identifier: Apache-2.0
#include "record/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "record/recorder.hpp"
#include "record/ring_file.hpp"

namespace {

bool signals_come = false;
off_t disk_B = 0;  // 0: no limit
void (*while_reserving)() = nullptr;

}  // namespace

// In place of the C library's: as on a full disk, or as on a tmpfs of a kernel before Linux 6.10 in a program with a
// timer, where nothing large is reserved before a signal comes.
extern "C" int posix_fallocate(int fd, off_t offset, off_t length) {
    static int calls = 0;
    if (while_reserving != nullptr) {
        while_reserving();
    }
    if (signals_come && (length > (1 << 20) || ++calls % 2 != 0)) {
        return EINTR;
    }
    if (disk_B != 0 && offset + length > disk_B) {
        return ENOSPC;
    }
    return fallocate(fd, 0, offset, length) == 0 ? 0 : errno;
}

// Likewise, as on NFS and FUSE.
extern "C" int open(const char* path, int flags, ...) {
    static int calls = 0;
    if (signals_come && (flags & O_EXCL) != 0 && ++calls % 3 != 0) {
        errno = EINTR;
        return -1;
    }
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return openat(AT_FDCWD, path, flags, mode);
}

namespace fairlead::record {
namespace {

class FileTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "recordXXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::vector<char> content() const {
        std::vector<char> bytes;
        for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
            std::ifstream file(entry.path(), std::ios::binary);
            bytes.assign(std::istreambuf_iterator<char>(file), {});
        }
        return bytes;
    }

    std::string directory_;
};

TEST_F(FileTest, HoldsWhatWasWrittenWithoutBeingClosed) {
    auto* file = new File(directory_);  // never destroyed, as in a killed process
    file->header().rank = 5;
    auto* block = static_cast<char*>(file->add(Kind::counters, 3, 5000));
    block[4999] = 'x';
    const std::vector<char> bytes = content();
    ASSERT_EQ(bytes.size(), 3 * kPage_B);
    Header header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    EXPECT_EQ(header.magic, kMagic);
    EXPECT_EQ(header.version, kVersion);
    EXPECT_EQ(header.rank, 5);
    EXPECT_EQ(header.blocks, 1U);
    EXPECT_EQ(header.pid, static_cast<std::uint32_t>(getpid()));
    EXPECT_GT(header.opened.monotonic_ns, 0U);
    EXPECT_NE(std::string(header.program.data()).find("interpose_test"), std::string::npos);
    Block head{};
    std::memcpy(&head, bytes.data() + kPage_B, sizeof head);
    EXPECT_EQ(head.kind, 2U);
    EXPECT_EQ(head.thread, 3U);
    EXPECT_EQ(head.size_B, 2 * kPage_B);
    EXPECT_EQ(bytes[kPage_B + 4999], 'x');
    delete file;
}

TEST_F(FileTest, EveryProcessAndAttemptHasAFileOfItsOwn) {
    const File first(directory_);
    const File second(directory_);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 2);
}

TEST_F(FileTest, WithoutAPlaceItCountsWhereNobodyLooks) {
    testing::internal::CaptureStderr();
    File file(directory_ + "/missing");
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot be created: No such file"), std::string::npos);
    auto* block = static_cast<char*>(file.add(Kind::peers, 0, 100));
    block[99] = 'x';
    EXPECT_EQ(file.header().rank, -1);
}

// Of a process that may write so much.
File* file_within(const std::string& directory, rlim_t most_B) {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit less{most_B, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    testing::internal::CaptureStderr();
    setrlimit(RLIMIT_FSIZE, &less);
    auto* file = new File(directory);
    file->add(Kind::names, 0, 100);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    testing::internal::GetCapturedStderr();  // what it says may have no room either
    EXPECT_FALSE(file->is_written());
    return file;
}

TEST_F(FileTest, LeavesNoFileThatNobodyCanRead) {
    for (const rlim_t most_B : {rlim_t{0}, rlim_t{kPage_B}}) {
        File* const file = file_within(directory_, most_B);
        EXPECT_TRUE(std::filesystem::is_empty(directory_));
        static_cast<char*>(file->add(Kind::counters, 0, 100))[99] = 'x';
        delete file;
    }
}

TEST_F(FileTest, LeavesWhatThereWasRoomFor) {
    File file(directory_);
    file.add(Kind::names, 0, 100);
    delete file_within(directory_, 0);  // another one
    EXPECT_TRUE(file.is_written());
    EXPECT_EQ(content().size(), 2 * kPage_B);
}

TEST_F(FileTest, IsMadeAndGrowsWhileSignalsCome) {
    signals_come = true;
    File file(directory_);
    file.add(Kind::messages, 0, 5 * (std::size_t{1} << 20) / 2);
    signals_come = false;
    EXPECT_TRUE(file.is_written());
    EXPECT_EQ(content().size(), kPage_B + 5 * (std::size_t{1} << 20) / 2);
}

TEST_F(FileTest, ARingIsMadeWhileSignalsCome) {
    signals_come = true;
    make_ring(directory_.c_str(), 0, 0);
    signals_come = false;
    EXPECT_EQ(content().size(), kRing_B);
}

// As MPI_Abort does in a handler of a signal that comes then.
TEST_F(FileTest, AProgramMayEndWhileARingIsMade) {
    static constexpr const char* kAbort[] = {"MPI_Abort"};
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        configure(nullptr, kAbort, 1, 0, directory_.c_str());
        while_reserving = [] {
            ending(State::aborted);
            _exit(0);
        };
        Thread::current().pass(Message{});
        _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

// Beyond it the kernel sends a signal that ends the process.
TEST_F(FileTest, ALimitOfWhatFilesMayHoldIsKept) {
    File file(directory_);
    file.add(Kind::names, 0, 100);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit less{3 * kPage_B, before.rlim_max};
    testing::internal::CaptureStderr();
    setrlimit(RLIMIT_FSIZE, &less);
    file.add(Kind::messages, 0, 2 * kPage_B);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot grow: File too large"), std::string::npos);
    EXPECT_EQ(content().size(), 2 * kPage_B);
}

TEST_F(FileTest, TakesNoRoomThatIsNotEnough) {
    File file(directory_);
    file.add(Kind::names, 0, 100);
    testing::internal::CaptureStderr();
    disk_B = 2 << 20;
    file.add(Kind::messages, 0, std::size_t{4} << 20);
    disk_B = 0;
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot grow: No space left"), std::string::npos);
    EXPECT_EQ(content().size(), 2 * kPage_B);
}

}  // namespace
}  // namespace fairlead::record
