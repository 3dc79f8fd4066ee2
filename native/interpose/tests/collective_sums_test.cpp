// SPDX-License-Identifier: Apache-2.0
#include "record/collective_sums.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fairlead::record {
namespace {

constexpr const char* kNames[] = {"MPI_Bcast", "MPI_Reduce"};
constexpr CollectiveKind kBcast{.communicator = 7, .root = 1, .size = 4, .rank = 2, .function = 0};

class CollectiveSumsTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "sumsXXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    // What a program does, in a process of its own: the recorder of this one stays as it is for other tests.
    template <class Program>
    void run(Program&& program) const {
        const pid_t child = fork();
        if (child == 0) {
            configure(directory_.c_str(), kNames, 2, 0, nullptr);
            program(Thread::current());
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        ASSERT_EQ(status, 0);
    }

    // In the files, in the order in which they were first counted.
    std::vector<CollectiveSum> sums() const {
        std::vector<CollectiveSum> found;
        for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
            Block block{};
            for (std::size_t at = kPage_B; at < bytes.size(); at += block.size_B) {
                std::memcpy(&block, bytes.data() + at, sizeof block);
                const std::size_t number = (block.size_B - sizeof block) / sizeof(CollectiveSum);
                for (std::size_t index = 0; block.kind == 8 && index < number; ++index) {
                    CollectiveSum sum{};
                    std::memcpy(&sum, bytes.data() + at + sizeof block + index * sizeof sum, sizeof sum);
                    if (sum.calls != 0) {
                        found.push_back(sum);
                    }
                }
            }
        }
        return found;
    }

    std::string directory_;
};

TEST_F(CollectiveSumsTest, AddsUpCallsThatAreAlike) {
    run([](Thread& thread) {
        CollectiveKind reduce = kBcast;
        reduce.function = 1;
        thread.gave(kBcast, 0, 100);
        thread.gave(kBcast, 0, 127);
        thread.gave(kBcast, 0, 128);
        thread.gave(reduce, 100, 0);
    });
    const std::vector<CollectiveSum> found = sums();
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].communicator, 7U);
    EXPECT_EQ(found[0].calls, 2U);
    EXPECT_EQ(found[0].given_B, 0U);
    EXPECT_EQ(found[0].got_B, 227U);
    EXPECT_EQ(found[0].root, 1);
    EXPECT_EQ(found[0].size, 4);
    EXPECT_EQ(found[0].rank, 2);
    EXPECT_EQ(found[0].function, 0);
    EXPECT_EQ(found[0].size_class, 7);
    EXPECT_EQ(found[1].calls, 1U);
    EXPECT_EQ(found[1].size_class, 8);
    EXPECT_EQ(found[2].function, 1);
    EXPECT_EQ(found[2].given_B, 100U);
}

TEST_F(CollectiveSumsTest, CountsWhatIsKnownAlsoWithoutMoreRoom) {
    constexpr std::size_t kRoom = CollectiveSums::kMostBlocks * 341;
    run([](Thread& thread) {
        for (std::size_t root = 0; root <= kRoom; ++root) {
            CollectiveKind kind = kBcast;
            kind.root = static_cast<int>(root);
            thread.gave(kind, 0, 100);
        }
        thread.gave(kBcast, 0, 100);
    });
    const std::vector<CollectiveSum> found = sums();
    ASSERT_EQ(found.size(), kRoom);
    EXPECT_EQ(found[1].calls, 2U);
    EXPECT_EQ(found.back().root, static_cast<int>(kRoom - 1));
}

}  // namespace
}  // namespace fairlead::record
