// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/completion.hpp"

#include <algorithm>
#include <span>

#include "wrap/communication/requests.hpp"

namespace fairlead {

namespace {

int source_of(const Operation& operation, const MPI_Status& status) {
    return operation.any_source != nullptr ? operation.any_source->world_rank(status.MPI_SOURCE) : operation.peer;
}

bool is_null(MPI_Request request) {
    return request == request_null();
}

// Of an array that is missing, which the library refuses, none are looked at.
int length(int count, const MPI_Request requests[]) {
    return requests != nullptr ? std::max(count, 0) : 0;
}

// Whether the status of a receive with an error says from whom it got something.
bool is_source(const Operation& operation, const MPI_Status& status) {
    return operation.receives && (operation.any_source == nullptr ||
                                  (status.MPI_SOURCE >= 0 && status.MPI_SOURCE < operation.any_source->peers));
}

int tag_of(const Operation& operation, const MPI_Status& status) {
    return operation.tag == record::kAnyTag ? status.MPI_TAG : operation.tag;
}

// Whether this thread's outermost call completes requests: calls inside it are the library's, for the same requests.
thread_local bool completing = false;

}  // namespace

Completion::Scratch& Completion::scratch(record::Thread& thread) {
    // Only the outermost call of a thread completes anything, so one is enough.
    if (thread.scratch == nullptr) [[unlikely]] {
        thread.scratch = new Scratch();
    }
    auto& known = *static_cast<Scratch*>(thread.scratch);
    known.pending.clear();
    return known;
}

Completion::Completion(Call& call, Certainty certainty, int count, const MPI_Request requests[])
    : call_(call),
      certainty_(certainty),
      among_tests_(call.outermost() && call.thread().follows_vain_test(call.begin_ticks())),
      none_(among_tests_ && std::all_of(requests, requests + length(count, requests), is_null)) {
    if (call.outermost()) {
        completing = true;
    }
    if (!any_tracked()) {
        return;
    }
    const int there = length(count, requests);
    if (!call.outermost()) {
        for (int index = 0; index < there && !completing; ++index) {
            Pending next{index, requests[index]};
            if (tracked(requests[index], next.operation) && !next.operation.persistent) {
                in_callback_.push_back(std::move(next));
                requests_ = requests;
            }
        }
        return;
    }
    Scratch& kept = scratch(call.thread());
    for (int index = 0; index < there; ++index) {
        Pending& next = kept.pending.emplace_back(index, requests[index]);
        if (certainty_ == Certainty::all ? take(requests[index], next.operation)
                                         : tracked(requests[index], next.operation)) {
            scratch_ = &kept;
        } else {
            kept.pending.pop_back();
        }
    }
}

Completion::~Completion() {
    if (call_.outermost()) {
        completing = false;
    }
    for (const Pending& pending : in_callback_) {
        if (is_freed(pending, requests_) && untrack(pending.request, pending.operation.serial)) {
            pending.operation.receives ? lose_message(call_, pending.operation.message)
                                       : end_message(call_, pending.operation.message);
        }
    }
}

MPI_Status* Completion::status_for(MPI_Status* status) {
    return status == MPI_STATUS_IGNORE ? statuses_for(status, 1) : status;
}

MPI_Status* Completion::statuses_for(MPI_Status* statuses, int count) {
    if (scratch_ == nullptr || statuses != MPI_STATUSES_IGNORE) {
        return statuses;
    }
    scratch_->statuses.resize(static_cast<std::size_t>(count));
    return scratch_->statuses.data();
}

void Completion::one(const MPI_Status* status) {
    if (none_) {
        nothing_to_do();
    }
    if (scratch_ != nullptr) {
        finish(scratch_->pending.front(), *status);
    }
}

void Completion::any(int index, const MPI_Status* status) {
    if (index != MPI_UNDEFINED) {
        some(1, &index, status);
    } else {
        nothing_to_do();
    }
}

void Completion::all(const MPI_Status statuses[]) {
    if (none_) {
        nothing_to_do();
    }
    if (scratch_ != nullptr) {
        for (const Pending& pending : scratch_->pending) {
            finish(pending, statuses[pending.index]);
        }
    }
}

void Completion::some(int number, const int indices[], const MPI_Status statuses[]) {
    if (number == 0) {
        nothing();  // of MPI_Testsome
    } else if (number == MPI_UNDEFINED) {
        nothing_to_do();
    }
    if (scratch_ == nullptr || number == MPI_UNDEFINED) {
        return;
    }
    for (int position = 0; position < number; ++position) {
        const auto found = std::ranges::lower_bound(scratch_->pending, indices[position], {}, &Pending::index);
        if (found != scratch_->pending.end() && found->index == indices[position]) {
            finish(*found, statuses[position]);
        }
    }
}

void Completion::nothing() {
    call_.thread().found_nothing(call_.end_ticks());
    if (scratch_ != nullptr) {
        for (const Pending& pending : scratch_->pending) {
            if (pending.operation.message != nullptr) {
                need(call_, pending.request, pending.operation.serial);
            }
        }
    }
}

void Completion::nothing_to_do() {
    if (among_tests_) {
        call_.thread().found_nothing(call_.end_ticks());
    }
}

void Completion::failed_one(int error, const MPI_Request* request, const MPI_Status* status) {
    if (scratch_ == nullptr) {
        return;
    }
    const Pending& pending = scratch_->pending.front();
    if (is_freed(pending, request) || pending.operation.persistent) {
        lose(pending, error, status);
    } else {
        keep(pending);
    }
}

void Completion::failed_any(int error, const MPI_Request requests[], const int* index, const MPI_Status* status) {
    if (scratch_ == nullptr) {
        return;
    }
    for (const Pending& pending : scratch_->pending) {
        if (index != nullptr && pending.index == *index &&
            (is_freed(pending, requests) || pending.operation.persistent)) {
            lose(pending, error, status);
        } else {
            by_handle(pending, requests, error);
        }
    }
}

void Completion::failed_all(int error, const MPI_Request requests[], const MPI_Status statuses[]) {
    if (scratch_ == nullptr) {
        return;
    }
    const bool told = class_of(error) == MPI_ERR_IN_STATUS;
    for (const Pending& pending : scratch_->pending) {
        if (told) {
            by_status(pending, statuses[pending.index]);
        } else {
            by_handle(pending, requests, error);
        }
    }
}

void Completion::failed_some(int error, const MPI_Request requests[], const int* number, const int indices[],
                             const MPI_Status statuses[]) {
    if (scratch_ == nullptr) {
        return;
    }
    const std::span told(indices, class_of(error) == MPI_ERR_IN_STATUS ? static_cast<std::size_t>(*number) : 0);
    for (const Pending& pending : scratch_->pending) {
        const auto found = std::ranges::find(told, pending.index);
        if (found != told.end()) {
            by_status(pending, statuses[found - told.begin()]);
        } else {
            by_handle(pending, requests, error);
        }
    }
}

void Completion::by_status(const Pending& pending, const MPI_Status& status) {
    if (status.MPI_ERROR == MPI_SUCCESS) {
        finish(pending, status);
    } else if (class_of(status.MPI_ERROR) == MPI_ERR_PENDING) {
        keep(pending);
    } else {
        lose(pending, status.MPI_ERROR, &status);
    }
}

// Of what no status tells: libraries free requests whose errors they have told of.
void Completion::by_handle(const Pending& pending, const MPI_Request requests[], int error) {
    if (is_freed(pending, requests)) {
        lose(pending, error, nullptr);
    } else {
        keep(pending);
    }
}

// The call said nothing of it.
void Completion::keep(const Pending& pending) {
    if (certainty_ == Certainty::all && !pending.operation.persistent) {
        track(call_, pending.request, Operation(pending.operation));
    }
}

// It is over with an error, and its message is not counted. A message that was too long was matched all the same: its
// place in the order is known. Nothing is known of other errors.
void Completion::lose(const Pending& pending, int error, const MPI_Status* status) {
    const Operation& operation = pending.operation;
    if (!end(pending)) {
        return;
    }
    if (status != nullptr && class_of(error) == MPI_ERR_TRUNCATE && is_source(operation, *status)) {
        lose_receive(call_, operation.message, source_of(operation, *status), tag_of(operation, *status));
    } else {
        lose_message(call_, operation.message);
    }
}

// Whether its end is still to be told: that of a send whose handle another operation got was told then (`track`).
bool Completion::end(const Pending& pending) {
    if (pending.operation.persistent) {
        set_active(pending.request, false);
        return true;
    }
    return certainty_ == Certainty::all || untrack(pending.request, pending.operation.serial) ||
           pending.operation.receives;
}

void Completion::finish(const Pending& pending, const MPI_Status& status) {
    const Operation& operation = pending.operation;
    if (!end(pending)) {
        return;
    }
    if (!operation.receives) {
        end_message(call_, operation.message);
        return;
    }
    if (is_cancelled(status)) {
        cancel_message(call_, operation.message);
        return;
    }
    if (!is_source(operation, status)) {  // the handle is another operation's by now
        lose_message(call_, operation.message);
        return;
    }
    const int source = source_of(operation, status);
    const std::uint64_t size_B = operation.received_B == kByStatus ? bytes_of(status) : operation.received_B;
    call_.thread().row(static_cast<std::size_t>(operation.function)).received_B += size_B;
    call_.thread().received(source, size_B);
    end_receive(call_, operation.message, source, tag_of(operation, status), size_B);
}

}  // namespace fairlead
