// SPDX-License-Identifier: Apache-2.0
// Locks of a window's memory, asked for again and again while the plane polls, instead of a sleep in MPI_Win_lock:
// whoever holds one may wait for an answer of who wants it.
//
// Every process has a word in a window of the plane's own: how many hold its memory shared, and who holds it alone.
// The first one has another: who has locked all, and who one alone (Gerstenberger, Besta, Hoefler 2013); so who locks
// all, or one alone, waits for the progress of the first one's library, too. An attempt adds itself and looks at what
// was there; if that forbids it, it takes itself back. Nobody keeps part of a lock while waiting for the rest. All are
// locked for good in the plane's window, so its accesses wait for no lock; the program's locks come after ours and find
// no other.
#pragma once

#include <cstdint>
#include <map>

#include "abi.hpp"

namespace fairlead::relay {

class WindowLocks {
  public:
    /// Collective over `members`, all of whom are here.
    explicit WindowLocks(MPI_Comm members);
    WindowLocks(const WindowLocks&) = delete;
    WindowLocks& operator=(const WindowLocks&) = delete;
    ~WindowLocks() = default;
    /// Likewise.
    void free();

    /// False where this process holds it already, which is for the library to refuse.
    bool lock(int target, bool alone);
    void unlock(int target);
    bool lock_all();
    void unlock_all();

  private:
    enum class Word : std::uint8_t { own, all };
    std::int64_t access(int target, Word word, MPI_Op op, std::int64_t number);
    std::int64_t add(int target, Word word, std::int64_t number);
    std::int64_t look(int target, Word word);
    bool free_alone(int target);
    bool free_shared(int target, Word word);
    bool try_alone(int target);
    bool try_shared(int target, Word word);
    template <class IsFree, class Attempt>
    void keep_trying(IsFree&& is_free, Attempt&& attempt);

    MPI_Win window_ = win_null();
    std::int64_t* words_ = nullptr;
    // Under the plane's lock: threads may lock different targets at once.
    std::map<int, bool> held_;  ///< by target: alone
    bool all_ = false;
};

}  // namespace fairlead::relay
