// SPDX-License-Identifier: Apache-2.0
// What takes minutes; run by `make verify`. Each test prints how much it looked at.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "programs.hpp"
#include "random_program.hpp"
#include "simulation.hpp"

namespace fairlead::relay {
namespace {

using explore::Chaos;
using explore::check;
using explore::Mistakes;
using explore::Program;
using explore::Verdict;
namespace programs = explore::programs;

std::vector<Program> small_programs() {
    return {programs::two_in_order(),
            programs::two_posted(),
            programs::tags_crossed(),
            programs::barrier_between(),
            programs::probes(),
            programs::cancelled_by_program(),
            programs::two_communicators(),
            programs::ping_pong(),
            programs::long_ones(),
            programs::to_itself(),
            programs::long_before_short(),
            programs::probe_and_threads()};
}

void holds(const Program& program, const Chaos& chaos) {
    const Verdict verdict = check(program, chaos);
    std::printf("%s: %zu states, %zu outcomes\n", program.name.c_str(), verdict.states, verdict.outcomes);
    EXPECT_TRUE(verdict.illegal.empty()) << verdict.illegal.front();
    EXPECT_EQ(verdict.outcomes, verdict.allowed) << program.name;
}

TEST(LongExplore, TakeoversAtAnyMoment) {
    for (const Program& program : small_programs()) holds(program, {.takeovers = 1});
}

TEST(LongExplore, LossesAndDoubledFrames) {
    for (const Program& program : {programs::two_posted(), programs::tags_crossed(), programs::probes(),
                                   programs::ping_pong(), programs::long_ones(), programs::two_communicators()}) {
        holds(program, {.losses = 1, .repeats = 1});
    }
}

TEST(LongExplore, AgentsThatDie) {
    for (const Program& program : {programs::two_posted(), programs::tags_crossed(), programs::ping_pong(),
                                   programs::long_ones(), programs::cancelled_by_program()}) {
        holds(program, {.agents = true, .agent_deaths = 2});
    }
}

TEST(LongExplore, ConsentInsteadOfCancelling) {
    for (const Program& program : small_programs()) holds(program, {.takeovers = 1, .cancels = false, .wishes = 1});
    for (const Program& program :
         {programs::two_in_order(), programs::two_posted(), programs::tags_crossed(), programs::probes(),
          programs::cancelled_by_program(), programs::ping_pong(), programs::barrier_between()}) {
        holds(program, {.cancels = false, .wishes = 2});  // consent is given back, too
    }
    holds(programs::two_in_order(), {.losses = 1, .repeats = 1, .cancels = false, .wishes = 1});
}

TEST(LongExplore, ConsentWhileAgentsDie) {
    for (const Program& program : {programs::one_posted(), programs::two_in_order()}) {
        holds(program, {.agents = true, .agent_deaths = 1, .cancels = false, .wishes = 1});
    }
}

TEST(LongExplore, FindsAcknowledgingConsentAtTheAgent) {
    const Chaos chaos{.agents = true, .agent_deaths = 1, .cancels = false, .wishes = 1};
    const Mistakes mistakes{.agent_acknowledges = true};
    EXPECT_FALSE(check(programs::one_posted(), chaos, mistakes, {.until_illegal = true}).illegal.empty());
}

TEST(LongExplore, PayloadsWithoutCredit) {
    for (const Program& program : {programs::two_posted(), programs::ping_pong(), programs::probes()}) {
        holds(program, {.takeovers = 1, .credit_B = 0});
    }
}

TEST(LongExplore, ThreeProcesses) {
    holds(programs::three_with_wildcards(), {});
}

TEST(LongExplore, CountingLateMisorders) {
    const Verdict verdict = check(programs::probe_and_threads(), {}, {.count_late = true});
    EXPECT_TRUE(std::any_of(verdict.illegal.begin(), verdict.illegal.end(), [](const std::string& outcome) {
        return outcome.starts_with("probe and threads: ends");
    })) << "not only refused by the receiver's own check";
}

TEST(LongExplore, EveryMistakeIsFoundInProgramsDrawnBlindly) {
    const std::vector<Mistakes> all = {
        {.oldest_first = true},        {.outcome_ignored = true}, {.count_ignored = true}, {.leave_with_queue = true},
        {.leave_with_receives = true}, {.leave_with_held = true}, {.sleep = true},         {.return_on_delivery = true},
        {.agent_acknowledges = true}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool agents = all[i].agent_acknowledges;
        const Chaos chaos{.agents = agents, .agent_deaths = agents ? 1 : 0};
        std::uint64_t seed = 1;
        while (seed <= 100 &&
               check(explore::random_program(seed, 3), chaos, all[i], {.until_illegal = true}).illegal.empty()) {
            ++seed;
        }
        std::printf("mistake %zu: found in program %llu\n", i, static_cast<unsigned long long>(seed));
        EXPECT_LE(seed, 100U) << "mistake " << i;
    }
}

TEST(LongExplore, ProgramsDrawnBlindly) {
    constexpr int kPrograms = 24;
    int explored = 0;
    std::size_t states = 0;
    std::size_t outcomes = 0;
    for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
        const Program program = explore::random_program(seed, 3);
        try {
            const Verdict verdict = check(program, {}, {}, {.most_states = 50000});
            ASSERT_TRUE(verdict.illegal.empty()) << verdict.illegal.front();
            ++explored;
            states += verdict.states;
            outcomes += verdict.outcomes;
        } catch (const std::length_error&) {
            // Left out, and counted below.
        }
    }
    std::printf("%d of %d programs, %zu states, %zu outcomes\n", explored, kPrograms, states, outcomes);
    EXPECT_GE(explored, kPrograms / 2);
}

class LongSimulation : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LongSimulation, AMillionMessagesAmongEightRanks) {
    const auto result = simulation::run({.seed = GetParam(), .messages = 1000000});
    EXPECT_EQ(result.received, 1000000U);
    const Counters& c = result.counters;
    const std::vector<std::pair<const char*, std::uint64_t>> counts = {{"direct", c.direct},
                                                                       {"relayed", c.relayed},
                                                                       {"takeovers", c.takeovers},
                                                                       {"cancelled", c.cancelled},
                                                                       {"cancel failed", c.cancel_failed},
                                                                       {"pulled", c.pulled},
                                                                       {"held", c.held},
                                                                       {"waited", c.waited},
                                                                       {"retransmitted", c.retransmitted},
                                                                       {"duplicates", c.duplicates},
                                                                       {"agents died", result.agent_deaths}};
    for (const auto& [name, count] : counts) {
        std::printf("%s %llu, ", name, static_cast<unsigned long long>(count));
        EXPECT_GT(count, 1000U) << name;
    }
    std::printf("\n");
}

TEST_P(LongSimulation, AMillionMessagesWithConsent) {
    const auto result = simulation::run({.seed = GetParam(), .messages = 1000000, .cancels = false});
    const Counters& c = result.counters;
    EXPECT_EQ(result.received, 1000000U);
    EXPECT_EQ(c.cancelled + c.cancel_failed, 0U);
    for (const std::uint64_t count : {c.direct, c.relayed, c.takeovers, c.pulled, c.held}) EXPECT_GT(count, 1000U);
}

/// Two seeds from FAIRLEAD_SEED on, which `make verify` sets to another each day.
std::uint64_t first_seed() {
    const char* given = std::getenv("FAIRLEAD_SEED");
    return given == nullptr ? 1 : std::stoull(given);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LongSimulation, testing::Range(first_seed(), first_seed() + 2));

}  // namespace
}  // namespace fairlead::relay
