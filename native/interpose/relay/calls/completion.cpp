// SPDX-License-Identifier: Apache-2.0
// The MPI_Wait and MPI_Test families: each polls, once or until it is over.
#include <algorithm>
#include <initializer_list>

#include "relay/calls/calls.hpp"

namespace fairlead::relay {

namespace {

constexpr unsigned kPollsToErrors = 256;  // between looks whether a request has failed beside others that are open

/// Whether something is missing, or no array is so long: the library's to refuse, before it does anything.
bool cannot_be(std::initializer_list<const void*> results, const MPI_Status* status,
               std::initializer_list<const void*> arrays = {}, int count = 0) {
    return count < 0 || is_missing(status) || std::ranges::find(results, nullptr) != results.end() ||
           (count > 0 && std::ranges::find(arrays, nullptr) != arrays.end());
}

int wait(MPI_Request* request, MPI_Status* status) {
    if (passes_by(1, request) || cannot_be({request}, status)) {
        return library<decltype(wait)>(Function::MPI_Wait)(request, status);
    }
    plane->enter();
    Outcome outcome;
    plane->wait_until([&] { return plane->wait_one(request, status, outcome) || outcome.error != MPI_SUCCESS; });
    return outcome.tell();
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
    if (passes_by(1, request) || cannot_be({request, flag}, status)) {
        return library<decltype(test)>(Function::MPI_Test)(request, flag, status);
    }
    plane->enter();
    Outcome outcome;
    *flag = plane->locked([&] { return plane->wait_one(request, status, outcome); }) ? 1 : 0;
    return outcome.tell();
}

int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
    if (passes_by(count, requests) || cannot_be({}, statuses, {requests}, count)) {
        return library<decltype(wait_all)>(Function::MPI_Waitall)(count, requests, statuses);
    }
    plane->enter();
    auto done = plane->wait_in_turn({requests, static_cast<std::size_t>(count)});
    Outcome outcome;
    unsigned polls = 0;
    plane->wait_until([&] {
        return plane->wait_all(count, requests, statuses, true, outcome) || outcome.error != MPI_SUCCESS ||
               (kErrorEndsWaitall && ++polls % kPollsToErrors == 0 &&
                plane->ends_with_error({requests, static_cast<std::size_t>(count)}, statuses, done, outcome));
    });
    for (const auto& [at, status] : done) {
        if (statuses != MPI_STATUSES_IGNORE) {
            statuses[at] = status;
        }
        if (status.MPI_ERROR != MPI_SUCCESS && outcome.error == MPI_SUCCESS) {
            outcome.error = MPI_ERR_IN_STATUS;  // of which the library has told
        }
    }
    return outcome.tell();
}

int test_all(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
    if (passes_by(count, requests) || cannot_be({flag}, statuses, {requests}, count)) {
        return library<decltype(test_all)>(Function::MPI_Testall)(count, requests, flag, statuses);
    }
    plane->enter();
    Outcome outcome;
    *flag =
        plane->locked([&] { return plane->wait_all(count, requests, statuses, kSuccessIsInStatus, outcome); }) ? 1 : 0;
    return outcome.tell();
}

int wait_any(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    if (passes_by(count, requests) || cannot_be({index}, status, {requests}, count)) {
        return library<decltype(wait_any)>(Function::MPI_Waitany)(count, requests, index, status);
    }
    plane->enter();
    Outcome outcome;
    plane->wait_until(
        [&] { return plane->test_any(count, requests, index, status, outcome) || outcome.error != MPI_SUCCESS; });
    return outcome.tell();
}

int test_any(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    if (passes_by(count, requests) || cannot_be({index, flag}, status, {requests}, count)) {
        return library<decltype(test_any)>(Function::MPI_Testany)(count, requests, index, flag, status);
    }
    plane->enter();
    Outcome outcome;
    *flag = plane->locked([&] { return plane->test_any(count, requests, index, status, outcome); }) ? 1 : 0;
    if (*flag == 0 && outcome.error == MPI_SUCCESS) {
        *index = MPI_UNDEFINED;
    }
    return outcome.tell();
}

int wait_some(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[]) {
    if (passes_by(count, requests) || cannot_be({number}, statuses, {requests, indices}, count)) {
        return library<decltype(wait_some)>(Function::MPI_Waitsome)(count, requests, number, indices, statuses);
    }
    plane->enter();
    Outcome outcome;
    plane->wait_until([&] { return plane->test_some(count, requests, number, indices, statuses, outcome); });
    return outcome.tell();
}

int test_some(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[]) {
    if (passes_by(count, requests) || cannot_be({number}, statuses, {requests, indices}, count)) {
        return library<decltype(test_some)>(Function::MPI_Testsome)(count, requests, number, indices, statuses);
    }
    plane->enter();
    Outcome outcome;
    plane->locked([&] { return plane->test_some(count, requests, number, indices, statuses, outcome); });
    return outcome.tell();
}

int get_status(MPI_Request request, int* flag, MPI_Status* status) {
    if (passes_by(1, &request) || cannot_be({flag}, status)) {
        return library<decltype(get_status)>(Function::MPI_Request_get_status)(request, flag, status);
    }
    plane->enter();
    return plane->locked([&] { return plane->get_status(request, flag, status); });
}

}  // namespace

void put_completion(Table& table) {
    using enum Function;
    table.put(MPI_Wait, wait);
    table.put(MPI_Test, test);
    table.put(MPI_Waitall, wait_all);
    table.put(MPI_Testall, test_all);
    table.put(MPI_Waitany, wait_any);
    table.put(MPI_Testany, test_any);
    table.put(MPI_Waitsome, wait_some);
    table.put(MPI_Testsome, test_some);
    table.put(MPI_Request_get_status, get_status);
}

}  // namespace fairlead::relay
