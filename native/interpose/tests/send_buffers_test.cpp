// SPDX-License-Identifier: Apache-2.0
#include "relay/plane/send_buffers.hpp"

#include <gtest/gtest.h>

namespace fairlead::relay {
namespace {

constexpr SendBuffers::Owner kProcess{SendBuffers::Of::process, 0};
constexpr SendBuffers::Owner kSession{SendBuffers::Of::session, 7};
constexpr std::uintptr_t kComm = 3;
constexpr SendBuffers::Owner kOfComm{SendBuffers::Of::communicator, kComm};

TEST(SendBuffers, HoldWhatFits) {
    SendBuffers buffers;
    EXPECT_FALSE(buffers.fits(kComm, 0)) << "none is attached";
    buffers.attach(kProcess, 100);
    auto first = buffers.room(kComm, 60);
    ASSERT_TRUE(first);
    EXPECT_FALSE(buffers.room(kComm, 41));
    {
        const auto second = buffers.room(kComm, 40);
        EXPECT_TRUE(second);
        EXPECT_FALSE(buffers.fits(kComm, 1));
    }
    EXPECT_TRUE(buffers.fits(kComm, 40)) << "the second one is gone";
    const Room moved = std::move(*first);
    first.reset();
    EXPECT_FALSE(buffers.fits(kComm, 41)) << "the first one only moved";
}

TEST(SendBuffers, ACommunicatorsOwnIsTheOnlyOneForIt) {
    SendBuffers buffers;
    buffers.attach(kProcess, 100);
    buffers.attach(kOfComm, 10);
    EXPECT_FALSE(buffers.fits(kComm, 11));
    EXPECT_TRUE(buffers.fits(kComm + 1, 11));
    buffers.detach(kOfComm);
    EXPECT_TRUE(buffers.fits(kComm, 11));
}

TEST(SendBuffers, ASessionsIsUsedWhereTheProcesssIsFull) {
    SendBuffers buffers;
    buffers.attach(kProcess, 10);
    buffers.attach(kSession, 20);
    EXPECT_TRUE(buffers.fits(kComm, 20));
    EXPECT_FALSE(buffers.fits(kComm, 21));
}

TEST(SendBuffers, OneIsEmptyWhenWhatIsAwaitedIsGone) {
    SendBuffers buffers;
    buffers.attach(kProcess, 100);
    const auto buffer = buffers.find(kProcess);
    const auto kept = buffers.room(kComm, 10);
    auto awaited = buffers.room(kComm, 10);
    EXPECT_TRUE(buffer->empty());
    awaited->await();
    awaited->await();
    EXPECT_FALSE(buffer->empty());
    buffers.detach(kProcess);
    EXPECT_FALSE(buffer->empty());
    awaited.reset();
    EXPECT_TRUE(buffer->empty());
    EXPECT_TRUE(kept->is_in_buffer());
}

TEST(SendBuffers, OneWithoutLimitHoldsEverything) {
    SendBuffers buffers;
    buffers.attach(kProcess, SendBuffer::kUnlimited_B);
    const auto much = buffers.room(kComm, std::uint64_t{1} << 62);
    EXPECT_TRUE(much);
    EXPECT_TRUE(buffers.fits(kComm, std::uint64_t{1} << 62));
}

}  // namespace
}  // namespace fairlead::relay
