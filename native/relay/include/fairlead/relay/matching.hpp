// SPDX-License-Identifier: Apache-2.0
// The matching of one communicator in one process: which of the messages that come by two paths meets which receive.
//
// Without takeover the MPI library matches, and this class only keeps the books: receives that the library holds, and
// native messages accounted for, by source. Under takeover it matches itself: receives are here, native messages are
// pulled into it one by one, and relayed ones join when every native message that was sent before them is accounted
// for. docs/explanation/relay-plane.md has the rules by number and the argument why they suffice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "fairlead/relay/types.hpp"

namespace fairlead::relay {

/// A receive met a message.
struct Match {
    ReceiveId receive = 0;
    Arrival arrival;
    auto fields() const { return std::tie(receive, arrival); }
    friend bool operator==(const Match&, const Match&) = default;
};

/// What an event led to, in order.
struct Effects {
    std::vector<Match> matches;
    std::vector<Process> released;  ///< senders of the relayed messages that joined the matching, one entry each
};

class MatchingQueue {
  public:
    /// sources: ranks that messages can come from (the size of the group, or of the remote group).
    explicit MatchingQueue(Rank sources) : sources_(static_cast<std::size_t>(sources)) {}

    Rank sources() const { return static_cast<Rank>(sources_.size()); }

    // Takeover.

    bool taken_over() const { return taken_over_; }
    /// Taken over, and the library holds no receive of this communicator that could still match: messages may be
    /// pulled from it, and relayed ones may match.
    bool settled() const { return taken_over_ && open_native_ == 0; }
    /// From now on receives are matched here. The caller then cancels what next_to_cancel() names until it names none.
    void take_over(Effects& effects);
    /// The receive to be taken from the library next: the youngest that it may still match. Youngest first, so that
    /// what the library holds is always older than what it does not hold.
    std::optional<ReceiveId> next_to_cancel() const;
    /// The library gave the receive back unmatched.
    void cancelled(ReceiveId receive, Effects& effects);
    /// The library had matched it; native_completed() follows once its source is known.
    void cancel_failed(ReceiveId receive, Effects& effects);
    /// Whether nothing is left that only this queue knows.
    bool may_return() const { return settled() && posted_.empty() && unexpected_.empty() && held_ == 0; }
    /// Whether the library has a receive, matched or not, whose message is not accounted for.
    bool library_has_receives() const { return !native_.empty(); }
    std::size_t library_receives() const { return native_.size(); }
    /// Whether no receive and no message of this communicator is known, here or in the library.
    bool idle() const { return native_.empty() && posted_.empty() && unexpected_.empty() && held_ == 0; }
    /// Whether a receive, matched or not, waits here or in the library.
    bool has_receives() const { return !native_.empty() || !posted_.empty(); }
    /// Under takeover: whether the library has a receive to give back, or may have a message that something waits for.
    bool awaits_library() const { return taken_over_ && (open_native_ > 0 || !posted_.empty() || held_ > 0); }
    /// Receives go to the library again. Throws std::logic_error unless may_return().
    void return_to_native();

    // Receives and probes of the program.

    enum class Posting : std::uint8_t { native, queued, matched };
    /// Ids grow with every call. native: the caller posts it to the library. matched: the match is in `effects`.
    Posting post(ReceiveId receive, Pattern pattern, Effects& effects);
    /// The program cancels a receive; whether it was still queued here.
    bool withdraw(ReceiveId receive) { return posted_.erase(receive) == 1; }
    /// Relayed messages that no receive has got: those that have joined the matching, and those that have not.
    std::vector<Relayed> unexpected_relayed() const;
    std::vector<Relayed> held_back() const;
    /// The message that a receive posted now would get. For a probe; nothing changes.
    const Arrival* probe(Pattern pattern) const;
    /// The same for a matched probe: the message is taken out.
    std::optional<Arrival> extract(Pattern pattern);

    // Messages.

    /// A receive that the library holds is complete, with a message from `source`.
    void native_completed(ReceiveId receive, Rank source, Effects& effects);
    /// The library holds it no longer, and no message came: the program had it cancelled there.
    void native_cancelled(ReceiveId receive, Effects& effects);
    /// A native message left the library for the program without a receive (a matched probe without takeover).
    void native_extracted(Rank source, Effects& effects);
    /// A native message was taken from the library for this queue. Needs settled().
    void pulled(NativeHandle handle, Rank source, Tag tag, Effects& effects);
    /// A relayed message is here, in the order of its sender. native_before: native messages that its sender had sent
    /// to this process on this communicator. Takes over by itself. Throws ProtocolError for a source out of range or
    /// a native_before that cannot be.
    void relayed(const Relayed& message, Rank source, Tag tag, std::uint64_t native_before, Effects& effects);

    /// Native messages from `source` accounted for: completed, or taken from the library.
    std::uint64_t accounted(Rank source) const { return sources_.at(static_cast<std::size_t>(source)).accounted; }
    std::size_t posted() const { return posted_.size(); }
    std::size_t unexpected() const { return unexpected_.size(); }
    std::size_t held() const { return held_; }

    auto fields() const { return std::tie(taken_over_, native_, open_native_, posted_, unexpected_, sources_, held_); }

  private:
    struct NativeReceive {
        Pattern pattern;
        bool matched = false;  ///< cancelling it failed: the library matched it
        auto fields() const { return std::tie(pattern, matched); }
    };
    struct Held {
        Relayed message;
        Tag tag = 0;
        std::uint64_t native_before = 0;
        auto fields() const { return std::tie(message, tag, native_before); }
    };
    struct Source {
        std::uint64_t accounted = 0;
        std::list<Held> held;  ///< relayed messages that native ones must go before; mostly none of a thousand sources
        auto fields() const { return std::tie(accounted, held); }
    };

    Source& source(Rank rank) { return sources_.at(static_cast<std::size_t>(rank)); }
    void drop_native(ReceiveId receive);
    void account(Rank rank, Effects& effects);
    void release(Rank rank, Effects& effects);
    void release_all(Effects& effects);
    void offer(const Arrival& arrival, Effects& effects);
    std::list<Arrival>::const_iterator find(Pattern pattern) const;

    bool taken_over_ = false;
    std::map<ReceiveId, NativeReceive> native_;  ///< held by the library, in posting order
    std::size_t open_native_ = 0;                ///< of them not known to be matched
    std::map<ReceiveId, Pattern> posted_;        ///< held here, in posting order
    std::list<Arrival> unexpected_;              ///< in the order in which they joined the matching
    std::vector<Source> sources_;
    std::size_t held_ = 0;
};

}  // namespace fairlead::relay
