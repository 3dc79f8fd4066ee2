// SPDX-License-Identifier: Apache-2.0
#include "mpi/handles.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "mpi/lasting.hpp"
#include "mpi/pmpi.hpp"

namespace fairlead {

namespace {

// Of handles that were freed: what threads remember is valid only while nothing was.
std::atomic<std::uint64_t> frees{1};

std::mutex communicators_mutex;
Lasting<std::unordered_map<std::uintptr_t, std::shared_ptr<const Communicator>>> communicators;
Lasting<std::unordered_map<std::uint64_t, std::uint64_t>> made_of_members;  // communicators, by their members

MPI_Group world{};
bool has_world = false;

template <class Value>
struct Remembered {
    std::uintptr_t key = 0;
    std::uint64_t frees = 0;  // 0: nothing
    Value value{};

    bool is(std::uintptr_t wanted, std::uint64_t now) const { return frees == now && key == wanted; }
};

// Handles of one kind lie a fixed distance apart: the low bits are mixed with higher ones.
constexpr std::size_t kSlots = 8;
std::size_t slot(std::uintptr_t key) {
    return (key ^ key >> 4 ^ key >> 8) % kSlots;
}

struct ThreadCache {
    std::array<Remembered<const Communicator*>, kSlots> communicators;
    std::array<Remembered<std::uint64_t>, kSlots> sizes;
};

ThreadCache& cache() {
    record::Thread& thread = record::Thread::current();
    if (thread.cache == nullptr) {
        thread.cache = new ThreadCache();
    }
    return *static_cast<ThreadCache*>(thread.cache);
}

using AskGroup = int(MPI_Comm, MPI_Group*);

// Ranks in the world of a group's members. Of threads (MPIX_Threadcomm_init of MPICH 5) there are more than members:
// they are outside.
std::vector<int> world_ranks(MPI_Comm comm, AskGroup* ask_group, int size) {
    std::vector<int> own(static_cast<std::size_t>(size));
    std::iota(own.begin(), own.end(), 0);
    std::vector<int> translated(own.size(), MPI_UNDEFINED);
    if (has_world) {
        MPI_Group group{};
        int members = 0;
        ask_group(comm, &group);
        PMPI_Group_size(group, &members);
        if (members == size) {
            PMPI_Group_translate_ranks(group, size, own.data(), world, translated.data());
        }
        PMPI_Group_free(&group);
    }
    std::ranges::replace(translated, MPI_UNDEFINED, record::kOutsideWorld);
    return translated;
}

bool are_own_places(const std::vector<int>& ranks) {
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        if (ranks[place] != static_cast<int>(place)) {
            return false;
        }
    }
    return true;
}

// Spreads a number over all 64 bits (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 27) * 0x94D049BB133111EBU;
    return value ^ value >> 31;
}

std::uint64_t number_of(const std::vector<int>& ranks) {
    std::uint64_t number = mixed(ranks.size());
    for (const int rank : ranks) {
        number = mixed(number + static_cast<std::uint64_t>(rank) + 1);
    }
    return number;
}

bool has_outsiders(const std::vector<int>& ranks) {
    return std::ranges::find(ranks, record::kOutsideWorld) != ranks.end();
}

// Which processes a communicator is of: the same number on both sides of an intercommunicator.
std::uint64_t members_of(MPI_Comm comm, const Communicator& asked) {
    const std::vector<int> local = world_ranks(comm, PMPI_Comm_group, asked.size);
    if (!asked.inter) {
        return has_outsiders(local) ? kNoIdentity : number_of(local);
    }
    const std::vector<int> remote = world_ranks(comm, PMPI_Comm_remote_group, asked.peers);
    const bool outside = has_outsiders(local) || has_outsiders(remote);
    return outside ? kNoIdentity : mixed(number_of(local) + number_of(remote));
}

std::shared_ptr<Communicator> ask(MPI_Comm comm) {
    auto result = std::make_shared<Communicator>();
    if (comm == comm_null()) {
        return result;  // a question would be one more error that the program's handler is told of
    }
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &result->rank);
    PMPI_Comm_size(comm, &result->size);
    result->inter = inter != 0;
    result->peers = result->size;
    if (result->inter) {
        MPI_Group remote{};
        PMPI_Comm_remote_group(comm, &remote);
        PMPI_Group_size(remote, &result->peers);
        PMPI_Group_free(&remote);
    }
    std::vector<int> ranks = world_ranks(comm, result->inter ? PMPI_Comm_remote_group : PMPI_Comm_group, result->peers);
    result->outside =
        has_outsiders(ranks) || (result->inter && has_outsiders(world_ranks(comm, PMPI_Comm_group, result->size)));
    if (!are_own_places(ranks)) {
        result->world_ranks = std::move(ranks);
    }
    return result;
}

// One more of these members. With the lock held.
std::uint64_t next_identity(std::uint64_t members) {
    return members == kNoIdentity ? kNoIdentity : mixed(members + ++(*made_of_members)[members]);
}

}  // namespace

std::shared_ptr<const Communicator> shared_communicator(MPI_Comm comm) {
    const std::scoped_lock lock(communicators_mutex);
    std::shared_ptr<const Communicator>& known = (*communicators)[key_of(comm)];
    if (known == nullptr) {
        known = ask(comm);
    }
    return known;
}

const Communicator& communicator(MPI_Comm comm) {
    const std::uintptr_t key = key_of(comm);
    const std::uint64_t now = frees.load(std::memory_order_acquire);
    Remembered<const Communicator*>& known = cache().communicators[slot(key)];
    if (!known.is(key, now)) [[unlikely]] {
        known = {key, now, shared_communicator(comm).get()};
    }
    return *known.value;
}

std::uint64_t size_of(MPI_Datatype datatype) {
    const std::uintptr_t key = key_of(datatype);
    const std::uint64_t now = frees.load(std::memory_order_acquire);
    Remembered<std::uint64_t>& known = cache().sizes[slot(key)];
    if (!known.is(key, now)) [[unlikely]] {
        MPI_Count size = 0;
        if (datatype != datatype_null()) {  // it has no size, and libraries accept it where they do not look at it
            PMPI_Type_size_x(datatype, &size);
        }
        known = {key, now, static_cast<std::uint64_t>(size)};
    }
    return known.value;
}

void created(MPI_Comm comm) {
    if (comm == comm_null()) {
        return;
    }
    if (!record::keeps_record() && !record::keeps_messages()) {
        forget_communicator(comm);  // a callback may have asked for a former one with its handle while that was freed
        return;
    }
    const std::scoped_lock lock(communicators_mutex);
    std::shared_ptr<Communicator> made = ask(comm);
    made->members = members_of(comm, *made);
    made->identity = next_identity(made->members);
    (*communicators)[key_of(comm)] = made;
    frees.fetch_add(1, std::memory_order_release);  // whoever asked for it meanwhile asks again
}

void created_like(MPI_Comm model, MPI_Comm comm) {
    if (comm == comm_null()) {
        return;
    }
    if (!record::keeps_record() && !record::keeps_messages()) {
        forget_communicator(comm);
        return;
    }
    auto made = std::make_shared<Communicator>(*shared_communicator(model));
    const std::scoped_lock lock(communicators_mutex);
    made->identity = next_identity(made->members);
    (*communicators)[key_of(comm)] = made;
    frees.fetch_add(1, std::memory_order_release);  // whoever asked for it meanwhile asks again
}

void forget_communicator(MPI_Comm comm) {
    const std::scoped_lock lock(communicators_mutex);
    communicators->erase(key_of(comm));
    frees.fetch_add(1, std::memory_order_release);
}

void forget_datatype(MPI_Datatype) {
    frees.fetch_add(1, std::memory_order_release);
}

void set_world(MPI_Group group) {
    world = group;
    has_world = true;
}

}  // namespace fairlead
