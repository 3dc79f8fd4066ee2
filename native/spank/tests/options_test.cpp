// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <gtest/gtest.h>

namespace fairlead::spank {
namespace {

using Words = std::vector<std::string>;

Options good(std::string_view text) {
    std::string error;
    Options options = parse_options(text, error);
    EXPECT_EQ(error, "") << text;
    return options;
}

std::string complaint(std::string_view text) {
    std::string error;
    parse_options(text, error);
    const std::string known = "; known options: " + known_options();
    EXPECT_TRUE(error.size() > known.size() && error.substr(error.size() - known.size()) == known) << error;
    return error.substr(0, error.size() - known.size());
}

TEST(SpankOptions, WithoutAnyTheDefaultsAreTaken) {
    EXPECT_EQ(good("").arguments, Words{});
    EXPECT_FALSE(good("").off);
    EXPECT_DOUBLE_EQ(good("").wait_s, 60.0);
}

TEST(SpankOptions, BecomeArgumentsOfTheSupervisor) {
    EXPECT_EQ(good("plane=relay,report").arguments, (Words{"--plane", "relay", "--report"}));
    EXPECT_EQ(good("results=/scratch/a b=c,quiet").arguments, (Words{"--results", "/scratch/a b=c", "--quiet"}));
    EXPECT_EQ(good("reroute=h0:h1:h2,reroute=h1:h0:h2").arguments,
              (Words{"--reroute", "h0:h1:h2", "--reroute", "h1:h0:h2"}));
    EXPECT_EQ(good("nodes=step,no-detours").arguments, (Words{"--nodes", "step", "--no-detours"}));
    EXPECT_EQ(good("no-benefit").arguments, Words{"--no-benefit"});
}

TEST(SpankOptions, SomeAreThePluginsOwn) {
    EXPECT_TRUE(good("off").off);
    EXPECT_DOUBLE_EQ(good("wait=2.5").wait_s, 2.5);
    EXPECT_EQ(good("off,wait=1").arguments, Words{});
}

TEST(SpankOptions, MistakesAreSaidWithTheKnownOptions) {
    EXPECT_EQ(complaint("plan=relay"), "unknown option 'plan'");
    EXPECT_EQ(complaint("report,,quiet"), "unknown option ''");
    EXPECT_EQ(complaint("plane=road"), "plane must be auto|route|relay, not 'road'");
    EXPECT_EQ(complaint("plane=aut"), "plane must be auto|route|relay, not 'aut'");
    EXPECT_EQ(complaint("plane=auto|route"), "plane must be auto|route|relay, not 'auto|route'");
    EXPECT_EQ(complaint("plane"), "plane needs a value: plane=auto|route|relay");
    EXPECT_EQ(complaint("results="), "results must be DIRECTORY, not ''");
    EXPECT_EQ(complaint("report=yes"), "report takes no value");
    for (const char* const value : {"soon", "-1", "3601", "1s", "nan"})
        EXPECT_EQ(complaint(std::string("wait=") + value),
                  std::string("wait must be a number of seconds from 0 to 3600, not '") + value + "'");
    EXPECT_NE(known_options().find("plane=auto|route|relay, results=DIRECTORY, report"), std::string::npos);
}

}  // namespace
}  // namespace fairlead::spank
