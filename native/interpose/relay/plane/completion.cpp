// SPDX-License-Identifier: Apache-2.0
// Completion: what the library has and what the plane has may stand in one array. Requests of the plane are hidden from
// the library by MPI_REQUEST_NULL, which it passes over.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "mpi/pmpi.hpp"
#include "relay/library/terms.hpp"
#include "relay/library/unheard.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

namespace {

constexpr int kFailedToPending = 1;  // from MPI_ERR_PROC_FAILED to MPI_ERR_PROC_FAILED_PENDING, in Open MPI

void fill(MPI_Status& status, const Operation& operation) {
    status.MPI_SOURCE = operation.got_source;
    status.MPI_TAG = operation.got_tag;
    set_bytes(status, operation.got_B, operation.cancelled);
}

/// Whether the library has interrupted it: its error is told, and it goes on.
bool stays_open(const OperationPtr& operation, MPI_Request after, int error) {
    return operation != nullptr && !operation->persistent && error != MPI_SUCCESS && after != request_null();
}

}  // namespace

int Outcome::tell() const {
    if (untold != comm_null()) {
        PMPI_Comm_call_errhandler(untold, error);
    }
    return error;
}

void Plane::account(Operation& operation, const MPI_Status& status) {
    if (operation.sends || operation.accounted) {
        return;
    }
    operation.accounted = true;
    receives_.erase(operation.receive);
    if (is_cancelled(status) || status.MPI_SOURCE < 0) {  // with an error, and without a message
        endpoint_.native_cancelled(operation.channel->id, operation.receive);
    } else {
        endpoint_.native_completed(operation.channel->id, operation.receive, status.MPI_SOURCE);
    }
}

// In MPICH, PMPI_Request_get_status completes a persistent request as a test does. It can be tested: its handle stays,
// except after an error in Open MPI.
bool Plane::library_done(Operation& operation, MPI_Status& status) {
    int over = 0;
    std::optional<Unheard> unheard;
    if (kLooksAreHeard) {
        unheard.emplace(*operation.channel);
    }
    if (!operation.persistent) {
        PMPI_Request_get_status(operation.handle, &over, &status);
        return over != 0;
    }
    if (kErrorsFreePersistent) {  // a test might free it, which is for the program's call to do
        PMPI_Request_get_status(operation.handle, &over, &status);
        if (over == 0 || !is_cancelled(status)) {
            return over != 0;
        }
    }
    MPI_Request request = operation.handle;
    operation.error = PMPI_Test(&request, &over, &status);
    if (over != 0) {
        has_own_requests_ = true;
        operation.in_library = false;
        operation.complete = true;
        operation.cancelled = is_cancelled(status);
        operation.got_source = status.MPI_SOURCE;
        operation.got_tag = status.MPI_TAG;
        operation.got_B = bytes_of(status);
    }
    return over != 0;
}

int Plane::conclude(const OperationPtr& operation, MPI_Request* request, MPI_Status* status) {
    operation->active = false;
    if (!operation->persistent) {
        operations_.erase(key_of(operation->handle));
        MPI_Request handle = operation->handle;
        if (operation->generalized) {
            PMPI_Grequest_complete(handle);
        }
        PMPI_Wait(&handle, MPI_STATUS_IGNORE);
        *request = request_null();
    }
    if (status != MPI_STATUS_IGNORE) {
        fill(*status, *operation);
    }
    return operation->error;
}

void Plane::concluded(const OperationPtr& operation, MPI_Request before, MPI_Request after, const MPI_Status& status) {
    account(*operation, status);
    operation->active = false;
    if (!operation->persistent || after == request_null()) {
        operations_.erase(key_of(before));
    }
}

/// The error by which the library interrupts its own receives from any source, and leaves them open, once a process has
/// failed, until the program has said that it knows. It is asked, for it alone knows what was said.
int Plane::interruption(const Operation& operation) {
    const bool waits = gone_processes_ != 0 && !operation.sends && operation.peer == MPI_ANY_SOURCE &&
                       receives_.contains(operation.receive) && !matched_.contains(operation.receive);
    if (!waits) {
        return MPI_SUCCESS;
    }
    const Channel& channel = *operation.channel;
    const Unheard unheard(channel);
    int found = 0;
    MPI_Status status{};
    const int error = PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel.comm, &found, &status);
    const bool failed = error != MPI_SUCCESS && std::ranges::any_of(channel.processes, [&](Process peer) {
                            return gone_[peer] && mpi_carrier_->error_of(peer) == error;
                        });
    return failed ? error + kFailedToPending : error;
}

/// Whether one of the requests is. Then all others stay open, too, and the statuses say so.
bool Plane::any_interrupted(std::span<const MPI_Request> requests, MPI_Status statuses[], Outcome& outcome) {
    std::vector<int> errors(requests.size());
    for (std::size_t at = 0; at < requests.size(); ++at) {
        const OperationPtr operation = operation_of(requests[at]);
        const bool waits = operation != nullptr && operation->on_plane() && !operation->complete;
        errors[at] = waits ? interruption(*operation) : MPI_SUCCESS;
        if (errors[at] != MPI_SUCCESS) {
            outcome = {MPI_ERR_IN_STATUS, operation->channel->comm};
        }
    }
    if (outcome.error == MPI_SUCCESS) {
        return false;
    }
    for (std::size_t at = 0; at < errors.size() && statuses != MPI_STATUSES_IGNORE; ++at) {
        const bool open = errors[at] == MPI_SUCCESS && requests[at] != request_null();
        statuses[at].MPI_ERROR = open ? MPI_ERR_PENDING : errors[at];
    }
    return true;
}

int Plane::give_up(MPI_Request* request, int error) {
    cancel(request);
    request_free(request);
    const bool failed = std::ranges::any_of(std::views::iota(Process{0}, processes_), [&](Process peer) {
        return gone_[peer] && mpi_carrier_->error_of(peer) == error - kFailedToPending;
    });
    return failed ? error - kFailedToPending : error;
}

bool Plane::wait_one(MPI_Request* request, MPI_Status* status, Outcome& outcome) {
    const OperationPtr operation = operation_of(*request);
    if (operation != nullptr && operation->on_plane()) {
        if (!operation->complete) {
            outcome.error = interruption(*operation);
            outcome.untold = outcome.error != MPI_SUCCESS ? operation->channel->comm : comm_null();
            return false;
        }
        outcome.error = conclude(operation, request, status);
        if (outcome.error != MPI_SUCCESS) {
            outcome.untold = operation->channel->comm;
        }
        return true;
    }
    if (operation != nullptr && operation->in_transition()) {
        return false;
    }
    const MPI_Request before = *request;
    MPI_Status own{};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int over = 0;
    library_asked_ = true;
    outcome.error = PMPI_Test(request, &over, status);
    if (over == 0 && (outcome.error == MPI_SUCCESS || *request != request_null())) {
        return false;  // one that the library has interrupted stays open
    }
    if (operation != nullptr && operation->active) {
        concluded(operation, before, *request, *status);
    }
    return true;
}

std::map<std::size_t, MPI_Status> Plane::wait_in_turn(std::span<MPI_Request> requests) {
    std::map<std::size_t, MPI_Status> done;
    if (!has_begun_in_turn_) {
        return done;
    }
    locked([&] {
        for (std::size_t at = 0; at < requests.size(); ++at) {
            if (const OperationPtr operation = operation_of(requests[at]); operation != nullptr && operation->in_turn) {
                done[at] = {};
            }
        }
        return 0;
    });
    for (auto& [at, status] : done) {
        Outcome outcome;
        wait_until([&] { return wait_one(&requests[at], &status, outcome) || outcome.error != MPI_SUCCESS; });
        status.MPI_ERROR = outcome.error;
    }
    return done;
}

// Only completion tells the error of a request of Open MPI's. Its MPI_Waitall does not wait for such ones here.
bool Plane::ends_with_error(std::span<MPI_Request> requests, MPI_Status statuses[],
                            std::map<std::size_t, MPI_Status>& done, Outcome& outcome) {
    std::vector<MPI_Request> over(requests.size(), request_null());
    for (std::size_t at = 0; at < requests.size(); ++at) {
        const OperationPtr operation = operation_of(requests[at]);
        if (requests[at] == request_null() || done.contains(at)) {
            continue;
        }
        if (operation != nullptr && (operation->on_plane() || operation->in_transition())) {
            if (operation->complete && operation->error != MPI_SUCCESS) {
                outcome = {MPI_ERR_IN_STATUS, operation->channel->comm};
                done[at].MPI_ERROR = conclude(operation, &requests[at], &done[at]);
            }
            continue;
        }
        int flag = 0;
        if (PMPI_Request_get_status(requests[at], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0) {
            over[at] = requests[at];
            done[at].MPI_ERROR = MPI_SUCCESS;
        }
    }
    std::vector<MPI_Request> after = over;
    std::vector<MPI_Status> own(requests.size());
    const int error = PMPI_Waitall(static_cast<int>(after.size()), after.data(), own.data());
    if (error != MPI_SUCCESS) {
        outcome = {error, comm_null()};
    }
    for (std::size_t at = 0; at < requests.size(); ++at) {
        if (over[at] == request_null()) {
            continue;
        }
        own[at].MPI_ERROR = error != MPI_SUCCESS ? own[at].MPI_ERROR : MPI_SUCCESS;
        requests[at] = after[at];
        done[at] = own[at];
        if (const OperationPtr operation = operation_of(over[at]); operation != nullptr && operation->active) {
            concluded(operation, over[at], after[at], own[at]);
        }
    }
    for (std::size_t at = 0; at < requests.size() && outcome.error != MPI_SUCCESS; ++at) {
        if (statuses != MPI_STATUSES_IGNORE) {
            statuses[at].MPI_ERROR = requests[at] != request_null() ? MPI_ERR_PENDING : MPI_SUCCESS;
        }
    }
    return outcome.error != MPI_SUCCESS;
}

bool Plane::wait_all(int count, MPI_Request requests[], MPI_Status statuses[], bool says_success, Outcome& outcome) {
    const auto number = static_cast<std::size_t>(count);
    if (gone_processes_ != 0 && any_interrupted({requests, number}, statuses, outcome)) {
        return false;
    }
    std::vector<OperationPtr> operations;
    std::vector<MPI_Request> natives(requests, requests + count);
    const auto look_at_all = [&] {
        for (std::size_t at = 0; at < number; ++at) operations.push_back(operation_of(requests[at]));
    };
    const bool is_mixed = has_own_requests_;
    if (is_mixed) {
        look_at_all();
    }
    for (std::size_t at = 0; at < operations.size(); ++at) {
        Operation* const operation = operations[at].get();
        if (operation == nullptr) {
            continue;
        }
        MPI_Status status{};
        const bool goes_on = operation->apart && operation->active && operation->in_library &&
                             !library_done(*operation, status);  // which takes it out of the library
        if (goes_on || operation->in_transition() || (operation->on_plane() && !operation->complete)) {
            return false;
        }
        if (operation->on_plane() || operation->apart) {
            natives[at] = request_null();
        }
    }
    std::vector<MPI_Status> own(number);
    std::ranges::for_each(own, [](MPI_Status& status) { status.MPI_ERROR = MPI_ERR_PENDING; });
    int over = 0;
    library_asked_ = true;
    outcome.error = PMPI_Testall(count, natives.data(), &over, own.data());
    if (over == 0 && outcome.error == MPI_SUCCESS) {
        return false;
    }
    if (!is_mixed) {
        look_at_all();
    }
    std::shared_ptr<Channel> failed;
    for (std::size_t at = 0; at < number; ++at) {
        const OperationPtr& operation = operations[at];
        if (operation != nullptr && operation->on_plane()) {
            const int mistake = conclude(operation, &requests[at], &own[at]);
            own[at].MPI_ERROR = mistake;
            failed = mistake != MPI_SUCCESS ? operation->channel : failed;
            continue;
        }
        if (operation != nullptr && operation->apart) {  // not started, and stays so
            own[at].MPI_ERROR = MPI_SUCCESS;
            continue;
        }
        const MPI_Request before = requests[at];
        requests[at] = natives[at];
        if (outcome.error == MPI_SUCCESS || before == request_null()) {  // of none, not every library says it
            own[at].MPI_ERROR = MPI_SUCCESS;
        }
        // Beside one with an error, MPICH leaves open what is not over yet; Open MPI what it has interrupted.
        const bool open = over == 0 && (own[at].MPI_ERROR == MPI_ERR_PENDING ||
                                        stays_open(operation, natives[at], own[at].MPI_ERROR));
        if (operation != nullptr && operation->active && !open) {
            concluded(operation, before, requests[at], own[at]);
        }
    }
    if (failed != nullptr && outcome.error == MPI_SUCCESS) {
        outcome.error = MPI_ERR_IN_STATUS;
        outcome.untold = failed->comm;
    }
    give(statuses, own, says_success || outcome.error != MPI_SUCCESS);
    return over != 0;
}

bool Plane::test_any(int count, MPI_Request requests[], int* index, MPI_Status* status, Outcome& outcome) {
    std::vector<MPI_Request> natives(requests, requests + count);
    bool waits = false;
    for (int at = 0; at < count && has_own_requests_; ++at) {
        const OperationPtr operation = operation_of(requests[at]);
        if (operation == nullptr || !(operation->on_plane() || operation->in_transition())) {
            continue;
        }
        if (operation->on_plane() && (operation->complete || gone_processes_ != 0)) {
            const bool over = wait_one(&requests[at], status, outcome);
            if (over || outcome.error != MPI_SUCCESS) {
                *index = at;
                return over;
            }
        }
        waits = true;
        natives[static_cast<std::size_t>(at)] = request_null();
    }
    MPI_Status own{};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int over = 0;
    *index = MPI_UNDEFINED;
    library_asked_ = true;
    outcome.error = PMPI_Testany(count, natives.data(), index, &over, status);
    if (over == 0 && (outcome.error == MPI_SUCCESS || *index != MPI_UNDEFINED)) {
        return false;
    }
    if (*index == MPI_UNDEFINED) {
        if (!waits && outcome.error == MPI_SUCCESS) {  // MPICH 4.0 leaves it as it is
            fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
        }
        return !waits || outcome.error != MPI_SUCCESS;
    }
    const MPI_Request before = requests[*index];
    requests[*index] = natives[static_cast<std::size_t>(*index)];
    if (const OperationPtr operation = operation_of(before); operation != nullptr && operation->active) {
        concluded(operation, before, requests[*index], *status);
    }
    return true;
}

bool Plane::test_some(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[],
                      Outcome& outcome) {
    const auto length = static_cast<std::size_t>(count);
    std::vector<MPI_Request> natives(requests, requests + count);
    std::vector<MPI_Status> own(length);
    std::vector<std::pair<int, int>> told;  // which, and by which error it is interrupted, if it is not complete
    bool waits = false;
    for (int at = 0; at < count && has_own_requests_; ++at) {
        const OperationPtr operation = operation_of(requests[at]);
        if (operation != nullptr && (operation->on_plane() || operation->in_transition())) {
            natives[static_cast<std::size_t>(at)] = request_null();
            const bool over = operation->on_plane() && operation->complete;
            const int error = operation->on_plane() && !over ? interruption(*operation) : MPI_SUCCESS;
            over || error != MPI_SUCCESS ? told.push_back({at, error}) : void(waits = true);
        }
    }
    *number = 0;
    library_asked_ = true;
    outcome.error = PMPI_Testsome(count, natives.data(), number, indices, own.data());
    const int from_library = *number == MPI_UNDEFINED ? 0 : *number;
    if (*number == MPI_UNDEFINED && told.empty() && !waits) {
        return true;
    }
    for (int at = 0; at < from_library; ++at) {
        const MPI_Request before = requests[indices[at]];
        requests[indices[at]] = natives[static_cast<std::size_t>(indices[at])];
        const OperationPtr operation = operation_of(before);
        const MPI_Status& status = own[static_cast<std::size_t>(at)];
        const int error = outcome.error != MPI_SUCCESS ? status.MPI_ERROR : MPI_SUCCESS;
        if (operation != nullptr && operation->active && !stays_open(operation, requests[indices[at]], error)) {
            concluded(operation, before, requests[indices[at]], status);
        }
    }
    std::shared_ptr<Channel> failed;
    *number = from_library;
    for (const auto& [at, error] : told) {
        const OperationPtr operation = operation_of(requests[at]);
        MPI_Status& status = own[static_cast<std::size_t>(*number)];
        indices[(*number)++] = at;
        status.MPI_ERROR = operation->complete ? conclude(operation, &requests[at], &status) : error;
        failed = status.MPI_ERROR != MPI_SUCCESS ? operation->channel : failed;
    }
    if (failed != nullptr && outcome.error == MPI_SUCCESS) {
        std::for_each_n(own.begin(), from_library, [](MPI_Status& status) { status.MPI_ERROR = MPI_SUCCESS; });
        outcome.error = MPI_ERR_IN_STATUS;
        outcome.untold = failed->comm;
    }
    give(statuses, std::span(own).first(static_cast<std::size_t>(*number)),
         kSuccessIsInStatus || outcome.error != MPI_SUCCESS);
    return *number > 0 || outcome.error != MPI_SUCCESS;
}

bool Plane::has_any(int count, const MPI_Request requests[]) {
    return locked([&] {
        return requests != nullptr && std::any_of(requests, requests + std::max(count, 0), [this](MPI_Request request) {
                   return operation_of(request) != nullptr;
               });
    });
}

bool Plane::is_active(MPI_Request request) const {
    const OperationPtr operation = operation_of(request);
    return request != request_null() && (operation == nullptr || operation->active);
}

int Plane::get_status(MPI_Request request, int* flag, MPI_Status* status) {
    const OperationPtr operation = operation_of(request);
    if (operation == nullptr || !operation->active) {
        const int error = PMPI_Request_get_status(request, flag, status);
        if (request == request_null() && error == MPI_SUCCESS && status != MPI_STATUS_IGNORE) {
            status->MPI_ERROR = MPI_SUCCESS;  // of an empty status, which Open MPI leaves as it was
        }
        return error;
    }
    MPI_Status own{};
    if (operation->in_library) {
        *flag = !operation->in_transition() && library_done(*operation, own) ? 1 : 0;
        if (*flag != 0) {
            account(*operation, own);
        }
    } else {
        *flag = operation->complete ? 1 : 0;
        fill(own, *operation);
    }
    if (*flag != 0) {
        give(status, own, false);
    }
    return MPI_SUCCESS;
}

}  // namespace fairlead::relay
