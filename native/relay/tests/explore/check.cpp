// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>

namespace fairlead::relay::explore {

namespace {

CommunicatorId communicators_of(const Program& program) {
    CommunicatorId count = 1;
    for (const auto& process : program.processes) {
        for (const Thread& thread : process) {
            for (const Step& step : thread) count = std::max(count, step.communicator + 1);
        }
    }
    return count;
}

bool has_threads(const Program& program) {
    return std::any_of(program.processes.begin(), program.processes.end(),
                       [](const auto& process) { return process.size() > 1; });
}

}  // namespace

std::string describe(const Outcome& outcome) {
    std::string text = outcome.how;
    for (const auto& thread : outcome.seen) {
        text += " |";
        for (const Label label : thread) text += " " + std::to_string(label);
    }
    return text;
}

Verdict check(const Program& program, Chaos chaos, Mistakes mistakes, Extent extent) {
    const auto processes = static_cast<Process>(program.processes.size());
    chaos.threads = has_threads(program);
    const auto never = [](const Outcome&) { return false; };
    const Exploration allowed = Explorer<PlainMpi>(program, PlainMpi(processes), extent.most_states).run(never);
    const auto enough = [&](const Outcome& outcome) {
        return extent.until_illegal && !allowed.outcomes.contains(outcome);
    };
    const RelayedMpi relayed(processes, communicators_of(program), chaos, mistakes);
    const Exploration found = Explorer<RelayedMpi>(program, relayed, extent.most_states).run(enough);
    Verdict verdict{found.states, found.outcomes.size(), allowed.outcomes.size(), {}};
    for (const auto& [outcome, steps] : found.outcomes) {
        if (allowed.outcomes.contains(outcome)) continue;
        std::string text = program.name + ": " + describe(outcome);
        for (const std::string& step : steps) text += "\n    " + step;
        verdict.illegal.push_back(text);
    }
    return verdict;
}

}  // namespace fairlead::relay::explore
