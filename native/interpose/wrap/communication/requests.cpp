// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/requests.hpp"

#include <array>
#include <atomic>
#include <mutex>

#include "mpi/lasting.hpp"
#include "wrap/handle_table.hpp"

namespace fairlead {

namespace {

// Requests are spread over many tables, so that threads hardly ever meet at one.
struct alignas(64) Shard {
    std::mutex mutex;
    std::uint64_t serial = 0;
    HandleTable<Operation> operations;

    // Locks only where the program asked for MPI_THREAD_MULTIPLE: else its calls never overlap.
    std::unique_lock<std::mutex> exclusively() {
        return threads_at_once ? std::unique_lock(mutex) : std::unique_lock(mutex, std::defer_lock);
    }
};

constexpr std::size_t kShards = 32;
Lasting<std::array<Shard, kShards>> shards;
std::atomic<std::size_t> number{0};

Shard& shard_of(MPI_Request request) {
    const std::uintptr_t key = key_of(request);
    return (*shards)[(key >> 4 ^ key) % kShards];
}

void add_to_number(std::size_t change) {
    if (threads_at_once) {
        number.fetch_add(change, std::memory_order_relaxed);
    } else {
        number.store(number.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
    }
}

}  // namespace

void track(Call& call, MPI_Request request, Operation&& operation) {
    {
        Shard& shard = shard_of(request);
        const auto lock = shard.exclusively();
        operation.serial = ++shard.serial;
        if (!shard.operations.insert(key_of(request), std::move(operation))) [[likely]] {
            return add_to_number(1);
        }
        if (!operation.persistent && !operation.receives) {
            Operation& added = *shard.operations.find(key_of(request));
            added.at_once = !added.persistent && !added.receives;
        }
    }
    const Operation& replaced = operation;
    // Not of a receive: what came only its status says, which the call that completes it has.
    if (!replaced.persistent && !replaced.receives) {
        end_message(call, replaced.message);
    }
}

bool tracked(MPI_Request request, Operation& copy) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    const Operation* operation = shard.operations.find(key_of(request));
    if (operation == nullptr || !operation->active) {
        return false;
    }
    copy = *operation;
    return true;
}

bool take(MPI_Request request, Operation& copy) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    Operation* operation = shard.operations.find(key_of(request));
    if (operation == nullptr || !operation->active) {
        return false;
    }
    if (operation->persistent) {
        copy = *operation;
        return true;
    }
    shard.operations.take(operation, copy);
    add_to_number(static_cast<std::size_t>(-1));
    return true;
}

bool untrack(MPI_Request request, std::uint64_t serial) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    const Operation* operation = shard.operations.find(key_of(request));
    if (operation == nullptr || operation->serial != serial) {
        return false;
    }
    shard.operations.erase(key_of(request));
    add_to_number(static_cast<std::size_t>(-1));
    return true;
}

bool untrack(MPI_Request request, Operation& removed) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    Operation* operation = shard.operations.find(key_of(request));
    if (operation == nullptr) {
        return false;
    }
    shard.operations.take(operation, removed);
    add_to_number(static_cast<std::size_t>(-1));
    return true;
}

void need(Call& call, MPI_Request request, std::uint64_t serial) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    const Operation* operation = shard.operations.find(key_of(request));
    if (operation != nullptr && operation->serial == serial) {
        need_message(call, operation->message);
    }
}

std::optional<Operation> set_active(MPI_Request request, bool active) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    Operation* operation = shard.operations.find(key_of(request));
    if (operation == nullptr || operation->active == active) {
        return std::nullopt;
    }
    operation->active = active;
    return *operation;
}

void set_message(MPI_Request request, record::Message* message) {
    Shard& shard = shard_of(request);
    const auto lock = shard.exclusively();
    if (Operation* operation = shard.operations.find(key_of(request))) {
        operation->message = message;
    }
}

bool any_tracked() {
    return number.load(std::memory_order_relaxed) != 0;
}

}  // namespace fairlead
