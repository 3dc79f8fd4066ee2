// SPDX-License-Identifier: Apache-2.0
#include "wrap/completion.hpp"

#include <algorithm>
#include <memory>

#include "wrap/requests.hpp"

namespace fairlead {

Completion::Scratch& Completion::scratch() {
    // Only the outermost call of a thread completes anything, so one is enough.
    thread_local Scratch* known = nullptr;  // without the check that a variable with a destructor costs every time
    if (known == nullptr) [[unlikely]] {
        thread_local const auto owner = std::make_unique<Scratch>();
        known = owner.get();
    }
    known->pending.clear();
    return *known;
}

Completion::Completion(Call& call, Certainty certainty, int count, const MPI_Request requests[])
    : call_(call), certainty_(certainty) {
    if (!call.outermost() || !any_tracked()) {
        return;
    }
    Scratch& kept = scratch();
    for (int index = 0; index < count; ++index) {
        Pending& next = kept.pending.emplace_back(index, requests[index]);
        if (certainty_ == Certainty::all ? take(requests[index], next.operation)
                                         : tracked(requests[index], next.operation)) {
            scratch_ = &kept;
        } else {
            kept.pending.pop_back();
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
    if (scratch_ != nullptr) {
        finish(scratch_->pending.front(), *status);
    }
}

void Completion::any(int index, const MPI_Status* status) {
    if (index != MPI_UNDEFINED) {
        some(1, &index, status);
    }
}

void Completion::all(const MPI_Status statuses[]) {
    if (scratch_ != nullptr) {
        for (const Pending& pending : scratch_->pending) {
            finish(pending, statuses[pending.index]);
        }
    }
}

void Completion::some(int number, const int indices[], const MPI_Status statuses[]) {
    if (number == 0) {
        nothing();  // of MPI_Testsome
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
            need_message(call_, pending.operation.message);
        }
    }
}

void Completion::failed() {
    if (scratch_ != nullptr) {
        for (const Pending& pending : scratch_->pending) {
            end(pending);
        }
    }
}

void Completion::end(const Pending& pending) {
    if (pending.operation.persistent) {
        set_active(pending.request, false);
    } else if (certainty_ == Certainty::none) {
        untrack(pending.request, pending.operation.serial);
    }
}

void Completion::finish(const Pending& pending, const MPI_Status& status) {
    const Operation& operation = pending.operation;
    end(pending);
    if (!operation.receives) {
        end_message(call_, operation.message);
        return;
    }
    if (is_cancelled(status)) {
        cancel_message(call_, operation.message);
        return;
    }
    const int source =
        operation.any_source != nullptr ? operation.any_source->world_rank(status.MPI_SOURCE) : operation.peer;
    const std::uint64_t size_B = operation.received_B == kByStatus ? bytes_of(status) : operation.received_B;
    call_.thread().row(static_cast<std::size_t>(operation.function)).received_B += size_B;
    call_.thread().received(source, size_B);
    end_receive(call_, operation.message, source, operation.tag == record::kAnyTag ? status.MPI_TAG : operation.tag,
                size_B);
}

}  // namespace fairlead
