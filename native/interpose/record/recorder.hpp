// SPDX-License-Identifier: Apache-2.0
// What a process records. Every thread counts in blocks of its own: nothing is shared in the common path.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "record/clock.hpp"
#include "record/layout.hpp"
#include "record/ring.hpp"

namespace fairlead::record {

struct CollectiveKind;
class CollectiveSums;

constexpr int kOutsideWorld = -1;  // a peer that is no rank of the world: a spawned or connected process

// A thread that calls MPI, and where it counts. Its blocks pass to the next new thread when it ends.
class Thread {
  public:
    static Thread& current() {
        if (current_ == nullptr) [[unlikely]] {
            current_ = &begin();
        }
        return *current_;
    }

    Counters& counters() { return *counters_; }
    Row& row(std::size_t function) { return rows_[function]; }
    void sent(int world_rank, std::uint64_t size_B) {
        Peer& peer = peer_of(world_rank);
        ++peer.sent_messages;
        peer.sent_B += size_B;
        ++counters_->sent_sizes[size_class(size_B)];
    }
    void received(int world_rank, std::uint64_t size_B) {
        Peer& peer = peer_of(world_rank);
        ++peer.received_messages;
        peer.received_B += size_B;
        ++counters_->received_sizes[size_class(size_B)];
    }
    void gave(std::uint64_t size_B) { ++counters_->given_sizes[size_class(size_B)]; }
    // To a collective call, of which it is known who takes part (record/collective_sums.hpp).
    void gave(const CollectiveKind& kind, std::uint64_t given_B, std::uint64_t got_B);

    // Room for one end of a message that began; null where no more are kept. What is in it is undefined.
    Message* new_message() {
        if (unused_ == nullptr && next_message_ == end_of_messages_ && !keeps_no_more_) [[unlikely]] {
            add_messages();
        }
        if (unused_ != nullptr) {
            Message* const message = unused_;
            unused_ = next_unused(*message);
            --number_unused_;
            return message;
        }
        return next_message_ != end_of_messages_ ? next_message_++ : nullptr;
    }

    // The message, or collective call, is complete, by a call of this thread. Nobody may look at it any more.
    void ended(Message& message, const Ending& ending) {
        if (messages_pass_) {
            ring().push(message, ending);
            return forget(message);
        }
        ending.write(message);
        if (writes_ring_ && message.end != End::collective) {
            ring().push(message);
        }
    }
    // The file keeps no messages, but there are rings.
    bool only_passes_messages() const { return messages_pass_; }
    // One that is complete as it begins.
    void pass(const Message& message) { ring().push(message); }

    // Nothing will be told of the message, unless it stands in the file.
    void forget(Message& message) {
        if (messages_pass_) {
            set_next_unused(message, unused_);
            unused_ = &message;
            if (++number_unused_ > kMostUnused) [[unlikely]] {
                give_away();
            }
        }
    }

    // A test found nothing done. Up to its next call the thread polls, or computes: its processor time tells.
    void found_nothing(std::uint64_t end_ticks) {
        if (!records_) {
            return;  // nobody reads it, and the processor's clock costs a system call
        }
        gap_begin_ticks_ = end_ticks;
        gap_begin_cpu_ns_ = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    void next_call(std::uint64_t begin_ticks) {
        if (gap_begin_ticks_ != 0) [[unlikely]] {
            end_gap(begin_ticks);
        }
    }
    // A call meanwhile was neither. Before and behind a long one, which may take much of the processor, are two gaps.
    void passed_over(std::uint64_t begin_ticks, std::uint64_t end_ticks) {
        if (gap_begin_ticks_ == 0) [[likely]] {
            return;
        }
        if (is_short(end_ticks - begin_ticks)) {
            gap_begin_ticks_ += end_ticks - begin_ticks;
        } else {
            end_gap(begin_ticks);
            found_nothing(end_ticks);
        }
    }
    // Whether the call that began then is the first one after a test that found nothing.
    bool follows_vain_test(std::uint64_t begin_ticks) const { return gap_end_ticks_ == begin_ticks; }

    // A block of its own in the record, of at least `size_B` bytes.
    Block* add_block(Kind kind, std::size_t size_B);

    // Only differences have a meaning.
    std::uint64_t computed_ticks() const { return computed_ticks_; }
    // What the thread has computed since it had `computed_ticks`; 0 where another thread had.
    std::uint64_t computed_since(std::uint64_t computed_ticks) const {
        const std::uint64_t since_ticks = computed_ticks_ - computed_ticks;
        return since_ticks < kMostComputed_ticks ? since_ticks : 0;
    }

    int depth = 0;  // of wrapped calls inside each other: only the outermost counts
    // What the wrappers remember for this thread, and where they note what a call completes. It goes on to the next
    // thread that counts here: calls may come when destructors of thread-local variables have run.
    void* cache = nullptr;
    void* scratch = nullptr;
    struct Probes {
        virtual ~Probes() = default;
    };
    std::unique_ptr<Probes> probes;  // until the thread ends

  private:
    friend class Recorder;
    static Thread& begin();
    static std::size_t size_class(std::uint64_t size_B) { return static_cast<std::size_t>(std::bit_width(size_B)); }
    Peer& peer_of(int world_rank) {
        if (peers_ == nullptr) [[unlikely]] {
            add_peers();
        }
        // As unsigned numbers, what is outside has the largest.
        return peers_[std::min(static_cast<unsigned>(world_rank), static_cast<unsigned>(outside_))];
    }
    RingWriter& ring() {
        if (!ring_) [[unlikely]] {
            add_ring();
        }
        return *ring_;
    }
    // Messages that are not in use are chained by their first field.
    static Message* next_unused(const Message& message) { return std::bit_cast<Message*>(message.communicator); }
    static void set_next_unused(Message& message, Message* next) {
        message.communicator = std::bit_cast<std::uint64_t>(next);
    }
    // What a thread computes at most while it needs a message: 8 days. The counters of two threads are farther apart.
    static constexpr std::uint64_t kMostComputed_ticks = std::uint64_t{1} << 51;
    // A gap in which no more than polling fits.
    static bool is_short(std::uint64_t gap_ticks) { return gap_ticks < ticks_within_100us(); }
    static constexpr std::size_t kMostUnused = 256;
    void give_away();  // what other threads begin, this one may complete

    void add_peers();
    void add_messages();
    void add_ring();
    void end_gap(std::uint64_t begin_ticks);

    inline static thread_local Thread* current_ = nullptr;

    Counters* counters_ = nullptr;
    Row* rows_ = nullptr;
    CollectiveSums* collective_sums_ = nullptr;
    Peer* peers_ = nullptr;
    int outside_ = 0;
    Message* next_message_ = nullptr;
    Message* end_of_messages_ = nullptr;
    std::size_t messages_ = 0;  // it has had room for
    bool keeps_no_more_ = false;
    bool records_ = false;  // into a file or a ring
    bool writes_ring_ = false;
    bool messages_pass_ = false;      // the file keeps none: their room is used again
    std::optional<RingWriter> ring_;  // since its first message was complete: then the rank is known
    Message* unused_ = nullptr;
    std::size_t number_unused_ = 0;
    std::uint64_t gap_begin_ticks_ = 0;  // 0: its last call was no test that found nothing
    std::uint64_t gap_begin_cpu_ns_ = 0;
    std::uint64_t gap_end_ticks_ = 0;
    std::uint64_t computed_ticks_ = 0;  // more in all gaps in which it did not only poll
    std::uint32_t number_ = 0;
};

// What is said of the whole process. The file is made by the first `Thread::current` or `initialized`.
// The names must live for ever. `directory`: of the file; null: there is none. `most_messages`: how many ends of
// messages and collective calls it keeps; where rings are written, too, it keeps all of them or none. `rings`: where
// ends of messages go to as they are complete; null: nowhere.
void configure(const char* directory, const char* const* names, std::size_t functions, std::size_t most_messages,
               const char* rings);
bool keeps_messages();     // in the file or in rings
bool keeps_record();       // there is a file
bool keeps_collectives();  // in the file: rings tell of messages only
bool writes_rings();
std::size_t functions();     // that are counted
void is_of_another_world();  // its ranks are not the job's: agents must not take its messages for those of one
void initialized(int rank, int ranks, int thread_level, const char* library);
void ending(State state);  // MPI_Finalize (still running) or MPI_Abort is entered, or the process exits
void relayed(const Relay& counts);
void finalized();  // MPI_Finalize returned

}  // namespace fairlead::record
