// SPDX-License-Identifier: Apache-2.0
// The small programs that are explored.
#pragma once

#include "program.hpp"

namespace fairlead::relay::explore::programs {

inline constexpr Tag a = 1;
inline constexpr Tag b = 2;

/// For what has many steps of its own.
inline Program one_posted() {
    return {"one posted", {{{send(1, a)}}, {{in_slot(1, receive(0, a)), wait(1)}}}};
}

/// Two messages, two receives that accept both.
inline Program two_in_order() {
    return {"two in order", {{{send(1, a), send(1, a)}}, {{receive(0, a), receive(0, kAnyTag)}}}};
}

/// The receives are there first.
inline Program two_posted() {
    return {"two posted",
            {{{send(1, a), send(1, a)}},
             {{in_slot(1, receive(kAnySource, kAnyTag)), in_slot(2, receive(0, a)), wait(1), wait(2)}}}};
}

/// The receiver wants the younger one first.
inline Program tags_crossed() {
    return {"tags crossed",
            {{{send(1, a), send(1, a), send(1, b)}}, {{receive(0, b), receive(0, kAnyTag), receive(0, a)}}}};
}

/// A wildcard ties the sources together.
inline Program three_with_wildcards() {
    return {"three with wildcards",
            {{{send(2, a), send(2, b)}},
             {{send(2, a)}},
             {{in_slot(1, receive(kAnySource, a)), in_slot(2, receive(kAnySource, kAnyTag)), wait_any({1, 2}),
               receive(kAnySource, kAnyTag), wait(1), wait(2)}}}};
}

/// Legal, and dead if rank 1 sits in PMPI_Barrier while the message is relayed.
inline Program barrier_between() {
    return {"barrier between",
            {{{synchronous(send(1, a)), barrier()}}, {{in_slot(1, receive(0, a)), barrier(), wait(1)}}}};
}

/// A long message is matched before the takeover and there only later; its source shows only then.
inline Program long_before_short() {
    return {"long before short",
            {{{in_slot(1, large(send(1, a))), send(1, a), send(1, a), wait(1)}},
             {{in_slot(1, receive(kAnySource, a)), receive(0, a), receive(0, a), wait(1)}}}};
}

/// What a probe has shown is what the next receive gets, whatever another thread of the sender sends meanwhile.
inline Program probe_and_threads() {
    return {"probe and threads",
            {{{send(1, a)}, {receive(1, b), send(1, a)}}, {{probe(0, a), send(0, b), receive(0, a), receive(0, a)}}}};
}

inline Program probes() {
    return {"probes",
            {{{send(1, a), send(1, b)}},
             {{probe(0, b), matched_probe(1, 0, kAnyTag), receive(0, kAnyTag), matched_receive(1)}}}};
}

inline Program cancelled_by_program() {
    return {"cancelled by the program",
            {{{send(1, a), synchronous(send(1, b))}},
             {{in_slot(1, receive(0, a)), in_slot(2, receive(0, kAnyTag)), cancel(1), wait(1), receive(0, kAnyTag)}}}};
}

/// Both wait for each other's answer; nothing may be left to the other's next call.
inline Program ping_pong() {
    return {"ping-pong",
            {{{synchronous(send(1, a)), receive(1, b), send(1, a)}},
             {{receive(0, a), synchronous(send(0, b)), receive(0, a)}}}};
}

inline Program two_communicators() {
    return {"two communicators",
            {{{send(1, a, 0), send(1, a, 1), send(1, a, 0)}},
             {{receive(kAnySource, kAnyTag, 1), receive(0, a, 0), receive(0, a, 0)}}}};
}

inline Program long_ones() {
    return {"long ones", {{{large(send(1, a)), large(send(1, a))}}, {{receive(0, a), receive(0, kAnyTag)}}}};
}

inline Program to_itself() {
    return {
        "to itself",
        {{{send(1, a), in_slot(1, receive(kAnySource, kAnyTag)), send(0, b), receive(kAnySource, kAnyTag), wait(1)}},
         {{receive(0, a), send(0, a)}}}};
}

}  // namespace fairlead::relay::explore::programs
