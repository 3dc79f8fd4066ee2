// SPDX-License-Identifier: Apache-2.0
#include "process/precedence.hpp"

#include <cmath>
#include <utility>

#include "process/clock.hpp"
#include "process/usage.hpp"

namespace fairlead::agent {
namespace {

/// What a search for detours of a dozen pairs takes at once.
constexpr double kAtOnce_s = 0.1;
constexpr double kLately_s = 1.0;

}  // namespace

Precedence::Precedence(Scheduling scheduling, double share)
    : realtime_(scheduling == Scheduling::realtime),
      budget_(share, kAtOnce_s),
      looked_s_(monotonic_s()),
      ran_s_(thread_time_s()) {}

void Precedence::look(double now_s, double waited_s) {
    const double total_s = thread_time_s();
    const double ran_s = total_s - std::exchange(ran_s_, total_s);
    const double passed_s = now_s - std::exchange(looked_s_, now_s);
    const double remembered = std::exp(-passed_s / kLately_s);
    ran_lately_s_ = ran_lately_s_ * remembered + ran_s;
    waited_lately_s_ = waited_lately_s_ * remembered + waited_s;
    // Whoever is first waits only for others that are: the processors are full of them. Behind, it may wait for
    // anybody.
    enough_ = budget_.spend(passed_s, ran_s + (realtime_ && first_ ? waited_s : 0.0));
    if (!realtime_ || enough_ == first_) return;
    // Where it may not go first again it stays behind.
    if (keep_for_this_thread(enough_ ? Scheduling::realtime : Scheduling::short_slice)) first_ = enough_;
}

}  // namespace fairlead::agent
