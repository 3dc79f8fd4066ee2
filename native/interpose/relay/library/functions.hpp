// SPDX-License-Identifier: Apache-2.0
// The MPI library's own functions, from the table that the wrappers would call without the plane.
#pragma once

#include <cstddef>

#include "generated/functions.hpp"

namespace fairlead::relay {

inline void* const* library_functions = nullptr;

/// The MPI library's own function, or that of a tool loaded after fairlead.
template <class Signature>
Signature* library(Function function) {
    return reinterpret_cast<Signature*>(library_functions[static_cast<std::size_t>(function)]);
}

}  // namespace fairlead::relay
