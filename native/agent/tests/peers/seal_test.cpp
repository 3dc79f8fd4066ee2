// SPDX-License-Identifier: Apache-2.0
#include "peers/seal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/keys.hpp"

namespace fairlead::agent {
namespace {

namespace wire = core::wire;

constexpr std::uint64_t kBoot = 1'700'000'000'000'000'000;

struct Sealed {
    Datagram bytes{};
    std::size_t size_B = 0;
    std::span<const std::uint8_t> span() const { return std::span(bytes).first(size_B); }
};

Sealed seal(Sealer& sealer, core::HostId to, const wire::Message& message) {
    Sealed result;
    result.size_B = sealer.seal(to, message, result.bytes);
    return result;
}

const wire::Message kProbe = wire::Probe{.sequence = 7, .t1_ns = -5};

class Seal : public testing::Test {
  protected:
    Sealer sealer{key_of(1), 0, kBoot};
    Opener opener{key_of(1), 1, 3};

    std::string refusal(std::span<const std::uint8_t> datagram) {
        const auto result = opener.open(datagram);
        const auto* refused = std::get_if<Refusal>(&result);
        return refused == nullptr ? "opened" : std::string(name(*refused));
    }
};

TEST_F(Seal, OpensWhatWasSealed) {
    const Sealed sealed = seal(sealer, 1, kProbe);
    EXPECT_EQ(sealed.size_B, kSealOverhead_B + 16);
    const auto opened = std::get<Opened>(opener.open(sealed.span()));
    EXPECT_EQ(opened.sender, 0);
    EXPECT_EQ(opened.boot_id, kBoot);
    EXPECT_EQ(opened.message, kProbe);
    EXPECT_EQ(std::get<core::HostId>(Opener::claimed_sender(sealed.span())), 0);
}

TEST_F(Seal, EveryChangedBitIsRefused) {
    const Sealed sealed = seal(sealer, 1, kProbe);
    for (std::size_t bit = 0; bit < 8 * sealed.size_B; ++bit) {
        Sealed changed = sealed;
        changed.bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        EXPECT_NE(refusal(changed.span()), "opened") << "bit " << bit;
    }
    EXPECT_EQ(refusal(sealed.span()), "opened") << "refused datagrams must not spend a counter";
}

TEST_F(Seal, EveryTruncationIsRefused) {
    const Sealed sealed = seal(sealer, 1, kProbe);
    for (std::size_t length = 0; length < sealed.size_B; ++length) {
        EXPECT_EQ(refusal(sealed.span().first(length)), length < kSealOverhead_B ? "too short" : "not sealed");
    }
    std::vector<std::uint8_t> longer(kMaxDatagram_B + 1);
    EXPECT_EQ(refusal(longer), "too long");
}

TEST_F(Seal, RepeatsAndOldStartsAreRefused) {
    const Sealed first = seal(sealer, 1, kProbe);
    const Sealed second = seal(sealer, 1, kProbe);
    EXPECT_EQ(refusal(second.span()), "opened");
    EXPECT_EQ(refusal(first.span()), "opened") << "late, but not seen before";
    EXPECT_EQ(refusal(first.span()), "replayed");
    Sealer restarted(key_of(1), 0, kBoot + 1);
    EXPECT_EQ(refusal(seal(restarted, 1, kProbe).span()), "opened");
    EXPECT_EQ(refusal(seal(sealer, 1, kProbe).span()), "replayed") << "of an earlier start";
}

TEST_F(Seal, OnlyForTheJobAndTheReceiver) {
    Sealer stranger(key_of(2), 0, kBoot);
    EXPECT_EQ(refusal(seal(stranger, 1, kProbe).span()), "not sealed");
    EXPECT_EQ(refusal(seal(sealer, 2, kProbe).span()), "for another host");
    Sealer outside(key_of(1), 3, kBoot);
    EXPECT_EQ(refusal(seal(outside, 1, kProbe).span()), "unknown sender");
    Sealer self(key_of(1), 1, kBoot);
    EXPECT_EQ(refusal(seal(self, 1, kProbe).span()), "unknown sender");
}

TEST_F(Seal, NonsenseUnderAGoodSealIsRefused) {
    // A host index that the sealer does not check, but the receiver's decoder does.
    EXPECT_EQ(refusal(seal(sealer, 1, wire::PathQuery{.token = 1, .destination = 9}).span()), "malformed");
}

TEST_F(Seal, WhatIsTooLongIsNotSealed) {
    Datagram out;
    EXPECT_EQ(sealer.seal(1, wire::Probe{.padding_B = 60000}, out), 0U);
}

}  // namespace
}  // namespace fairlead::agent
