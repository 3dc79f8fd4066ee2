// SPDX-License-Identifier: Apache-2.0
// MPI_Request_get_status_all, _any and _some: each request is asked for its own.
#include <algorithm>
#include <vector>

#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"
#include "relay/library/terms.hpp"

namespace fairlead::relay {

namespace {

struct Looked {
    bool active = false;
    bool over = false;
    MPI_Status status{};
};

/// What the plane does not know of may be persistent, and not started: only the library can tell.
Looked look_in_library(MPI_Request request) {
    const auto of_any =
        library<int(int, const MPI_Request[], int*, int*, MPI_Status*)>(Function::MPI_Request_get_status_any);
    Looked looked;
    int index = MPI_UNDEFINED;
    int over = 0;
    of_any(1, &request, &index, &over, &looked.status);
    looked.over = over != 0;
    looked.active = !looked.over || index != MPI_UNDEFINED;
    return looked;
}

/// The library knows best where all is its own. What others wait for goes on all the same.
bool is_librarys(int count, const MPI_Request requests[]) {
    if (plane == nullptr) {
        return true;
    }
    plane->enter();
    return !plane->has_any(count, requests);
}

std::vector<Looked> look_at(int count, const MPI_Request requests[]) {
    return plane->locked([&] {
        std::vector<Looked> looked(static_cast<std::size_t>(count));
        for (std::size_t at = 0; at < looked.size(); ++at) {
            Looked& each = looked[at];
            if (!plane->has_any(1, &requests[at])) {
                each = look_in_library(requests[at]);
                continue;
            }
            each.active = plane->is_active(requests[at]);
            each.over = !each.active;
            fill(&each.status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
            if (each.active) {
                int over = 0;
                plane->get_status(requests[at], &over, &each.status);
                each.over = over != 0;
            }
        }
        return looked;
    });
}

int status_of_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]) {
    if (is_librarys(count, requests)) {
        return library<decltype(status_of_all)>(Function::MPI_Request_get_status_all)(count, requests, flag, statuses);
    }
    const std::vector<Looked> looked = look_at(count, requests);
    *flag = std::ranges::all_of(looked, &Looked::over) ? 1 : 0;
    for (std::size_t at = 0; *flag != 0 && statuses != MPI_STATUSES_IGNORE && at < looked.size(); ++at) {
        give(&statuses[at], looked[at].status, false);
    }
    return MPI_SUCCESS;
}

int status_of_any(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    if (is_librarys(count, requests)) {
        return library<decltype(status_of_any)>(Function::MPI_Request_get_status_any)(count, requests, index, flag,
                                                                                      status);
    }
    const std::vector<Looked> looked = look_at(count, requests);
    const auto over = std::ranges::find_if(looked, [](const Looked& each) { return each.active && each.over; });
    const bool found = over != looked.end();
    *index = found ? static_cast<int>(over - looked.begin()) : MPI_UNDEFINED;
    *flag = found || std::ranges::none_of(looked, &Looked::active) ? 1 : 0;
    if (*flag != 0) {
        give(status, found ? over->status : looked.front().status, false);
    }
    return MPI_SUCCESS;
}

int status_of_some(int count, const MPI_Request requests[], int* number, int indices[], MPI_Status statuses[]) {
    if (is_librarys(count, requests)) {
        return library<decltype(status_of_some)>(Function::MPI_Request_get_status_some)(count, requests, number,
                                                                                        indices, statuses);
    }
    const std::vector<Looked> looked = look_at(count, requests);
    *number = std::ranges::none_of(looked, &Looked::active) ? MPI_UNDEFINED : 0;
    for (std::size_t at = 0; at < looked.size(); ++at) {
        if (looked[at].active && looked[at].over) {
            give(statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*number], looked[at].status, false);
            indices[(*number)++] = static_cast<int>(at);
        }
    }
    return MPI_SUCCESS;
}

}  // namespace

void put_request_status(Table& table) {
    using enum Function;
    table.put(MPI_Request_get_status_all, status_of_all);
    table.put(MPI_Request_get_status_any, status_of_any);
    table.put(MPI_Request_get_status_some, status_of_some);
}

}  // namespace fairlead::relay
