// SPDX-License-Identifier: Apache-2.0
// The rings that the ranks of this host write the ends of their messages to (native/interpose/record/ring.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fairlead/core/message_monitor.hpp"
#include "process/clock.hpp"
#include "process/other_process.hpp"
#include "record/clock.hpp"
#include "record/ring.hpp"

namespace fairlead::agent {

class MessageRings {
  public:
    /// Of the messages that one call completed.
    using Take = std::function<void(std::span<const core::MessageEnd> call)>;

    using Log = std::function<void(const std::string& text)>;

    /// Threads of ranks on one host; more are not looked at.
    static constexpr std::size_t kMostRings = 4096;
    /// Read at a time: probes and other agents wait meanwhile.
    static constexpr std::uint64_t kMostRecords = 16384;
    /// Freed at a time, likewise.
    static constexpr std::size_t kMostFreed = 64;
    /// After so many nothing is left of what was there.
    static constexpr std::size_t kMostLooks = kMostRings * record::kRingRecords / kMostRecords;

    /// Rings appear in `directory` while the program runs. `log` is told of those that cannot be read at present.
    MessageRings(std::string directory, const Clock& clock, Log log);
    ~MessageRings();
    MessageRings(const MessageRings&) = delete;
    MessageRings& operator=(const MessageRings&) = delete;

    /// Reads what is there, but no more at a time than takes some milliseconds: what is left comes with the next call,
    /// other rings first. Rings of processes that have ended are removed once they are empty.
    void drain(const Take& take);

    /// Ranks of which a ring was found so far.
    const std::set<std::uint32_t>& ranks() const { return ranks_; }
    /// Messages that ranks had no room for, ever.
    std::uint64_t dropped() const;
    std::uint64_t read() const { return read_; }

  private:
    struct Mapped {
        record::Ring* ring;
        record::RingReader reader;
        std::uint32_t rank;
        std::optional<OtherProcess> owner;  ///< nothing: its number is of another namespace
        std::string name;
        std::int64_t waited_until_ns = 0;  ///< return of the last call that completed a receive
        std::int64_t inside_until_ns = 0;  ///< return of the last call that completed a send or receive; 0: none did
        std::int64_t processing_ns = 0;    ///< outside of such calls, since that which completed a receive
    };
    /// From the ranks' counter to this host's clock, by the counter's rate since the agent began.
    class Stamps {
      public:
        Stamps(const record::Moment& first, const Clock& clock);
        std::int64_t ns(std::uint64_t ticks) const;
        std::int64_t duration_ns(std::uint64_t ticks) const {
            return std::llround(static_cast<double>(ticks) * ns_per_tick_);
        }

      private:
        const Clock& clock_;
        record::Moment now_;
        std::int64_t realtime_ns_;
        double ns_per_tick_;
    };
    void find_new();
    bool map(const std::string& name);
    void free_ended();
    void release(std::size_t place);
    void put_off(const std::string& name, const char* what);
    std::uint64_t drain_one(Mapped& mapped, const Stamps& stamps, std::uint64_t most, const Take& take);
    void finish_call(Mapped& mapped, std::int64_t done_ns, std::int64_t computed_ns, const Take& take);

    std::string directory_;
    const Clock& clock_;
    record::Moment first_;
    Log log_;
    std::optional<timespec> seen_;   ///< the directory's last change, where there is nothing more to be seen of it
    std::set<std::string> names_;    ///< looked at, rings or not
    std::set<std::string> put_off_;  ///< told of
    std::vector<Mapped> rings_;
    std::size_t next_ = 0;     ///< the ring that is read first
    std::size_t suspect_ = 0;  ///< the ring whose owner is looked at next
    std::uint64_t dropped_by_freed_ = 0;
    std::set<std::uint32_t> ranks_;
    std::vector<core::MessageEnd> call_;  ///< kept for its memory
    std::uint64_t read_ = 0;
};

}  // namespace fairlead::agent
