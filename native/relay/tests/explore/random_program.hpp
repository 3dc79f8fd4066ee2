// SPDX-License-Identifier: Apache-2.0
// Small programs drawn by a seed. They may deadlock: then they may on the relay plane, too, and only then.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fairlead/core/random.hpp"
#include "program.hpp"

namespace fairlead::relay::explore {

namespace detail {

inline Step drawn_receive(core::Random& random, Process source, Tag tag) {
    const Rank from = random.below(3) == 0 ? kAnySource : static_cast<Rank>(source);
    return receive(from, random.below(3) == 0 ? kAnyTag : tag);
}

}  // namespace detail

/// Two or three processes, `messages` messages, for each a receive that accepts it, in any order; half of the receives
/// do not block and are waited for at the end.
inline Program random_program(std::uint64_t seed, int messages) {
    core::Random random(seed);
    const auto processes = static_cast<Process>(2 + random.below(2));
    std::vector<Thread> threads(processes);
    std::vector<std::vector<int>> slots(processes);
    for (int i = 0; i < messages; ++i) {
        const auto from = static_cast<Process>(random.below(processes));
        const auto to = static_cast<Process>((from + 1 + random.below(processes - 1)) % processes);
        const auto tag = static_cast<Tag>(random.below(2));
        Step sending = send(to, tag);
        sending.synchronous = random.below(5) == 0;
        sending.large = random.below(5) == 0;
        Step receiving = detail::drawn_receive(random, from, tag);
        if (random.below(2) == 0) {
            receiving = in_slot(i, receiving);
            slots[to].push_back(i);
        }
        for (auto& [process, step] : {std::pair(from, sending), std::pair(to, receiving)}) {
            Thread& thread = threads[process];
            thread.insert(thread.begin() + static_cast<std::ptrdiff_t>(random.below(thread.size() + 1)), step);
        }
    }
    Program program{"program " + std::to_string(seed), {}};
    for (Process process = 0; process < processes; ++process) {
        for (const int slot : slots[process]) threads[process].push_back(wait(slot));
        program.processes.push_back({threads[process]});
    }
    return program;
}

}  // namespace fairlead::relay::explore
