// SPDX-License-Identifier: Apache-2.0
// Calls that the MPI library's Fortran bindings make of C functions: shim/fortran.cpp leads them here.
#pragma once

#include "wrap/call.hpp"

namespace fairlead {

// Whether the function at `caller`, an address inside it, is a Fortran binding of the function.
bool is_binding_of(Function function, const void* caller);

// A call of a function that the bindings of others call, too, for themselves (the size of a communicator, to know the
// length of an array): such a call is part of theirs.
class BindingCall {
  public:
    // `caller`: an address inside the function that calls.
    BindingCall(Function function, const void* caller) : helps_(!is_binding_of(function, caller)) {
        record::Thread::current().depth += helps_ ? 1 : 0;
    }
    ~BindingCall() { record::Thread::current().depth -= helps_ ? 1 : 0; }
    BindingCall(const BindingCall&) = delete;
    BindingCall& operator=(const BindingCall&) = delete;

  private:
    bool helps_;
};

}  // namespace fairlead
