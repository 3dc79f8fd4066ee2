// SPDX-License-Identifier: Apache-2.0
// Completion: what the library has and what the plane has may stand in one array. Requests of the plane are hidden from
// the library by MPI_REQUEST_NULL, which it passes over.
#include <algorithm>

#include "relay/plane.hpp"
#include "wrap/pmpi.hpp"

namespace fairlead::relay {

namespace {

void fill(MPI_Status& status, const Operation& operation) {
    status.MPI_SOURCE = operation.got_source;
    status.MPI_TAG = operation.got_tag;
    set_bytes(status, operation.got_B, operation.cancelled);
}

/// Meanwhile the program hears nothing of errors: it has not asked for what the plane looks at. Where a library does
/// not know whose they are, they are MPI_COMM_SELF's, or MPI_COMM_WORLD's.
class Unheard {
  public:
    explicit Unheard(const Channel& channel) {
        for (const MPI_Comm comm : {channel.freed ? comm_null() : channel.comm, comm_world(), comm_self()}) {
            if (comm != comm_null()) {
                Heard& heard = before_.emplace_back(comm);
                PMPI_Comm_get_errhandler(comm, &heard.handler);
                PMPI_Comm_set_errhandler(comm, errors_return());
            }
        }
    }
    ~Unheard() {
        for (auto heard = before_.rbegin(); heard != before_.rend(); ++heard) {  // one may be there twice
            PMPI_Comm_set_errhandler(heard->comm, heard->handler);
            PMPI_Errhandler_free(&heard->handler);
        }
    }
    Unheard(const Unheard&) = delete;
    Unheard& operator=(const Unheard&) = delete;

  private:
    struct Heard {
        explicit Heard(MPI_Comm whose) : comm(whose) {}
        MPI_Comm comm;
        MPI_Errhandler handler{};
    };
    std::vector<Heard> before_;
};

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
    if (is_cancelled(status)) {
        endpoint_.native_cancelled(operation.channel->id, operation.receive);
    } else {
        endpoint_.native_completed(operation.channel->id, operation.receive, status.MPI_SOURCE);
    }
}

// In MPICH, PMPI_Request_get_status completes a persistent request as a test does. It can be tested: its handle stays,
// except after an error in Open MPI.
bool Plane::library_done(Operation& operation, MPI_Status& status) {
    int over = 0;
    const Unheard unheard(*operation.channel);
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

bool Plane::wait_one(MPI_Request* request, MPI_Status* status, Outcome& outcome) {
    const OperationPtr operation = operation_of(*request);
    if (operation != nullptr && operation->on_plane()) {
        if (!operation->complete) {
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
    if (over == 0 && outcome.error == MPI_SUCCESS) {
        return false;
    }
    if (operation != nullptr && operation->active) {
        concluded(operation, before, *request, *status);
    }
    return true;
}

bool Plane::wait_all(int count, MPI_Request requests[], MPI_Status statuses[], Outcome& outcome) {
    const auto number = static_cast<std::size_t>(count);
    std::vector<OperationPtr> operations(number);
    std::vector<MPI_Request> natives(requests, requests + count);
    for (std::size_t at = 0; at < number; ++at) {
        operations[at] = operation_of(requests[at]);
        if (operations[at] != nullptr && operations[at]->in_transition()) {
            return false;
        }
        if (operations[at] != nullptr && operations[at]->on_plane()) {
            if (!operations[at]->complete) {
                return false;
            }
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
    std::shared_ptr<Channel> failed;
    for (std::size_t at = 0; at < number; ++at) {
        const OperationPtr& operation = operations[at];
        if (operation != nullptr && operation->on_plane()) {
            const int mistake = conclude(operation, &requests[at], &own[at]);
            own[at].MPI_ERROR = mistake;
            failed = mistake != MPI_SUCCESS ? operation->channel : failed;
            continue;
        }
        const MPI_Request before = requests[at];
        requests[at] = natives[at];
        if (outcome.error == MPI_SUCCESS || before == request_null()) {  // of none, not every library says it
            own[at].MPI_ERROR = MPI_SUCCESS;
        }
        // Beside one with an error, MPICH leaves open what is not over yet.
        const bool open = over == 0 && own[at].MPI_ERROR == MPI_ERR_PENDING;
        if (operation != nullptr && operation->active && !open) {
            concluded(operation, before, requests[at], own[at]);
        }
    }
    if (failed != nullptr && outcome.error == MPI_SUCCESS) {
        outcome.error = MPI_ERR_IN_STATUS;
        outcome.untold = failed->comm;
    }
    if (statuses != MPI_STATUSES_IGNORE) {
        std::ranges::copy(own, statuses);
    }
    return over != 0;
}

bool Plane::test_any(int count, MPI_Request requests[], int* index, MPI_Status* status, Outcome& outcome) {
    std::vector<MPI_Request> natives(requests, requests + count);
    bool waits = false;
    for (int at = 0; at < count; ++at) {
        const OperationPtr operation = operation_of(requests[at]);
        if (operation == nullptr || !(operation->on_plane() || operation->in_transition())) {
            continue;
        }
        if (operation->on_plane() && operation->complete) {
            *index = at;
            wait_one(&requests[at], status, outcome);
            return true;
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
    if (outcome.error == MPI_SUCCESS && over == 0) {
        return false;
    }
    if (*index == MPI_UNDEFINED) {
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
    std::vector<int> complete;
    bool waits = false;
    for (int at = 0; at < count; ++at) {
        const OperationPtr operation = operation_of(requests[at]);
        if (operation != nullptr && (operation->on_plane() || operation->in_transition())) {
            natives[static_cast<std::size_t>(at)] = request_null();
            const bool over = operation->on_plane() && operation->complete;
            over ? complete.push_back(at) : void(waits = true);
        }
    }
    *number = 0;
    library_asked_ = true;
    outcome.error = PMPI_Testsome(count, natives.data(), number, indices, own.data());
    const int from_library = *number == MPI_UNDEFINED ? 0 : *number;
    if (*number == MPI_UNDEFINED && complete.empty() && !waits) {
        return true;
    }
    for (int at = 0; at < from_library; ++at) {
        const MPI_Request before = requests[indices[at]];
        requests[indices[at]] = natives[static_cast<std::size_t>(indices[at])];
        if (const OperationPtr operation = operation_of(before); operation != nullptr && operation->active) {
            concluded(operation, before, requests[indices[at]], own[static_cast<std::size_t>(at)]);
        }
    }
    std::shared_ptr<Channel> failed;
    *number = from_library;
    for (const int at : complete) {
        const OperationPtr operation = operation_of(requests[at]);
        MPI_Status& status = own[static_cast<std::size_t>(*number)];
        indices[(*number)++] = at;
        status.MPI_ERROR = conclude(operation, &requests[at], &status);
        failed = status.MPI_ERROR != MPI_SUCCESS ? operation->channel : failed;
    }
    if (failed != nullptr && outcome.error == MPI_SUCCESS) {
        std::for_each_n(own.begin(), from_library, [](MPI_Status& status) { status.MPI_ERROR = MPI_SUCCESS; });
        outcome.error = MPI_ERR_IN_STATUS;
        outcome.untold = failed->comm;
    }
    if (statuses != MPI_STATUSES_IGNORE) {
        std::copy_n(own.begin(), *number, statuses);
    }
    return *number > 0 || outcome.error != MPI_SUCCESS;
}

bool Plane::has_any(int count, const MPI_Request requests[]) {
    return locked([&] {
        return requests != nullptr && std::any_of(requests, requests + std::max(count, 0), [this](MPI_Request request) {
                   return operation_of(request) != nullptr;
               });
    });
}

int Plane::get_status(MPI_Request request, int* flag, MPI_Status* status) {
    const OperationPtr operation = operation_of(request);
    if (operation == nullptr || !operation->active) {
        return PMPI_Request_get_status(request, flag, status);
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
    if (*flag != 0 && status != MPI_STATUS_IGNORE) {
        *status = own;
    }
    return MPI_SUCCESS;
}

}  // namespace fairlead::relay
