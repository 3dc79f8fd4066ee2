// SPDX-License-Identifier: Apache-2.0
// The record file, version 5, as docs/reference/profile-record.md describes it: little-endian, a header page and then
// blocks, each of whole pages. src/fairlead/profile/record.py reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fairlead::record {

constexpr std::uint32_t kVersion = 5;
constexpr std::array<char, 8> kMagic{'F', 'A', 'I', 'R', 'L', 'P', 'R', 'F'};
constexpr std::size_t kPage_B = 4096;
constexpr std::size_t kName_B = 48;
constexpr std::size_t kSizeClasses = 65;  // 0 B; then class k holds 2^(k-1) to 2^k - 1 B

enum class State : std::uint32_t { running = 0, finalized = 1, aborted = 2, exited = 3 };
enum class Kind : std::uint32_t {
    names = 1,
    counters = 2,
    peers = 3,
    messages = 4,
    regions = 5,
    call_sites = 6,
    relay = 7,
    collectives = 8
};
enum class End : std::uint8_t { none = 0, send = 1, receive = 2, cancelled = 3, collective = 4 };

// The same moment by the clock that calls are timed with and by CLOCK_MONOTONIC.
struct Moment {
    std::uint64_t ticks;
    std::uint64_t monotonic_ns;
};

struct Header {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t blocks;     // written when the block is complete
    std::uint32_t functions;  // rows of a counters block, entries of the names block
    std::uint32_t pid;
    std::int32_t rank;   // in the world; -1 until it is known
    std::int32_t ranks;  // size of the world; 0 until it is known
    std::uint32_t state;
    std::uint32_t thread_level;  // what the MPI library granted
    Moment opened;               // first MPI call
    Moment checked;              // last look at both clocks; zeros before the first
    std::uint64_t begin_ticks;   // return of MPI_Init; 0 before
    std::uint64_t end_ticks;     // entry of MPI_Finalize or MPI_Abort; 0 before
    std::uint64_t opened_realtime_ns;
    std::array<char, 256> host;
    std::array<char, 1024> program;
    std::array<char, 512> library;
};
static_assert(sizeof(Header) == 1888 && sizeof(Header) <= kPage_B);

struct Block {
    std::uint32_t kind;
    std::uint32_t thread;  // from 0, in the order of their first MPI call; 0 for the names
    std::uint64_t size_B;  // with this head and padding
};

struct Row {
    std::uint64_t calls;
    std::uint64_t ticks;  // inside the function
    std::uint64_t sent_B;
    std::uint64_t received_B;
};

struct Counters {
    Block block;
    std::uint64_t last_ticks;                                // end of the last call
    std::array<std::uint64_t, kSizeClasses> sent_sizes;      // point-to-point messages by size
    std::array<std::uint64_t, kSizeClasses> received_sizes;  //
    std::array<std::uint64_t, kSizeClasses> given_sizes;     // what was given to collective calls
    std::uint64_t polled_ticks;                              // between calls, after a test that found nothing done

    Row* rows() { return reinterpret_cast<Row*>(this + 1); }
};
static_assert(sizeof(Counters) == 16 + 8 + 3 * 520 + 8 && sizeof(Counters) % alignof(Row) == 0);

// Point-to-point messages with one rank of the world. The last entry of a block is for processes outside it.
struct Peer {
    std::uint64_t sent_messages;
    std::uint64_t sent_B;
    std::uint64_t received_messages;
    std::uint64_t received_B;
};

struct Peers {
    Block block;

    Peer* peers() { return reinterpret_cast<Peer*>(this + 1); }
};

// One end of a point-to-point message, in the order in which a thread began them. Its times make up a message's
// (docs/explanation/message-times.md): t_s is when its sender began it, t_rq and t_r are when its receiver needed it
// and was done.
//
// Among them stand collective calls: `size_B` is what the process gives or gets, whichever is more, `peer` the root's
// rank in the world (kNoRoot: none), `tag` how many processes take part and all wait for each other (kNotAll: not all
// of them do, or not in one order), the number the process's rank among them.
struct Message {
    std::uint64_t communicator;    // the same number at both ends
    std::uint64_t size_B;          // of a receive: when it is done
    std::uint64_t begun_ticks;     // entry of the call that described it; of a persistent one, that started it
    std::uint64_t needed_ticks;    // entry of the call that completed it, or of the first test that did not
    std::uint64_t computed_ticks;  // of the time from `needed` to `done`, what the thread computed between its tests
    std::uint64_t done_ticks;      // return of the call that completed it; 0: it is not done
    std::int32_t peer;             // rank in the world; kAnySource until a receive from any is done
    std::int32_t tag;              // kAnyTag likewise
    std::uint16_t function;        // that described it
    std::uint16_t completed_by;
    End end;
    std::array<std::uint8_t, 3> number;  // see number_of()
};
static_assert(sizeof(Message) == 64);
constexpr std::int32_t kAnySource = -2;
constexpr std::int32_t kAnyTag = -1;
constexpr std::int32_t kNoRoot = -1;
constexpr std::int32_t kNotAll = 0;

// The how many-th message with its communicator, sender, receiver and tag it is, in the order of matching, modulo
// kNumbers; kNoNumber where that is not known. It is known only where rings are written.
constexpr std::uint32_t kNumbers = 0xFFFFFF;
constexpr std::uint32_t kNoNumber = 0xFFFFFF;

inline std::uint32_t number_of(const Message& message) {
    return message.number[0] | static_cast<std::uint32_t>(message.number[1]) << 8 |
           static_cast<std::uint32_t>(message.number[2]) << 16;
}

inline std::array<std::uint8_t, 3> number_bytes(std::uint32_t number) {
    return {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8),
            static_cast<std::uint8_t>(number >> 16)};
}

inline void set_number(Message& message, std::uint32_t number) {
    message.number = number_bytes(number);
}

// What is known of a message when it is complete. Of a send `size_B`, `peer` and `tag` are as it began.
struct Ending {
    std::uint64_t size_B;
    std::uint64_t needed_ticks;
    std::uint64_t computed_ticks;
    std::uint64_t done_ticks;
    std::int32_t peer;
    std::int32_t tag;
    std::uint16_t completed_by;

    void write(Message& message) const {
        message.size_B = size_B;
        message.needed_ticks = needed_ticks;
        message.computed_ticks = computed_ticks;
        message.done_ticks = done_ticks;
        message.peer = peer;
        message.tag = tag;
        message.completed_by = completed_by;
    }
};

struct Messages {
    Block block;

    Message* messages() { return reinterpret_cast<Message*>(this + 1); }
};

// What the relay plane did in this process (native/relay): one block, written in MPI_Finalize.
struct Relay {
    std::uint64_t direct;   // messages through the MPI library that might have been relayed
    std::uint64_t relayed;  // messages as frames
    std::uint64_t takeovers;
    std::uint64_t cancelled;      // receives taken back from the library
    std::uint64_t cancel_failed;  // receives that it had matched
    std::uint64_t pulled;         // direct messages taken from it by matched probes
    std::uint64_t held;           // relayed messages that had to wait for direct ones
    std::uint64_t waited;         // relayed messages whose payload waited with the sender
    std::uint64_t retransmitted;  // frames
    std::uint64_t duplicates;     // frames
    std::uint64_t outside;        // messages on communicators that the plane does not carry
};

}  // namespace fairlead::record
