// SPDX-License-Identifier: Apache-2.0
// The MPI functions as a preloaded library offers them: each jumps to its target, which is found at the first call. No
// argument is looked at, so that one file serves every binary interface. An entry takes 32 bytes:
//
//   the function: jump to its target
//   its first target: ask for the real one (fairlead_target_of), keep all registers that carry arguments
//   its resolver, at kResolverAt_B: whether the function shall be visible now (shim/visibility.cpp)
//
// Their code is the processor's: the macro `code`, and what it jumps to, first_call; and dlsym.

#if defined(__x86_64__)
#include "shim/entries_x86_64.inc"
#elif defined(__aarch64__)
#include "shim/entries_aarch64.inc"
#else
#error "the entries of libfairlead are written for x86-64 and AArch64 only"
#endif

.macro entry index name
    .balign 32
    .globl \name
    .type \name, @function
\name:
    code \index
    .size \name, . - \name

    .section .data.rel.local, "aw"
    .quad first_\index
    .text
.endm

    .section .data.rel.local, "aw"
    .balign 8
    .globl fairlead_targets
    .hidden fairlead_targets
fairlead_targets:

    .text
    .balign 32
    .globl fairlead_entries
    .hidden fairlead_entries
    .hidden fairlead_resolve
    .hidden fairlead_target_of
    .hidden fairlead_dlsym_for
fairlead_entries:
#include "generated/entries.inc"
    .balign 32
    .globl fairlead_entries_end
    .hidden fairlead_entries_end
fairlead_entries_end:

    .section .note.GNU-stack, "", @progbits
