// SPDX-License-Identifier: Apache-2.0
#include "detours/path_proof.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(PathProof, SendsEchoesUntilOneComesBack) {
    const EchoSettings settings;
    Outbox out;
    out.token();
    PathProof proof({0, 1}, 3);
    proof.advance(settings, 10.0, out);
    proof.advance(settings, 10.0 + settings.trial_s / 2, out);
    proof.advance(settings, proof.next_echo(), out);
    const auto echoes = only<SendEcho>(out.take());
    ASSERT_EQ(echoes.size(), 2U);
    EXPECT_TRUE(echoes[0].trial);
    EXPECT_EQ(echoes[0].echo, (wire::Echo{2, 0, 1, 3, 0}));
    EXPECT_EQ(echoes[1].echo.token, 3U);
    EXPECT_EQ(proof.echoes(), 2);
    EXPECT_FALSE(proof.carries());
    EXPECT_TRUE(proof.answered({2, 0, 1, 3}));
    EXPECT_TRUE(proof.carries());
    proof.advance(settings, 20.0, out);
    EXPECT_TRUE(out.take().empty());
}

TEST(PathProof, OnlyItsOwnEchoesProveIt) {
    Outbox out;
    PathProof proof({0, 1}, 3);
    EXPECT_FALSE(proof.answered({1, 0, 1, 3})) << "nothing was sent yet";
    out.token();
    proof.advance({}, 10.0, out);
    EXPECT_FALSE(proof.answered({1, 0, 1, 3})) << "an older token";
    EXPECT_FALSE(proof.answered({3, 0, 1, 3})) << "a later token";
    EXPECT_FALSE(proof.answered({2, 0, 1, 4})) << "another relay";
    EXPECT_FALSE(proof.answered({2, 0, 2, 3})) << "another destination";
    EXPECT_FALSE(proof.carries());
}

}  // namespace
}  // namespace fairlead::core
