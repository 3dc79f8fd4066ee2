// SPDX-License-Identifier: Apache-2.0
// Joins the ends of messages: of those that a rank of this host waited for, the sender's agent is asked when they were
// sent, so many a second at most. Time is an argument; what is to be sent is taken by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "fairlead/core/clock_sync.hpp"
#include "fairlead/core/message_times.hpp"
#include "fairlead/core/rank_pairs.hpp"
#include "fairlead/core/sent_messages.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"

namespace fairlead::core {

/// One end of a message that a rank of this host completed; times by this host's clock.
struct MessageEnd {
    bool sends = false;
    wire::MessageKey key;  ///< a number of wire::kMessageNumbers: not known
    std::uint64_t size_B = 0;
    std::int64_t begun_ns = 0;
    std::int64_t needed_ns = 0;
    std::int64_t waiting_from_ns = 0;  ///< see ReceiveTimes
    std::int64_t done_ns = 0;
    bool computed = false;
    /// Of a receive: what its thread did since it received last outside of calls that complete messages. The same for
    /// all that one call completed.
    std::int64_t processing_ns = 0;
};

/// A message that was joined.
struct NetworkTime {
    HostId source = kNoHost;
    std::uint32_t source_rank = 0;
    std::uint32_t rank = 0;
    std::uint64_t size_B = 0;
    double latency_s = 0.0;
    double error_s = 0.0;       ///< of the two clocks
    bool certain_path = false;  ///< the call that it was waited for in received from no other host
};

/// Messages from one host, over some time.
struct PairTimes {
    HostId source = kNoHost;
    std::uint64_t messages = 0;
    std::uint64_t size_B = 0;    ///< of all of them
    std::uint64_t waits = 0;     ///< calls that waited; each stands with the message that came last, as far as is known
    double waited_s = 0.0;       ///< by them
    double known_s = 0.0;        ///< of that, by those that were joined
    double network_s = 0.0;      ///< of what is known: after the message had been sent
    double late_sender_s = 0.0;  ///< before that
    std::vector<double> latencies_s;  ///< of joined messages, the first kMostLatencies
    double error_s = 0.0;             ///< the largest of their clocks
};

class MessageMonitor {
  public:
    static constexpr std::size_t kMostLatencies = 512;

    /// `acknowledge`: which messages are timed for notices. Sums of pairs are of what was waited for, whatever it is.
    MessageMonitor(HostId self, HostId hosts, const MessageSettings& settings,
                   Acknowledge acknowledge = Acknowledge::waited);

    /// The ends that one call of a rank completed, in any order.
    void completed(std::span<const MessageEnd> call, Time now);
    void place(std::uint32_t rank, HostId host);
    void asked(HostId from, const wire::SendQuery& query, Time now);
    /// `clock`: of that peer, at the moment `at_ns` of the own clock; nothing: not known yet.
    void told(HostId from, const wire::SendReport& report, const std::optional<ClockEstimate>& clock,
              std::int64_t at_ns);
    /// Forgets what is not answered any more, and asks what is due.
    void tick(Time now);
    /// What is not answered now will not be: its waiting counts, unexplained.
    void forget_open();

    struct Outgoing {
        HostId to = kNoHost;
        wire::Message message;
    };
    /// Each of these since the last call.
    std::vector<Outgoing> take_outgoing();
    std::vector<NetworkTime> take_times();
    std::vector<PairTimes> take_pairs();
    /// So many at most; also of messages inside the host. What is left is taken later.
    std::vector<RankPairTimes> take_rank_pairs(std::size_t most) { return rank_pairs_.take(most); }

    /// Messages whose ends do not belong together, ever: threads that send at the same time.
    std::uint64_t mismatches() const { return mismatches_; }

  private:
    struct Receive {
        wire::MessageKey key;
        HostId source = kNoHost;
        std::uint64_t size_B = 0;
        ReceiveTimes times;
        std::optional<SendTimes> send;
        double error_s = 0.0;
    };
    /// A call whose messages are asked for.
    struct Wait {
        std::vector<Receive> receives;
        bool waited = true;  ///< false: only asked for because all messages are acknowledged
        double processing_s = 0.0;
        std::uint32_t first_token = 0;
        std::size_t unanswered = 0;
        bool failed = false;  ///< an end belongs to another message, or its clock is not known
        Time deadline = 0.0;
    };
    struct AskedReceive {
        std::uint32_t wait = 0;
        std::size_t receive = 0;
    };
    struct Due {
        std::vector<wire::AskedSend> entries;
        bool urgent = false;
        Time asked = -1e9;  ///< the last time
    };

    void count_unplaced(const MessageEnd& end, bool alone);
    void send(const MessageEnd& end);
    void receive(std::vector<Receive> receives, double processing_s, Time now);
    void ask(Wait wait, bool urgent, Time now);
    void answer_asked();
    void answered(const wire::ToldSend& told, HostId from, const std::optional<ClockEstimate>& clock,
                  std::int64_t at_ns);
    void join(const Wait& wait);
    void give_up(Time until);
    void flush(HostId host, Time now);
    bool afford(std::size_t number, Time now);
    PairTimes& pair(HostId source);
    RankPairTimes& rank_pair(const Receive& receive);
    void add_wait(const Receive& receive, const MessageTimes* times);

    HostId self_;
    HostId hosts_;
    MessageSettings settings_;
    Acknowledge acknowledge_;
    SentMessages sent_;
    std::unordered_map<std::uint32_t, HostId> places_;
    std::unordered_map<std::uint32_t, PairTimes> unplaced_;  ///< by source, of which it is not known where it runs
    std::unordered_map<std::uint32_t, Wait> waits_;
    std::unordered_map<std::uint32_t, AskedReceive> tokens_;
    std::uint32_t next_token_ = 0;
    std::uint32_t next_wait_ = 0;
    std::vector<Due> due_;  ///< by host
    double budget_;
    Time refilled_ = 0.0;
    std::vector<PairTimes> pairs_;  ///< by host
    RankPairs rank_pairs_;
    std::vector<NetworkTime> times_;
    std::vector<Outgoing> outgoing_;
    std::uint64_t mismatches_ = 0;
};

}  // namespace fairlead::core
