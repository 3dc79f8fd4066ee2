// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "record/collective_sums.hpp"
#include "record/file.hpp"
#include "record/ring_file.hpp"

namespace fairlead::record {

namespace {

// Between two polls a thread may look at a queue or give the processor away. What takes more of the processor is work.
constexpr std::uint64_t kPolling_ns = 100'000;  // seen for giving the processor away: up to 30 us, 130 us at worst
// A process has 65530 mappings at most (vm.max_map_count), and the program wants some: blocks grow. Their room is taken
// ahead, so a block is no larger than what its thread keeps already, nor than a small part of what all may keep.
constexpr std::size_t kLeastInBlock = 32 * kPage_B / sizeof(Message) - 1;  // the first place is the head's
constexpr std::size_t kMostInBlock = (std::size_t{1} << 26) / sizeof(Message) - 1;
constexpr std::size_t kPartsOfAll = 64;
static_assert(sizeof(Messages) <= sizeof(Message));

// A copy: a program may write its title where its environment was.
const char* copied(const char* text) {
    const char* const copy = strdup(text);
    return copy != nullptr ? copy : text;
}

}  // namespace

// The process's file and threads. One object, made again in a forked child.
class Recorder {
  public:
    static void configure(const char* directory, const char* const* names, std::size_t functions,
                          std::size_t most_messages, const char* rings) {
        directory_ = directory != nullptr ? copied(directory) : "";
        rings_ = rings != nullptr ? copied(rings) : nullptr;
        names_ = names;
        functions_ = functions;
        most_messages_ = directory == nullptr ? 0 : most_messages;
        if (rings != nullptr && most_messages_ > 0) {
            most_messages_ = SIZE_MAX;  // no thread has two kinds of messages
        }
        has_end_of_thread_ =
            pthread_key_create(&end_of_thread_, [](void* thread) { get().end(*static_cast<Thread*>(thread)); }) == 0;
        // The child counts in a file of its own; what the parent counted stays the parent's.
        pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); }, begin_again);
    }

    static Recorder& get() {
        static Recorder* const recorder = new Recorder();  // never destroyed: threads may outlive main
        return *recorder;
    }

    Thread& begin() {
        const std::scoped_lock lock(mutex_);
        if (idle_.empty()) {
            idle_.push_back(make_thread());
        }
        Thread* thread = idle_.back();
        idle_.pop_back();
        if (has_end_of_thread_) {  // else the process has no more keys, and blocks stay the thread's
            pthread_setspecific(end_of_thread_, thread);
        }
        return *thread;
    }

    void end(Thread& thread) {
        const std::scoped_lock lock(mutex_);
        Thread::current_ = nullptr;  // destructors of other keys may still call MPI
        // What the thread did last is nothing that the next one does.
        thread.gap_begin_ticks_ = 0;
        thread.gap_end_ticks_ = 0;
        thread.probes.reset();
        idle_.push_back(&thread);
    }

    void add_peers(Thread& thread) {
        const std::scoped_lock lock(mutex_);
        const auto ranks = static_cast<std::size_t>(std::max(file().header().ranks, 0));
        const std::size_t size_B = sizeof(Peers) + (ranks + 1) * sizeof(Peer);
        thread.peers_ = static_cast<Peers*>(file().add(Kind::peers, thread.number_, size_B))->peers();
        thread.outside_ = static_cast<int>(ranks);
    }

    void add_messages(Thread& thread) {
        const std::scoped_lock lock(mutex_);
        if (thread.messages_pass_) {
            return add_passing_messages(thread);
        }
        const std::size_t most = std::clamp(most_messages_ / kPartsOfAll, kLeastInBlock, kMostInBlock);
        const std::size_t in_block = std::clamp(thread.messages_, kLeastInBlock, most);
        const std::size_t number = std::min(in_block, most_messages_ - messages_);
        Message* first = nullptr;
        if (number > 0 && file().is_written()) {
            const std::size_t size_B = sizeof(Messages) + number * sizeof(Message);
            first = static_cast<Messages*>(file().add(Kind::messages, thread.number_, size_B))->messages();
            messages_ += number;
            thread.messages_ += number;
        }
        thread.keeps_no_more_ = first == nullptr;
        thread.next_message_ = first;
        thread.end_of_messages_ = first != nullptr ? first + number : nullptr;
    }

    Block* add_block(Thread& thread, Kind kind, std::size_t size_B) {
        const std::scoped_lock lock(mutex_);
        return static_cast<Block*>(file().add(kind, thread.number_, size_B));
    }

    void add_ring(Thread& thread) {
        const std::scoped_lock lock(mutex_);
        const std::int32_t rank = file().header().rank;
        thread.ring_.emplace(is_jobs_rank_ ? make_ring(rings_, rank, thread.number_)
                                           : unread_ring(rank, thread.number_));
    }

    void give_away(Thread& thread) {
        const std::scoped_lock lock(mutex_);
        for (; thread.number_unused_ > Thread::kMostUnused / 2; --thread.number_unused_) {
            given_away_.push_back(thread.unused_);
            thread.unused_ = Thread::next_unused(*thread.unused_);
        }
    }

    static std::size_t functions() { return functions_; }
    static bool keeps_messages() { return most_messages_ > 0 || writes_rings(); }
    static bool keeps_record() { return *directory_ != '\0'; }
    static bool keeps_collectives() { return most_messages_ > 0; }
    static bool writes_rings() { return rings_ != nullptr; }
    static void is_of_another_world() { is_jobs_rank_ = false; }

    template <class Change>
    void change(Change&& change_header) {
        const std::scoped_lock lock(mutex_);
        change_header(file().header());
    }

    // Not where there is no file. For a second at most: a handler of a signal may call MPI_Abort, or exit, while its
    // own thread has the lock, and makes room in the file.
    template <class Change>
    void change_at_end(Change&& change_header) {
        for (int attempt = 0; attempt < 1000; ++attempt) {
            if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
                if (file_ != nullptr) {
                    change_header(file_->header());
                }
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

  private:
    File& file() {
        if (file_ == nullptr) {
            file_ = new File(directory_);
            file_->header().functions = static_cast<std::uint32_t>(functions_);
            void* block = file_->add(Kind::names, 0, sizeof(Block) + functions_ * kName_B);
            char* entry = static_cast<char*>(block) + sizeof(Block);
            for (std::size_t function = 0; function < functions_; ++function, entry += kName_B) {
                std::strncpy(entry, names_[function], kName_B - 1);
            }
        }
        return *file_;
    }

    // Room for messages until they are complete and in a ring. With the lock held.
    void add_passing_messages(Thread& thread) {
        for (std::size_t taken = 0; taken < Thread::kMostUnused / 2 && !given_away_.empty(); ++taken) {
            Thread::set_next_unused(*given_away_.back(), thread.unused_);
            thread.unused_ = given_away_.back();
            ++thread.number_unused_;
            given_away_.pop_back();
        }
        // Only where none was given away: one thread may begin for ever what another one completes.
        if (thread.unused_ == nullptr) {
            constexpr std::size_t kAtATime = 64;
            thread.next_message_ = new Message[kAtATime];
            thread.end_of_messages_ = thread.next_message_ + kAtATime;
        }
    }

    Thread* make_thread() {
        auto* thread = new Thread();
        thread->number_ = threads_++;
        thread->computed_ticks_ = 2 * Thread::kMostComputed_ticks * thread->number_;
        const std::size_t size_B = sizeof(Counters) + functions_ * sizeof(Row);
        thread->counters_ = static_cast<Counters*>(file().add(Kind::counters, thread->number_, size_B));
        thread->rows_ = thread->counters_->rows();
        thread->records_ = *directory_ != '\0' || rings_ != nullptr;
        thread->writes_ring_ = rings_ != nullptr;
        thread->messages_pass_ = rings_ != nullptr && most_messages_ == 0;
        return thread;
    }

    static void begin_again() {
        Recorder& recorder = get();
        recorder.mutex_.unlock();  // locked for the fork
        recorder.~Recorder();      // what it points to stays mapped, and unused
        new (&recorder) Recorder();
        Thread::current_ = nullptr;
    }

    inline static const char* directory_ = "";
    inline static const char* rings_ = nullptr;
    inline static const char* const* names_ = nullptr;
    inline static std::size_t functions_ = 0;
    inline static std::size_t most_messages_ = 0;
    inline static pthread_key_t end_of_thread_;
    inline static bool has_end_of_thread_ = false;
    inline static bool is_jobs_rank_ = true;

    std::mutex mutex_;
    File* file_ = nullptr;
    std::vector<Thread*> idle_;
    std::uint32_t threads_ = 0;
    std::size_t messages_ = 0;  // there is room for
    std::vector<Message*> given_away_;
};

Thread& Thread::begin() {
    return Recorder::get().begin();
}

void Thread::add_peers() {
    Recorder::get().add_peers(*this);
}

void Thread::add_messages() {
    Recorder::get().add_messages(*this);
}

void Thread::add_ring() {
    Recorder::get().add_ring(*this);
}

void Thread::give_away() {
    Recorder::get().give_away(*this);
}

Block* Thread::add_block(Kind kind, std::size_t size_B) {
    return Recorder::get().add_block(*this, kind, size_B);
}

void Thread::gave(const CollectiveKind& kind, std::uint64_t given_B, std::uint64_t got_B) {
    if (collective_sums_ == nullptr) {
        collective_sums_ = new CollectiveSums(*this);  // for whoever has the thread's blocks, for ever
    }
    collective_sums_->count(kind, given_B, got_B);
}

void Thread::end_gap(std::uint64_t begin_ticks) {
    const std::uint64_t gap_ticks = begin_ticks - std::exchange(gap_begin_ticks_, 0);
    const bool polled = is_short(gap_ticks) || clock_ns(CLOCK_THREAD_CPUTIME_ID) - gap_begin_cpu_ns_ < kPolling_ns;
    (polled ? counters_->polled_ticks : computed_ticks_) += gap_ticks;
    gap_end_ticks_ = begin_ticks;
}

void configure(const char* directory, const char* const* names, std::size_t functions, std::size_t most_messages,
               const char* rings) {
    Recorder::configure(directory, names, functions, most_messages, rings);
}

bool keeps_messages() {
    return Recorder::keeps_messages();
}

bool keeps_record() {
    return Recorder::keeps_record();
}

bool keeps_collectives() {
    return Recorder::keeps_collectives();
}

bool writes_rings() {
    return Recorder::writes_rings();
}

std::size_t functions() {
    return Recorder::functions();
}

void is_of_another_world() {
    Recorder::is_of_another_world();
}

void initialized(int rank, int ranks, int thread_level, const char* library) {
    Recorder::get().change([&](Header& header) {
        header.rank = rank;
        header.ranks = ranks;
        header.thread_level = static_cast<std::uint32_t>(thread_level);
        std::strncpy(header.library.data(), library, header.library.size() - 1);
        header.checked = now();
        header.begin_ticks = ticks();
    });
}

void ending(State state) {
    // A process that called no MPI leaves no file.
    if (!Recorder::keeps_record()) {
        return;
    }
    Recorder::get().change_at_end([&](Header& header) {
        if (header.end_ticks == 0) {
            header.end_ticks = ticks();
            header.checked = now();
            header.state = static_cast<std::uint32_t>(state);
        }
    });
}

void relayed(const Relay& counts) {
    Block* const block = Thread::current().add_block(Kind::relay, sizeof(Block) + sizeof counts);
    *reinterpret_cast<Relay*>(block + 1) = counts;
}

void finalized() {
    Recorder::get().change([](Header& header) { header.state = static_cast<std::uint32_t>(State::finalized); });
}

}  // namespace fairlead::record
