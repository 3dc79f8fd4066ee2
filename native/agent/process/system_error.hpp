// SPDX-License-Identifier: Apache-2.0
// Every system call's result passes through here: the exception names the call and what it was about.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace fairlead::agent {

[[noreturn]] inline void throw_errno(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

template <typename T>
T checked(T result, const char* what) {
    if (result < 0) throw_errno(what);
    return result;
}

}  // namespace fairlead::agent
