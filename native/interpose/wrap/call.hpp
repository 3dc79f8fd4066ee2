// SPDX-License-Identifier: Apache-2.0
// One call of a wrapped function: the next function of that name, its time, and whether it counts.
#pragma once

#include <cstddef>

#include "abi.hpp"
#include "generated/functions.hpp"
#include "record/recorder.hpp"
#include "wrap/call_sites.hpp"

namespace fairlead {

// What a wrapper calls in its turn, by function: the MPI library's own, or that of another tool loaded after fairlead.
extern void* const* next_functions;

template <class Signature>
Signature* next(Function function) {
    return reinterpret_cast<Signature*>(next_functions[static_cast<std::size_t>(function)]);
}

class Call {
  public:
    // `caller`: the place in the program that called the wrapper, which makes this.
    explicit Call(Function function, const void* caller = __builtin_return_address(0))
        : Call(function, caller, false) {}
    ~Call() {
        --thread_.depth;
        if (call_sites && outermost_) [[unlikely]] {
            count_at_site(thread_, function_, caller_, end_ - begin_, sent_B_);
        }
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Ends the measured time. Its argument is the call itself: `call.timed(next<...>(...)(...))`.
    template <class Result>
    Result timed(Result result) {
        if (outermost_) {
            end_ = record::ticks();
            record::Row& row = thread_.row(static_cast<std::size_t>(function_));
            ++row.calls;
            row.ticks += end_ - begin_;
            thread_.counters().last_ticks = end_;
        }
        return result;
    }

    // Calls that the MPI library, or a callback of the program, makes inside another one are part of that one.
    bool outermost() const { return outermost_; }
    bool counts(int error) const { return outermost_ && error == MPI_SUCCESS; }

    record::Thread& thread() { return thread_; }
    Function function() const { return function_; }
    std::uint64_t begin_ticks() const { return begin_; }
    std::uint64_t end_ticks() const { return end_; }
    // This call itself sends so much.
    void gives(std::uint64_t size_B) {
        row().sent_B += size_B;
        sent_B_ += size_B;
    }
    record::Row& row() { return thread_.row(static_cast<std::size_t>(function_)); }

  protected:
    Call(Function function, const void* caller, bool local)
        : thread_(record::Thread::current()), function_(function), outermost_(thread_.depth++ == 0), caller_(caller) {
        if (outermost_) {
            begin_ = record::ticks();
            if (!local) {
                thread_.next_call(begin_);
            }
        }
    }

  private:
    record::Thread& thread_;
    Function function_;
    bool outermost_;
    const void* caller_;
    std::uint64_t sent_B_ = 0;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

// One that waits for nobody and gets nothing done: a thread that polls may make it between two tests.
class LocalCall : public Call {
  public:
    explicit LocalCall(Function function, const void* caller = __builtin_return_address(0))
        : Call(function, caller, true) {}

    template <class Result>
    Result timed(Result result) {
        Call::timed(result);
        if (outermost()) {
            thread().passed_over(begin_ticks(), end_ticks());
        }
        return result;
    }
};

}  // namespace fairlead
