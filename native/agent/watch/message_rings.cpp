// SPDX-License-Identifier: Apache-2.0
#include "watch/message_rings.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <system_error>
#include <utility>

#include "process/unique_fd.hpp"
#include "record/pid_namespace.hpp"

namespace fairlead::agent {

namespace {

/// A directory's time of change has the resolution of a tick, at most 10 ms: what comes within the same one as the last
/// look does not show in it.
constexpr std::int64_t kSettled_ns = 50'000'000;

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

core::MessageEnd end_of(const record::Message& message, std::uint32_t rank) {
    core::MessageEnd end;
    end.sends = message.end == record::End::send;
    const auto peer = static_cast<std::uint32_t>(message.peer);
    end.key = {message.communicator, end.sends ? rank : peer, end.sends ? peer : rank, message.tag,
               record::number_of(message)};
    end.size_B = message.size_B;
    end.computed = message.computed_ticks > 0;
    return end;
}

}  // namespace

MessageRings::Stamps::Stamps(const record::Moment& first, const Clock& clock) : clock_(clock), now_(record::now()) {
    const std::int64_t since_ns = read_clock_ns(CLOCK_MONOTONIC) - static_cast<std::int64_t>(now_.monotonic_ns);
    realtime_ns_ = read_clock_ns(CLOCK_REALTIME) - since_ns;
    const auto ticks = static_cast<double>(now_.ticks - first.ticks);
    ns_per_tick_ = ticks > 0 ? static_cast<double>(now_.monotonic_ns - first.monotonic_ns) / ticks : 0.0;
}

std::int64_t MessageRings::Stamps::ns(std::uint64_t ticks) const {
    const auto ago = static_cast<std::int64_t>(now_.ticks - ticks);
    return clock_.shifted(realtime_ns_ - std::llround(static_cast<double>(ago) * ns_per_tick_));
}

MessageRings::MessageRings(std::string directory, const Clock& clock, Log log)
    : directory_(std::move(directory)), clock_(clock), first_(record::now()), log_(std::move(log)) {}

MessageRings::~MessageRings() {
    for (const Mapped& mapped : rings_) munmap(mapped.ring, record::kRing_B);
}

void MessageRings::drain(const Take& take) {
    find_new();
    if (rings_.empty()) return;
    const Stamps stamps(first_, clock_);
    std::uint64_t left = kMostRecords;
    for (std::size_t rings = rings_.size(); rings > 0 && left > 0; --rings) {
        if (next_ >= rings_.size()) next_ = 0;
        left -= drain_one(rings_[next_++], stamps, left, take);
    }
    free_ended();
}

/// One owner after another is looked at, one at each look: it costs a system call or two. Those of a program end
/// together, and its rings are beside each other.
void MessageRings::free_ended() {
    for (std::size_t freed = 0; freed < kMostFreed && !rings_.empty(); ++freed) {
        if (suspect_ >= rings_.size()) suspect_ = 0;
        const Mapped& mapped = rings_[suspect_];
        if (!mapped.owner || !mapped.owner->ended()) {
            ++suspect_;
            return;
        }
        if (!mapped.reader.empty()) return;
        release(suspect_);
    }
}

void MessageRings::release(std::size_t place) {
    const Mapped& mapped = rings_[place];
    dropped_by_freed_ += mapped.reader.dropped();
    munmap(mapped.ring, record::kRing_B);
    // A name that stays is still known: it is not mapped again.
    if (unlink((directory_ + "/" + mapped.name).c_str()) == 0) names_.erase(mapped.name);
    rings_.erase(rings_.begin() + static_cast<std::ptrdiff_t>(place));
    if (next_ > place) --next_;
    seen_.reset();  // there is room for one more
}

/// Records of one call follow each other and have one time of return.
std::uint64_t MessageRings::drain_one(Mapped& mapped, const Stamps& stamps, std::uint64_t most, const Take& take) {
    std::uint64_t done_ticks = 0;
    std::int64_t done_ns = 0;
    std::int64_t computed_ns = 0;
    call_.clear();
    const auto one = [&](const record::Message& shared) {
        const record::Message message = shared;
        ++read_;
        if (message.end != record::End::send && message.end != record::End::receive) return;
        if (message.peer < 0) return;  // outside the world
        if (message.done_ticks != done_ticks) {
            finish_call(mapped, done_ns, computed_ns, take);
            done_ticks = message.done_ticks;
            done_ns = stamps.ns(done_ticks);
            computed_ns = 0;
        }
        computed_ns = std::max(computed_ns, stamps.duration_ns(message.computed_ticks));
        core::MessageEnd& end = call_.emplace_back(end_of(message, mapped.rank));
        end.begun_ns = std::min(stamps.ns(message.begun_ticks), done_ns);
        end.needed_ns = std::min(stamps.ns(message.needed_ticks), done_ns);
        end.waiting_from_ns = std::max(end.needed_ns, mapped.waited_until_ns);
        end.done_ns = done_ns;
    };
    const std::uint64_t number = mapped.reader.drain(one, most);
    finish_call(mapped, done_ns, computed_ns, take);
    return number;
}

/// What the thread did before a call that only sends is counted with the next one that receives.
void MessageRings::finish_call(Mapped& mapped, std::int64_t done_ns, std::int64_t computed_ns, const Take& take) {
    if (call_.empty()) return;
    const auto first = std::ranges::min_element(call_, {}, &core::MessageEnd::needed_ns);
    const std::int64_t entered_ns = std::max(first->needed_ns, mapped.inside_until_ns);
    if (mapped.inside_until_ns > 0) mapped.processing_ns += entered_ns - mapped.inside_until_ns;
    mapped.processing_ns += std::clamp<std::int64_t>(computed_ns, 0, std::max<std::int64_t>(done_ns - entered_ns, 0));
    mapped.inside_until_ns = std::max(done_ns, mapped.inside_until_ns);
    if (std::ranges::any_of(call_, [](const auto& end) { return !end.sends; })) {
        for (core::MessageEnd& end : call_) end.processing_ns = mapped.processing_ns;
        mapped.processing_ns = 0;
        mapped.waited_until_ns = done_ns;
    }
    take(call_);
    call_.clear();
}

void MessageRings::find_new() {
    struct stat now {};
    if (stat(directory_.c_str(), &now) != 0) return;  // removed: the run is over
    const timespec changed = now.st_mtim;
    if (seen_ && changed.tv_sec == seen_->tv_sec && changed.tv_nsec == seen_->tv_nsec) return;
    const bool may_change_again = nanoseconds(changed) > read_clock_ns(CLOCK_REALTIME) - kSettled_ns;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(directory_.c_str()), closedir);
    if (listing == nullptr) return;
    bool all = true;
    while (const dirent* entry = readdir(listing.get())) {
        const std::string name = entry->d_name;
        if (!name.ends_with(".ring") || rings_.size() >= kMostRings || names_.contains(name)) continue;
        if (map(name)) {
            names_.insert(name);
        } else {
            all = false;
        }
    }
    seen_ = all && !may_change_again ? std::optional(changed) : std::nullopt;
}

/// What is no ring of ours is left alone. False if that cannot be told now: descriptors or memory may be short.
bool MessageRings::map(const std::string& name) {
    const UniqueFd file(open((directory_ + "/" + name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EINTR)) {
        put_off(name, "open");
        return false;
    }
    struct stat facts {};
    if (!file || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return true;
    if (facts.st_size != static_cast<off_t>(record::kRing_B)) return true;
    void* const memory = mmap(nullptr, record::kRing_B, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) {
        put_off(name, "mmap");
        return false;
    }
    auto* const ring = static_cast<record::Ring*>(memory);
    if (ring->magic != record::kRingMagic || ring->version != record::kRingVersion || ring->rank < 0) {
        munmap(memory, record::kRing_B);
        return true;
    }
    const auto rank = static_cast<std::uint32_t>(ring->rank);
    std::optional<OtherProcess> owner;
    if (ring->pid_namespace != 0 && ring->pid_namespace == record::pid_namespace()) {
        owner = OtherProcess::now(static_cast<pid_t>(ring->pid));
    }
    rings_.push_back({ring, record::RingReader(ring), rank, owner, name});
    ranks_.insert(rank);
    return true;
}

/// It is tried again at each look, and told of once.
void MessageRings::put_off(const std::string& name, const char* what) {
    const std::string why = std::generic_category().message(errno);
    if (put_off_.insert(name).second) log_("messages in " + name + " are not read yet: " + what + ": " + why);
}

std::uint64_t MessageRings::dropped() const {
    std::uint64_t sum = dropped_by_freed_;
    for (const Mapped& mapped : rings_) sum += mapped.reader.dropped();
    return sum;
}

}  // namespace fairlead::agent
