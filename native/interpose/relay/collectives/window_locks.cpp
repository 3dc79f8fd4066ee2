// SPDX-License-Identifier: Apache-2.0
#include "relay/collectives/window_locks.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>

#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"
#include "relay/library/random_number.hpp"
#include "relay/plane/now.hpp"

namespace fairlead::relay {

namespace {

constexpr std::int64_t kShared = 1;
constexpr std::int64_t kAlone = std::int64_t{1} << 32;
constexpr int kFirst = 0;  ///< whose second word is everybody's
// Between attempts, at random up to these: two that meet do so again otherwise, and each costs the target some work.
constexpr Time kFirstPause_s = 10e-6;
constexpr Time kLongestPause_s = 2e-3;

std::int64_t sharing(std::int64_t word) {
    return word % kAlone;
}
bool is_taken(std::int64_t word) {
    return word >= kAlone;
}

}  // namespace

WindowLocks::WindowLocks(MPI_Comm members) {
    constexpr MPI_Aint kSize_B = 2 * sizeof(std::int64_t);
    if (PMPI_Win_allocate(kSize_B, sizeof(std::int64_t), info_null(), members, &words_, &window_) != MPI_SUCCESS) {
        window_ = win_null();
        return;
    }
    PMPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    words_[0] = words_[1] = 0;
    PMPI_Win_sync(window_);
}

void WindowLocks::free() {
    if (window_ != win_null()) {
        PMPI_Win_unlock_all(window_);
        PMPI_Win_free(&window_);
    }
}

/// Returns what was there. The target's part in it is the library's progress, not a call.
std::int64_t WindowLocks::access(int target, Word word, MPI_Op op, std::int64_t number) {
    std::int64_t before = 0;
    MPI_Request request = request_null();
    plane->locked([&] {
        return PMPI_Rget_accumulate(&number, 1, datatype_int64(), &before, 1, datatype_int64(), target,
                                    word == Word::own ? 0 : 1, 1, datatype_int64(), op, window_, &request);
    });
    plane->wait_native(request);
    return before;
}

std::int64_t WindowLocks::add(int target, Word word, std::int64_t number) {
    return access(target, word, op_sum(), number);
}

std::int64_t WindowLocks::look(int target, Word word) {
    return access(target, word, op_no_op(), 0);
}

bool WindowLocks::free_alone(int target) {
    return look(target, Word::own) == 0 && sharing(look(kFirst, Word::all)) == 0;
}

bool WindowLocks::free_shared(int target, Word word) {
    return !is_taken(look(target, word));
}

bool WindowLocks::try_alone(int target) {
    if (sharing(add(kFirst, Word::all, kAlone)) == 0) {
        if (add(target, Word::own, kAlone) == 0) {
            return true;
        }
        add(target, Word::own, -kAlone);
    }
    add(kFirst, Word::all, -kAlone);
    return false;
}

bool WindowLocks::try_shared(int target, Word word) {
    if (!is_taken(add(target, word, kShared))) {
        return true;
    }
    add(target, word, -kShared);
    return false;
}

/// What a vain attempt adds keeps others off for as long as it is there. The first one is made at once: there is one
/// for each lock that somebody got. From then on whoever waits only looks, until it finds the lock free.
template <class IsFree, class Attempt>
void WindowLocks::keep_trying(IsFree&& is_free, Attempt&& attempt) {
    if (attempt()) {
        return;
    }
    std::minstd_rand numbers(random_number());
    Time longest_s = kFirstPause_s;
    do {
        const Time over_s = now_s() + std::uniform_real_distribution<Time>(0.0, longest_s)(numbers);
        plane->wait_until([over_s] { return now_s() >= over_s; });
        longest_s = std::min(2 * longest_s, kLongestPause_s);
    } while (!is_free() || !attempt());
}

bool WindowLocks::lock(int target, bool alone) {
    const bool refused = plane->locked([&] { return all_ || held_.contains(target); });
    if (window_ == win_null() || refused) {
        return false;
    }
    if (alone) {
        keep_trying([&] { return free_alone(target); }, [&] { return try_alone(target); });
    } else {
        keep_trying([&] { return free_shared(target, Word::own); }, [&] { return try_shared(target, Word::own); });
    }
    plane->locked([&] { return held_[target] = alone; });
    return true;
}

void WindowLocks::unlock(int target) {
    const auto held = plane->locked([&] { return held_.extract(target); });
    if (held.empty()) {
        return;
    }
    const bool alone = held.mapped();
    add(target, Word::own, alone ? -kAlone : -kShared);
    if (alone) {
        add(kFirst, Word::all, -kAlone);
    }
}

bool WindowLocks::lock_all() {
    const bool refused = plane->locked([&] { return all_ || !held_.empty(); });
    if (window_ == win_null() || refused) {
        return false;
    }
    keep_trying([&] { return free_shared(kFirst, Word::all); }, [&] { return try_shared(kFirst, Word::all); });
    plane->locked([&] { return all_ = true; });
    return true;
}

void WindowLocks::unlock_all() {
    if (plane->locked([&] { return std::exchange(all_, false); })) {
        add(kFirst, Word::all, -kShared);
    }
}

}  // namespace fairlead::relay
