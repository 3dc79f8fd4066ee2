// SPDX-License-Identifier: Apache-2.0
// What begins a search, and what follows from its result.
#include <gtest/gtest.h>

#include "reroutes_rig.hpp"

namespace fairlead::core {
namespace {

class RerouteSearches : public ReroutesRig {};

TEST_F(RerouteSearches, SignsOfTheSocketsBeginASearchAndTheNextOneWaits) {
    for (const double srtt_s : {3e-4, 3e-4, 20e-3}) {
        at(rig.now + 0.04);
        reroutes.on_sample({1, srtt_s, 3e-4, 20000, rig.delivered_B[1] += 2000, 0, 0, false, 0.0, 0.0});
    }
    const auto probes = only<SendProbes>(rig.out.take());
    ASSERT_EQ(probes.size(), 1U);
    EXPECT_EQ(probes[0].peer, 1);
    rig.probe(1, 0.0, probes[0].burst);
    at(rig.now);
    reroutes.progress();  // a false alarm
    at(rig.now + 0.001);
    reroutes.on_sample({1, 20e-3, 3e-4, 20000, rig.delivered_B[1] += 2000, 0, 0, false, 0.0, 0.0});
    EXPECT_TRUE(only<SendProbes>(rig.out.take()).empty());
}

TEST_F(RerouteSearches, ANoticeAboutAPairThatIsNotInUseBeginsNoSearch) {
    reroutes.on_notice({0, 1, CongestionLevel::high, 5e-3, 0.0});
    EXPECT_TRUE(rig.out.take().empty());
    rig.sample(1, 2000);
    rig.sample(1, 2000);
    at(rig.now);
    reroutes.on_notice({0, 1, CongestionLevel::high, 5e-3, 0.4});
    EXPECT_EQ(only<SendProbes>(rig.out.take()).size(), 1U);
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(1, rig.now), 0.4);
}

}  // namespace
}  // namespace fairlead::core
