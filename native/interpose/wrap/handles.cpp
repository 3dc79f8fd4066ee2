// SPDX-License-Identifier: Apache-2.0
#include "wrap/handles.hpp"

#include <mutex>
#include <numeric>
#include <unordered_map>

#include "wrap/pmpi.hpp"

namespace fairlead {

namespace {

// Of handles that were freed: what threads remember is valid only while nothing was.
std::atomic<std::uint64_t> frees{1};

std::mutex communicators_mutex;
std::unordered_map<std::uintptr_t, std::shared_ptr<const Communicator>> communicators;

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

void translate(Communicator& result, MPI_Comm comm) {
    const auto number = static_cast<std::size_t>(result.peers);
    std::vector<int> own(number);
    std::iota(own.begin(), own.end(), 0);
    std::vector<int> translated(number, MPI_UNDEFINED);
    if (has_world) {
        MPI_Group group{};
        result.inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
        PMPI_Group_translate_ranks(group, result.peers, own.data(), world, translated.data());
        PMPI_Group_free(&group);
    }
    if (translated != own) {
        for (int& rank : translated) {
            rank = rank == MPI_UNDEFINED ? record::kOutsideWorld : rank;
        }
        result.world_ranks = std::move(translated);
    }
}

std::shared_ptr<const Communicator> ask(MPI_Comm comm) {
    auto result = std::make_shared<Communicator>();
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
    translate(*result, comm);
    return result;
}

}  // namespace

std::shared_ptr<const Communicator> shared_communicator(MPI_Comm comm) {
    const std::scoped_lock lock(communicators_mutex);
    std::shared_ptr<const Communicator>& known = communicators[key_of(comm)];
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
        PMPI_Type_size_x(datatype, &size);
        known = {key, now, static_cast<std::uint64_t>(size)};
    }
    return known.value;
}

void forget_communicator(MPI_Comm comm) {
    const std::scoped_lock lock(communicators_mutex);
    communicators.erase(key_of(comm));
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
