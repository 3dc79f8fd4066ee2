// SPDX-License-Identifier: Apache-2.0
// What a call of the MPI_Wait and MPI_Test families completes: the messages that requests receive are counted then.
#pragma once

#include <cstdint>
#include <vector>

#include "wrap/call.hpp"
#include "wrap/communication/messages.hpp"

namespace fairlead {

// Made before the call, which frees request handles; told afterwards what is complete.
class Completion {
  public:
    enum class Certainty { all, none };  // whether the call returns only when all requests are complete

    Completion(Call& call, Certainty certainty, int count, const MPI_Request requests[]);
    ~Completion();
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    // The statuses to call with: fairlead's own where the program ignores them and they are needed.
    MPI_Status* status_for(MPI_Status* status);
    MPI_Status* statuses_for(MPI_Status* statuses, int count);

    void one(const MPI_Status* status);
    void any(int index, const MPI_Status* status);
    void all(const MPI_Status statuses[]);
    void some(int number, const int indices[], const MPI_Status statuses[]);
    void nothing();  // a test that found none complete

    // Likewise, where the call returned an error: what is complete all the same is told, and what is not stays tracked.
    // `requests` are as the call left them.
    void failed_one(int error, const MPI_Request* request, const MPI_Status* status);
    void failed_any(int error, const MPI_Request requests[], const int* index, const MPI_Status* status);
    void failed_all(int error, const MPI_Request requests[], const MPI_Status statuses[]);
    void failed_some(int error, const MPI_Request requests[], const int* number, const int indices[],
                     const MPI_Status statuses[]);

  private:
    struct Pending {
        int index;
        MPI_Request request;
        Operation operation{};
    };
    struct Scratch {
        std::vector<Pending> pending;
        std::vector<MPI_Status> statuses;
    };
    static Scratch& scratch(record::Thread& thread);
    static bool is_freed(const Pending& pending, const MPI_Request requests[]) {
        return requests[pending.index] != pending.request;
    }
    void nothing_to_do();
    bool end(const Pending& pending);
    void finish(const Pending& pending, const MPI_Status& status);
    void keep(const Pending& pending);
    void lose(const Pending& pending, int error, const MPI_Status* status);
    void by_status(const Pending& pending, const MPI_Status& status);
    void by_handle(const Pending& pending, const MPI_Request requests[], int error);

    Call& call_;
    Certainty certainty_;
    bool among_tests_;            // the test before it found nothing
    bool none_;                   // and here is nothing to test, so that the thread goes on with what it did
    Scratch* scratch_ = nullptr;  // null: nothing here is tracked

    // Of a call in a callback of the program, inside one that completes nothing itself (MPI_Comm_free): it is not
    // counted, but what it completes is tracked no longer, for the library gives the handles to others.
    const MPI_Request* requests_ = nullptr;
    std::vector<Pending> in_callback_;
};

}  // namespace fairlead
