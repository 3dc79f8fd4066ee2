// SPDX-License-Identifier: Apache-2.0
// Every order of the steps of small programs: what MPI does not allow never happens, what it allows does, and each
// mistake that the design warns of is found.
#include <gtest/gtest.h>

#include "check.hpp"
#include "programs.hpp"

namespace fairlead::relay::explore {
namespace {

/// Nothing illegal, and every outcome that MPI allows occurs.
void holds(const Program& program, const Chaos& chaos) {
    const Verdict verdict = check(program, chaos);
    EXPECT_TRUE(verdict.illegal.empty()) << verdict.illegal.front();
    EXPECT_EQ(verdict.outcomes, verdict.allowed) << program.name;
}

/// The mistake leads to an outcome that MPI does not allow. That there is none without it is said above.
void is_found(const Mistakes& mistakes, const Program& program, const Chaos& chaos = {}) {
    EXPECT_FALSE(check(program, chaos, mistakes, {.until_illegal = true}).illegal.empty()) << program.name;
}

TEST(Explore, OrderIsKept) {
    holds(programs::two_in_order(), {.takeovers = 1});
    holds(programs::two_posted(), {});
    holds(programs::tags_crossed(), {});
}

TEST(Explore, ProbesAndCancellationsAreAsInMpi) {
    holds(programs::probes(), {.takeovers = 1});
    holds(programs::cancelled_by_program(), {});
}

TEST(Explore, NothingWaitsForever) {
    holds(programs::barrier_between(), {});
    holds(programs::long_ones(), {});
}

TEST(Explore, PayloadWithoutCreditWaitsAndComes) {
    holds(programs::tags_crossed(), {.credit_B = 1, .direct = false});
}

TEST(Explore, LostAndDoubledFramesAreMadeGood) {
    holds(programs::two_in_order(), {.losses = 1, .repeats = 1});
    holds(programs::two_in_order(), {.agents = true, .agent_deaths = 1});
}

constexpr Chaos kWithoutCancelling{.cancels = false, .wishes = 1};

TEST(Explore, WithConsentNothingNeedsToBeCancelled) {
    holds(programs::two_in_order(), kWithoutCancelling);
    holds(programs::two_posted(), kWithoutCancelling);
}

TEST(Explore, FindsConsentWhileTheLibraryHasReceives) {
    is_found({.consent_early = true}, programs::two_posted(), kWithoutCancelling);
}

TEST(Explore, FindsLeavingTakeoverWithConsentGiven) {
    is_found({.leave_consented = true}, programs::two_posted(), kWithoutCancelling);
}

TEST(Explore, FindsCancellingTheOldestFirst) {
    is_found({.oldest_first = true}, programs::two_posted());
}

TEST(Explore, FindsTakingAMatchedReceiveForCancelled) {
    is_found({.outcome_ignored = true}, programs::two_posted());
}

TEST(Explore, FindsNotWaitingForEarlierNativeMessages) {
    is_found({.count_ignored = true}, programs::two_in_order());
}

TEST(Explore, FindsLeavingTakeoverWithMessagesInTheQueue) {
    is_found({.leave_with_queue = true}, programs::two_in_order());
}

TEST(Explore, FindsLeavingTakeoverWithReceives) {
    is_found({.leave_with_receives = true}, programs::two_posted());
}

TEST(Explore, FindsLeavingTakeoverWithHeldMessages) {
    is_found({.leave_with_held = true}, programs::two_in_order());
}

TEST(Explore, FindsSleepingInANativeBarrier) {
    is_found({.sleep = true}, programs::barrier_between());
}

TEST(Explore, FindsSleepingInANativeReceive) {
    is_found({.sleep = true}, programs::two_in_order());
}

TEST(Explore, FindsSendingDirectlyAgainOnceDelivered) {
    is_found({.return_on_delivery = true}, programs::two_in_order());
}

TEST(Explore, FindsAcknowledgingAtTheAgent) {
    is_found({.agent_acknowledges = true}, programs::two_in_order(), {.agents = true, .agent_deaths = 1});
}

TEST(Explore, FindsCountingAfterEnteringPmpi) {
    // Whole, this program is explored by the long suite.
    const Verdict verdict = check(programs::probe_and_threads(), {}, {.count_late = true}, {.until_illegal = true});
    EXPECT_FALSE(verdict.illegal.empty());
}

}  // namespace
}  // namespace fairlead::relay::explore
