// SPDX-License-Identifier: Apache-2.0
// The MPI functions as a preloaded library offers them: each jumps to its target, which is found at the first call. No
// argument is looked at, so that one file serves every binary interface. An entry takes 32 bytes:
//
//   0   the function: jump to its target
//   8   its first target: ask for the real one (fairlead_target_of), keep all registers that carry arguments
//   20  its resolver: whether the function shall be visible now (shim/visibility.cpp)

#if !defined(__x86_64__)
#error "the entries of libfairlead are written for x86-64 only"
#endif

.macro entry index name
    .balign 32
    .globl \name
    .type \name, @function
\name:
    jmp *8*\index+fairlead_targets(%rip)
    .balign 8
first_\index:
    pushq $\index
    jmp first_call
    .org first_\index + 12, 0x90
    movl $\index, %edi
    jmp fairlead_resolve
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
fairlead_entries:
#include "generated/entries.inc"
    .balign 32
    .globl fairlead_entries_end
    .hidden fairlead_entries_end
fairlead_entries_end:

// On the stack: the function's index, the caller's return address.
first_call:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    subq $8, %rsp
    movq 64(%rsp), %rdi
    call fairlead_target_of
    movq %rax, %r11
    addq $8, %rsp
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    addq $8, %rsp
    jmp *%r11

// Goes on to dlsym(3) itself, which looks at who called it, or to what answers in its place (shim/visibility.cpp).
    .globl dlsym
    .type dlsym, @function
    .hidden fairlead_dlsym_for
dlsym:
    pushq %rdi
    pushq %rsi
    subq $8, %rsp
    movq %rsi, %rdi
    call fairlead_dlsym_for
    addq $8, %rsp
    popq %rsi
    popq %rdi
    jmp *%rax
    .size dlsym, . - dlsym

    .section .note.GNU-stack, "", @progbits
