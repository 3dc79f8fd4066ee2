// SPDX-License-Identifier: Apache-2.0
// A global variable that lasts until the process is gone. What a program registers with atexit(3) before its first call
// of MPI, and destructors of its own global variables, run after destructors of this library would, and may call MPI.
#pragma once

#include <cstddef>
#include <new>

namespace fairlead {

template <class Value>
class Lasting {
  public:
    Lasting() { new (memory_) Value(); }
    Lasting(const Lasting&) = delete;
    Lasting& operator=(const Lasting&) = delete;

    Value& operator*() { return *std::launder(reinterpret_cast<Value*>(memory_)); }
    Value* operator->() { return &**this; }

  private:
    alignas(Value) std::byte memory_[sizeof(Value)];
};

}  // namespace fairlead
