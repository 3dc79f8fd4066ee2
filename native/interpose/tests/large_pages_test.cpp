// SPDX-License-Identifier: Apache-2.0
// What maps parts of files, on a kernel whose pages have 64 KiB.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "record/file.hpp"
#include "relay/channel/channel.hpp"

extern "C" long __sysconf(int name);

namespace {

constexpr off_t kLargePage_B = 65536;
bool pages_are_large = false;

struct LargePages {
    LargePages() { pages_are_large = true; }
    ~LargePages() { pages_are_large = false; }
    LargePages(const LargePages&) = delete;
    LargePages& operator=(const LargePages&) = delete;
};

}  // namespace

// In place of the C library's. The thread sanitizer calls them before it can watch them.
extern "C" [[gnu::no_sanitize_thread]] long sysconf(int name) noexcept {
    return name == _SC_PAGESIZE && pages_are_large ? kLargePage_B : __sysconf(name);
}

extern "C" [[gnu::no_sanitize_thread]] void* mmap(void* where, std::size_t size_B, int protection, int flags, int fd,
                                                  off_t offset_B) noexcept {
    if (pages_are_large && offset_B % kLargePage_B != 0) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(syscall(SYS_mmap, where, size_B, protection, flags, fd, offset_B));
}

namespace fairlead {
namespace {

TEST(LargePages, ARecordIsWrittenWhereItBelongs) {
    const LargePages large;
    std::string directory = testing::TempDir() + "recordXXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    static auto* const file = new record::File(directory);  // never destroyed, as in a killed process
    for (const char mark : {'a', 'b', 'c'}) {
        static_cast<char*>(file->add(record::Kind::counters, 0, 5 * record::kPage_B))[5 * record::kPage_B - 1] = mark;
    }
    ASSERT_TRUE(file->is_written());
    const std::filesystem::path path = std::filesystem::directory_iterator(directory)->path();
    std::ifstream content(path, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(content), {});
    ASSERT_EQ(bytes.size(), 16 * record::kPage_B);
    EXPECT_EQ(std::memcmp(bytes.data(), record::kMagic.data(), record::kMagic.size()), 0);
    for (const std::size_t block : {0U, 1U, 2U}) {
        EXPECT_EQ(bytes[(1 + 5 * (block + 1)) * record::kPage_B - 1], "abc"[block]);
    }
    std::filesystem::remove_all(directory);
}

TEST(LargePages, AChannelIsMapped) {
    const LargePages large;
    constexpr relay::Process kProcesses = 5;
    constexpr std::uint64_t kRing_B = 2 * relay::kChannelPage_B;
    const std::uint64_t size_B = relay::ChannelMemory::size_B(kProcesses, kRing_B);
    const int fd = memfd_create("test", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(fd, static_cast<off_t>(size_B)), 0);
    const relay::ChannelMemory memory(fd, kProcesses, kRing_B);
    close(fd);
    memory.to_rank().bytes[0] = 1;
    EXPECT_EQ(memory.to_rank().bytes[kRing_B], 1);  // the same byte
    EXPECT_EQ(memory.to_agent().bytes[0], 0);
}

}  // namespace
}  // namespace fairlead
