// SPDX-License-Identifier: Apache-2.0
#include "protocol/address.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace fairlead::guardian {
namespace {

Address address(const char* text) {
    return Address::parse(text).value();
}

TEST(AddressTest, IsReadAndWrittenInItsUsualForm) {
    EXPECT_EQ(address("10.64.0.1").family(), AF_INET);
    EXPECT_EQ(address("10.64.0.1").bytes().size(), 4U);
    EXPECT_EQ(address("10.64.0.1").text(), "10.64.0.1");
    EXPECT_EQ(address("fd00:64::1").family(), AF_INET6);
    EXPECT_EQ(address("fd00:64::1").bytes().size(), 16U);
    EXPECT_EQ(address("FD00:0064:0:0::0:1").text(), "fd00:64::1");
    EXPECT_EQ(Address().text(), "");
}

TEST(AddressTest, NothingElseIsOne) {
    for (const char* text : {"", "localhost", "10.64.0", "10.64.0.1:80", "fd00::1::2", "[fd00::1]", "fe80::1%eth0"}) {
        EXPECT_EQ(Address::parse(text), std::nullopt) << text;
    }
}

TEST(AddressTest, AMappedAddressIsThatOfIPv4) {
    EXPECT_EQ(address("::ffff:10.64.0.1"), address("10.64.0.1"));
    EXPECT_NE(address("::10.64.0.1"), address("10.64.0.1"));
}

TEST(AddressTest, IsMadeOfItsBytes) {
    for (const char* text : {"10.64.0.1", "fd00:64::1"}) EXPECT_EQ(Address::of(address(text).bytes()), address(text));
    EXPECT_EQ(Address::of({}), Address());
    EXPECT_EQ(address("10.64.0.1").bits(), 32);
    EXPECT_EQ(address("fd00::1").bits(), 128);
}

TEST(AddressTest, IsAKey) {
    const std::unordered_set<Address, Address::Hash> some{address("10.64.0.1"), address("fd00::1")};
    EXPECT_TRUE(some.contains(address("fd00:0::1")));
    EXPECT_FALSE(some.contains(address("fd00::2")));
    EXPECT_FALSE(some.contains(Address()));
}

}  // namespace
}  // namespace fairlead::guardian
