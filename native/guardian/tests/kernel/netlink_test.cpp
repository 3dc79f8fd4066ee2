// SPDX-License-Identifier: Apache-2.0
#include "kernel/netlink.hpp"

#include <gtest/gtest.h>
#include <linux/rtnetlink.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>

namespace fairlead::guardian {
namespace {

// How many routes the kernel shows of a table.
int routes_of(Netlink& netlink, std::uint32_t table) {
    Message message(RTM_GETROUTE);
    message.family<rtmsg>().rtm_family = AF_INET;
    message.put_u32(RTA_TABLE, table);
    int routes = 0;
    netlink.dump(message, "routes", [&](const nlmsghdr*) { ++routes; });
    return routes;
}

constexpr std::uint32_t kNoTable = 0x464c00ff;

TEST(Netlink, ADumpThatBreaksOffIsAnError) {
    Netlink netlink;
    EXPECT_GT(routes_of(netlink, RT_TABLE_LOCAL), 0) << "those of the loopback device";
    try {
        routes_of(netlink, kNoTable);
        FAIL() << "there is no such table";
    } catch (const KernelError& failure) {
        EXPECT_EQ(failure.error, ENOENT);
    }
    EXPECT_GT(routes_of(netlink, RT_TABLE_LOCAL), 0) << "the next one is another";
}

// A guardian has no second one, and must take back what it made.
TEST(Netlink, WhereADumpBreaksOffAndThereIsNoRoomForAnotherSocketTheNextOneIsMadeLater) {
    Netlink netlink;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    try {
        routes_of(netlink, kNoTable);
        ADD_FAILURE() << "there is no such table";
    } catch (const KernelError& failure) {
        EXPECT_EQ(failure.error, EMFILE);
    }
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_GT(routes_of(netlink, RT_TABLE_LOCAL), 0);
}

}  // namespace
}  // namespace fairlead::guardian
