// SPDX-License-Identifier: Apache-2.0
// Windows of several processes. Whatever may wait for another process's call waits by polling: collective calls until
// all have come, locks until they are free, MPI_Win_start until all have posted, MPI_Win_wait by MPI_Win_test. What is
// left is the library's, and waits at most for the progress of other processes' libraries, which goes on in whatever
// they call.
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "relay/collectives/together.hpp"
#include "relay/collectives/window_locks.hpp"

namespace fairlead::relay {

namespace {

constexpr int kPosted = 1;  ///< tag of what a process says to those who may access its memory from now on

struct Window : Members {
    explicit Window(Members members) : Members(std::move(members)) {}
    int size = 0;
    bool accesses = false;        ///< since MPI_Win_start, until MPI_Win_complete
    std::atomic<int> locked = 0;  ///< targets, or all of them at once
    std::unique_ptr<WindowLocks> locks;
};

ByHandle<MPI_Win, Window> windows;

/// In the world, of those in the group that are the window's.
std::vector<int> world_ranks_of(MPI_Group group, MPI_Win win, const Window& window) {
    int size = 0;
    PMPI_Group_size(group, &size);
    std::vector<int> own(static_cast<std::size_t>(size));
    std::iota(own.begin(), own.end(), 0);
    std::vector<int> places(own.size());
    MPI_Group all{};
    PMPI_Win_get_group(win, &all);
    PMPI_Group_translate_ranks(group, size, own.data(), all, places.data());
    PMPI_Group_free(&all);
    std::vector<int> ranks;
    for (const int place : places) {
        if (place >= 0) ranks.push_back(window.processes.world_ranks[static_cast<std::size_t>(place)]);
    }
    return ranks;
}

template <class Create>
int create_window(MPI_Comm comm, MPI_Win* win, Create&& call) {
    if (passes_by() || !has_to_meet(comm)) {
        return made_alone(windows, win, call());
    }
    int error = MPI_SUCCESS;
    MPI_Comm own = comm_null();
    const auto members = create_with_members(comm, error, [&] {
        const int refused = PMPI_Comm_split(comm, 0, 0, &own);  // a duplicate would copy attributes
        return refused != MPI_SUCCESS ? refused : call();
    });
    if (members == nullptr) {
        if (own != comm_null()) PMPI_Comm_free(&own);
        return error;
    }
    PMPI_Comm_set_errhandler(own, errors_return());
    auto window = std::make_shared<Window>(*members);
    window->size = static_cast<int>(window->processes.world_ranks.size());
    window->locks = std::make_unique<WindowLocks>(own);
    PMPI_Comm_free(&own);    // the locks keep what they need of it
    come_together(*window);  // everybody's words are zero
    windows.put(*win, window);
    return error;
}

template <Function function, class Size, class Unit>
int win_create(void* base, Size size, Unit unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    const auto direct = library<decltype(win_create<function, Size, Unit>)>(function);
    return create_window(comm, win, [&] { return direct(base, size, unit, info, comm, win); });
}

template <Function function, class Unit>
int win_allocate(MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win) {
    const auto direct = library<decltype(win_allocate<function, Unit>)>(function);
    return create_window(comm, win, [&] { return direct(size, unit, info, comm, base, win); });
}

int win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
    const auto direct = library<decltype(win_create_dynamic)>(Function::MPI_Win_create_dynamic);
    return create_window(comm, win, [&] { return direct(info, comm, win); });
}

std::shared_ptr<Window> known(MPI_Win win) {
    return passes_by() ? nullptr : windows.find(win);
}

int win_free(MPI_Win* win) {
    const auto direct = library<decltype(win_free)>(Function::MPI_Win_free);
    const auto window = plane != nullptr && !is_missing(win) ? windows.find(*win) : nullptr;
    if (window == nullptr) {
        return direct(win);
    }
    const MPI_Win handle = *win;
    // Programs keep windows as attributes of communicators, and free them with those, inside another call: there, too,
    // another member may wait for what this process has sent.
    const int error = together(window, [&] { return direct(win); });
    if (error == MPI_SUCCESS) {
        window->locks->free();
        if (windows.find(handle) == window) {  // another thread may have made one with its handle
            windows.remove(handle);
        }
    }
    return error;
}

template <Function function>
int together_on_window(int assert, MPI_Win win) {
    const auto direct = library<decltype(together_on_window<function>)>(function);
    const auto window = known(win);
    return window == nullptr ? direct(assert, win) : together(window, [&] { return direct(assert, win); });
}

int win_set_info(MPI_Win win, MPI_Info info) {
    const auto direct = library<decltype(win_set_info)>(Function::MPI_Win_set_info);
    const auto window = known(win);
    return window == nullptr ? direct(win, info) : together(window, [&] { return direct(win, info); });
}

// Passive targets.

int win_lock(int type, int rank, int assert, MPI_Win win) {
    const auto direct = library<decltype(win_lock)>(Function::MPI_Win_lock);
    const auto window = known(win);
    if (window == nullptr) {
        return direct(type, rank, assert, win);
    }
    plane->enter();
    const bool possible = rank >= 0 && rank < window->size && (type == MPI_LOCK_EXCLUSIVE || type == MPI_LOCK_SHARED);
    // Without a check, the program knows that there is no other.
    const bool locked =
        possible && (assert& MPI_MODE_NOCHECK) == 0 && window->locks->lock(rank, type == MPI_LOCK_EXCLUSIVE);
    const int error = direct(type, rank, assert, win);
    window->locked += error == MPI_SUCCESS ? 1 : 0;
    if (locked && error != MPI_SUCCESS) {
        window->locks->unlock(rank);
    }
    return error;
}

int win_unlock(int rank, MPI_Win win) {
    const auto direct = library<decltype(win_unlock)>(Function::MPI_Win_unlock);
    const auto window = known(win);
    if (window == nullptr) {
        return direct(rank, win);
    }
    plane->enter();
    const int error = direct(rank, win);
    if (error == MPI_SUCCESS) {
        --window->locked;
        window->locks->unlock(rank);
    }
    return error;
}

int win_lock_all(int assert, MPI_Win win) {
    const auto direct = library<decltype(win_lock_all)>(Function::MPI_Win_lock_all);
    const auto window = known(win);
    if (window == nullptr) {
        return direct(assert, win);
    }
    plane->enter();
    const bool locked = (assert& MPI_MODE_NOCHECK) == 0 && window->locks->lock_all();
    const int error = direct(assert, win);
    window->locked += error == MPI_SUCCESS ? 1 : 0;
    if (locked && error != MPI_SUCCESS) {
        window->locks->unlock_all();
    }
    return error;
}

int win_unlock_all(MPI_Win win) {
    const auto direct = library<decltype(win_unlock_all)>(Function::MPI_Win_unlock_all);
    const auto window = known(win);
    if (window == nullptr) {
        return direct(win);
    }
    plane->enter();
    const int error = direct(win);
    if (error == MPI_SUCCESS) {
        --window->locked;
        window->locks->unlock_all();
    }
    return error;
}

// Groups.

int win_post(MPI_Group group, int assert, MPI_Win win) {
    const auto direct = library<decltype(win_post)>(Function::MPI_Win_post);
    const auto window = known(win);
    if (window == nullptr) {
        return direct(group, assert, win);
    }
    plane->enter();
    const int error = direct(group, assert, win);
    if (error == MPI_SUCCESS && (assert& MPI_MODE_NOCHECK) == 0) {  // else both sides say that nobody has to wait
        plane->locked([&] {
            for (const int rank : world_ranks_of(group, win, *window)) {
                MPI_Request request = request_null();
                PMPI_Isend(nullptr, 0, datatype_byte(), rank, plane->tag_of(window->number, kPosted), plane->control(),
                           &request);
                PMPI_Request_free(&request);  // there are no bytes to keep
            }
            return 0;
        });
    }
    return error;
}

/// As with the libraries: those that share memory wait here.
int win_start(MPI_Group group, int assert, MPI_Win win) {
    const auto direct = library<decltype(win_start)>(Function::MPI_Win_start);
    const auto window = known(win);
    const bool is_wrong = window != nullptr && (window->accesses || window->locked > 0);
    if (window == nullptr || is_wrong) {  // the library says so, and nobody posts for it
        return direct(group, assert, win);
    }
    plane->enter();
    std::vector<MPI_Request> posts;
    if ((assert& MPI_MODE_NOCHECK) == 0) {
        plane->locked([&] {
            for (const int rank : world_ranks_of(group, win, *window)) {
                PMPI_Irecv(nullptr, 0, datatype_byte(), rank, plane->tag_of(window->number, kPosted), plane->control(),
                           &posts.emplace_back(request_null()));
            }
            return 0;
        });
    }
    for (const MPI_Request request : posts) {
        plane->wait_native(request);
    }
    const int error = direct(group, assert, win);
    window->accesses = error == MPI_SUCCESS;
    return error;
}

int win_complete(MPI_Win win) {
    const auto direct = library<decltype(win_complete)>(Function::MPI_Win_complete);
    const auto window = known(win);
    if (window == nullptr) {
        return direct(win);
    }
    plane->enter();
    const int error = direct(win);
    window->accesses = window->accesses && error != MPI_SUCCESS;
    return error;
}

int win_wait(MPI_Win win) {
    const auto direct = library<decltype(win_wait)>(Function::MPI_Win_wait);
    if (known(win) == nullptr) {
        return direct(win);
    }
    plane->enter();
    int error = MPI_SUCCESS;
    plane->wait_until([&] {
        int over = 0;
        error = PMPI_Win_test(win, &over);
        return over != 0 || error != MPI_SUCCESS;
    });
    return error;
}

/// A program may look at memory with such calls until another process has written there.
template <Function function, class... Arguments>
int polled(Arguments... arguments) {
    if (!passes_by()) {
        plane->enter();
    }
    return library<int(Arguments...)>(function)(arguments...);
}

}  // namespace

void put_windows(Table& table) {
    using enum Function;
    table.put(MPI_Win_create, win_create<MPI_Win_create, MPI_Aint, int>);
    table.put(MPI_Win_create_c, win_create<MPI_Win_create_c, MPI_Aint, MPI_Aint>);
    table.put(MPI_Win_allocate, win_allocate<MPI_Win_allocate, int>);
    table.put(MPI_Win_allocate_c, win_allocate<MPI_Win_allocate_c, MPI_Aint>);
    table.put(MPI_Win_allocate_shared, win_allocate<MPI_Win_allocate_shared, int>);
    table.put(MPI_Win_allocate_shared_c, win_allocate<MPI_Win_allocate_shared_c, MPI_Aint>);
    table.put(MPI_Win_create_dynamic, win_create_dynamic);
    table.put(MPI_Win_free, win_free);
    table.put(MPI_Win_fence, together_on_window<MPI_Win_fence>);
    table.put(MPI_Win_set_info, win_set_info);
    table.put(MPI_Win_lock, win_lock);
    table.put(MPI_Win_unlock, win_unlock);
    table.put(MPI_Win_lock_all, win_lock_all);
    table.put(MPI_Win_unlock_all, win_unlock_all);
    table.put(MPI_Win_post, win_post);
    table.put(MPI_Win_start, win_start);
    table.put(MPI_Win_complete, win_complete);
    table.put(MPI_Win_wait, win_wait);
    table.put(MPI_Win_test, polled<MPI_Win_test, MPI_Win, int*>);
    table.put(MPI_Win_sync, polled<MPI_Win_sync, MPI_Win>);
    table.put(MPI_Win_flush, polled<MPI_Win_flush, int, MPI_Win>);
    table.put(MPI_Win_flush_all, polled<MPI_Win_flush_all, MPI_Win>);
    table.put(MPI_Win_flush_local, polled<MPI_Win_flush_local, int, MPI_Win>);
    table.put(MPI_Win_flush_local_all, polled<MPI_Win_flush_local_all, MPI_Win>);
}

}  // namespace fairlead::relay
