// SPDX-License-Identifier: Apache-2.0
#include "protocol/low_ports.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

namespace fairlead::guardian {
namespace {

class LowPortsTest : public testing::Test {
  protected:
    std::string path_ = "/tmp/fairlead-test-XXXXXX";
    LowPortsTest() { close(mkstemp(path_.data())); }
    ~LowPortsTest() override { unlink(path_.c_str()); }
    LowPorts of(const std::string& text) const {
        std::ofstream(path_) << text;
        return low_ports(path_);
    }
};

TEST_F(LowPortsTest, AreForRootFromTheLastThatOuterPacketsLeaveFrom) {
    EXPECT_EQ(of("1024\n").whom, LowPorts::For::root);
    const LowPorts open = of("1023\n");
    EXPECT_EQ(open.whom, LowPorts::For::everybody);
    EXPECT_EQ(open.first, 1023);
    EXPECT_EQ(of("0\n").whom, LowPorts::For::everybody);
}

TEST_F(LowPortsTest, ASettingThatCannotBeReadIsNotTakenForSafe) {
    EXPECT_EQ(of("").whom, LowPorts::For::not_known);
    EXPECT_EQ(of("none\n").whom, LowPorts::For::not_known);
    EXPECT_EQ(low_ports("/nowhere").whom, LowPorts::For::not_known);
}

}  // namespace
}  // namespace fairlead::guardian
