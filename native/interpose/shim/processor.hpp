// SPDX-License-Identifier: Apache-2.0
// What differs between the processors that there are entries for (shim/entries.S).
#pragma once

#include <elf.h>

#include <cstddef>

namespace fairlead::shim {

// Relocations that ask for the address of a function; the version that the C library's oldest functions have.
#if defined(__x86_64__)
constexpr std::size_t kResolverAt_B = 20;
constexpr unsigned kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr unsigned kGlobalData = R_X86_64_GLOB_DAT;
constexpr const char* kFirstGlibc = "GLIBC_2.2.5";
#elif defined(__aarch64__)
constexpr std::size_t kResolverAt_B = 24;
constexpr unsigned kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr unsigned kGlobalData = R_AARCH64_GLOB_DAT;
constexpr const char* kFirstGlibc = "GLIBC_2.17";
#endif

}  // namespace fairlead::shim
