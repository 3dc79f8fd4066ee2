// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "wrap/communication/completion.hpp"

#include "generated/wrappers.hpp"

namespace fairlead::wrapped {

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    Call call(Function::MPI_Test);
    Completion completion(call, Completion::Certainty::none, 1, request);
    status = completion.status_for(status);
    const int error = call.timed(next<decltype(MPI_Test)>(Function::MPI_Test)(request, flag, status));
    if (call.counts(error)) {
        if (*flag) completion.one(status);
        else completion.nothing();
    } else {
        completion.failed_one(error, request, status);
    }
    return error;
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
    Call call(Function::MPI_Testall);
    Completion completion(call, Completion::Certainty::none, count, array_of_requests);
    array_of_statuses = completion.statuses_for(array_of_statuses, count);
    const int error = call.timed(next<decltype(MPI_Testall)>(Function::MPI_Testall)(count, array_of_requests, flag, array_of_statuses));
    if (call.counts(error)) {
        if (*flag) completion.all(array_of_statuses);
        else completion.nothing();
    } else {
        completion.failed_all(error, array_of_requests, array_of_statuses);
    }
    return error;
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status) {
    Call call(Function::MPI_Testany);
    Completion completion(call, Completion::Certainty::none, count, array_of_requests);
    status = completion.status_for(status);
    if (index != nullptr) *index = MPI_UNDEFINED;
    const int error = call.timed(next<decltype(MPI_Testany)>(Function::MPI_Testany)(count, array_of_requests, index, flag, status));
    if (call.counts(error)) {
        if (*flag) completion.any(*index, status);
        else completion.nothing();
    } else {
        completion.failed_any(error, array_of_requests, index, status);
    }
    return error;
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
    Call call(Function::MPI_Testsome);
    Completion completion(call, Completion::Certainty::none, incount, array_of_requests);
    array_of_statuses = completion.statuses_for(array_of_statuses, incount);
    const int error = call.timed(next<decltype(MPI_Testsome)>(Function::MPI_Testsome)(incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
    if (call.counts(error)) {
        completion.some(*outcount, array_of_indices, array_of_statuses);
    } else {
        completion.failed_some(error, array_of_requests, outcount, array_of_indices, array_of_statuses);
    }
    return error;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    Call call(Function::MPI_Wait);
    Completion completion(call, Completion::Certainty::all, 1, request);
    status = completion.status_for(status);
    const int error = call.timed(next<decltype(MPI_Wait)>(Function::MPI_Wait)(request, status));
    if (call.counts(error)) {
        completion.one(status);
    } else {
        completion.failed_one(error, request, status);
    }
    return error;
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
    Call call(Function::MPI_Waitall);
    Completion completion(call, Completion::Certainty::all, count, array_of_requests);
    array_of_statuses = completion.statuses_for(array_of_statuses, count);
    const int error = call.timed(next<decltype(MPI_Waitall)>(Function::MPI_Waitall)(count, array_of_requests, array_of_statuses));
    if (call.counts(error)) {
        completion.all(array_of_statuses);
    } else {
        completion.failed_all(error, array_of_requests, array_of_statuses);
    }
    return error;
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int* index, MPI_Status* status) {
    Call call(Function::MPI_Waitany);
    Completion completion(call, Completion::Certainty::none, count, array_of_requests);
    status = completion.status_for(status);
    if (index != nullptr) *index = MPI_UNDEFINED;
    const int error = call.timed(next<decltype(MPI_Waitany)>(Function::MPI_Waitany)(count, array_of_requests, index, status));
    if (call.counts(error)) {
        completion.any(*index, status);
    } else {
        completion.failed_any(error, array_of_requests, index, status);
    }
    return error;
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]) {
    Call call(Function::MPI_Waitsome);
    Completion completion(call, Completion::Certainty::none, incount, array_of_requests);
    array_of_statuses = completion.statuses_for(array_of_statuses, incount);
    const int error = call.timed(next<decltype(MPI_Waitsome)>(Function::MPI_Waitsome)(incount, array_of_requests, outcount, array_of_indices, array_of_statuses));
    if (call.counts(error)) {
        completion.some(*outcount, array_of_indices, array_of_statuses);
    } else {
        completion.failed_some(error, array_of_requests, outcount, array_of_indices, array_of_statuses);
    }
    return error;
}

}  // namespace fairlead::wrapped
