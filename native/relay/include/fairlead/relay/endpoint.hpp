// SPDX-License-Identifier: Apache-2.0
// The relay plane's end in one process: decides per message between the MPI library and the agents, matches what
// comes by either, and keeps what must not get lost. Pure: whoever owns it calls the MPI library, moves frames and
// payload bytes, and gives the time.
//
// One call at a time: with MPI_THREAD_MULTIPLE the owner holds a lock over a call here and the native call that it
// announces (post_receive and a receive, next_to_cancel and a cancellation, pulled and its matched probe).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/relay/frame.hpp"
#include "fairlead/relay/link.hpp"
#include "fairlead/relay/matching.hpp"
#include "fairlead/relay/types.hpp"

namespace fairlead::relay {

struct Settings {
    std::uint64_t inline_limit_B = 4096;  ///< payloads up to this come with their envelope, while there is credit
    std::uint64_t credit_B = 1U << 20;    ///< payload of one sender that a receiver keeps for receives to come
    std::uint64_t piece_B = 65536;        ///< longest piece of a pulled payload
    std::size_t window = 64;              ///< frames from one process to another on their way at the same time
    Time retransmit_s = 0.2;
    std::uint64_t tell_frames = 1;  ///< what was taken is told by a frame of its own after so many frames,
    Time tell_s = 0.0;              ///< or so long after the first of them; others carry it anyway
    bool cancels = true;  ///< the library gives back what it has not matched; else nothing is relayed without consent
    WorldId world = kNoWorld;  ///< of this process, as its frames say
};

/// A receive is matched. Native: take the message with a matched receive. Relayed and inlined: the payload came with
/// the envelope, the receive is complete. Else Arrived follows for every piece.
struct ReceiveMatched {
    CommunicatorId communicator = 0;
    Match match;
    auto fields() const { return std::tie(communicator, match); }
    friend bool operator==(const ReceiveMatched&, const ReceiveMatched&) = default;
};

/// A piece of the payload of a matched receive is here; with `last` the receive is complete.
struct Arrived {
    CommunicatorId communicator = 0;
    ReceiveId receive = 0;
    std::uint64_t offset_B = 0;
    std::uint64_t length_B = 0;
    bool last = false;
    auto fields() const { return std::tie(communicator, receive, offset_B, length_B, last); }
    friend bool operator==(const Arrived&, const Arrived&) = default;
};

/// A relayed send is complete: its payload is with the receiving process, and it is matched if it was synchronous.
/// Until then its bytes must be kept.
struct SendDone {
    Process peer = 0;
    MessageId message = 0;
    auto fields() const { return std::tie(peer, message); }
    friend bool operator==(const SendDone&, const SendDone&) = default;
};

/// A relayed message is on a communicator that was removed: nobody can receive it, and its payload is not needed.
struct Unreceivable {
    Process peer = 0;
    MessageId message = 0;
    auto fields() const { return std::tie(peer, message); }
    friend bool operator==(const Unreceivable&, const Unreceivable&) = default;
};

using Event = std::variant<ReceiveMatched, Arrived, SendDone, Unreceivable>;

/// What is reported of a run. A test of the relay plane in which these stay zero tested nothing.
struct Counters {
    std::uint64_t direct = 0;   ///< messages sent through the MPI library
    std::uint64_t relayed = 0;  ///< messages sent through the agents
    std::uint64_t takeovers = 0;
    std::uint64_t cancelled = 0;      ///< receives taken from the library
    std::uint64_t cancel_failed = 0;  ///< receives that it had matched already
    std::uint64_t pulled = 0;         ///< native messages taken from it for the queue here
    std::uint64_t held = 0;           ///< relayed messages that had to wait for native ones
    std::uint64_t waited = 0;         ///< relayed messages whose payload waited with the sender
    std::uint64_t retransmitted = 0;
    std::uint64_t duplicates = 0;  ///< frames that were here before, dropped
    friend bool operator==(const Counters&, const Counters&) = default;
};

class Endpoint {
  public:
    Endpoint(Process self, Process processes, Settings settings);

    /// This process begins to make a communicator; then it has added it, or there is none. Meanwhile others may have it
    /// already: an envelope of one that is not known waits. At all other times such a one was removed. May be nested.
    void begin_making() { ++making_; }
    void end_making();
    /// Before any call that names it. sources: see MatchingQueue. Envelopes that came earlier wait for this.
    void add_communicator(CommunicatorId communicator, Rank sources);
    /// Likewise, but of which the library has nothing: all its messages are relayed, or given to pulled(). It is taken
    /// over for good, and needs nobody's consent. Each process adds it when it likes, and envelopes wait for that. Its
    /// number is kFirstRelayed or above.
    void add_relayed_communicator(CommunicatorId communicator, Rank sources);
    /// Once this process has no more receives for it: what is unmatched, or still comes, is dropped. Throws
    /// std::logic_error if there is a receive.
    void remove_communicator(CommunicatorId communicator);
    /// As if it had never been added: what still comes waits until it is added again. Throws std::logic_error if it is
    /// not idle.
    void forget_communicator(CommunicatorId communicator);

    // Sending.

    /// Messages to `peer` shall go this way. From relay to direct it takes effect when every relayed message to the
    /// peer has joined the matching there; to relay, where libraries do not cancel, when the peer has consented.
    void prefer(Process peer, Path path);
    /// The way that a message to `peer` would take now; to this process itself always directly.
    Path path(Process peer) const;
    /// The same as a decision: a direct message is counted here, so call this before entering the library, and send.
    Path choose_path(CommunicatorId communicator, Process peer);
    /// The library refused the direct message that was counted last. In the same critical section as choose_path().
    void not_sent(CommunicatorId communicator, Process peer);
    /// Sends through the agents, after choose_path() said relay. source: the own rank, as the receivers know it.
    MessageId send(CommunicatorId communicator, Process peer, Rank source, Tag tag, std::uint64_t size_B,
                   bool synchronous);

    // Receiving.

    struct Posted {
        ReceiveId receive = 0;
        bool native = false;  ///< the caller posts it to the library; else ReceiveMatched comes, now or later
    };
    Posted post_receive(CommunicatorId communicator, Pattern pattern);
    /// The program cancels a receive that is not native: whether it was unmatched.
    bool withdraw_receive(CommunicatorId communicator, ReceiveId receive);
    /// Under takeover, once nothing can be pulled any more: what a probe finds.
    const Arrival* probe(CommunicatorId communicator, Pattern pattern) const;
    /// The same for a matched probe. A native arrival is the caller's then; a relayed one is received by
    /// receive_extracted(), which makes a receive and its ReceiveMatched.
    std::optional<Arrival> extract(CommunicatorId communicator, Pattern pattern);
    ReceiveId receive_extracted(CommunicatorId communicator, const Arrival& arrival);

    // The native side.

    const MatchingQueue& matching(CommunicatorId communicator) const { return communicators_.at(communicator).queue; }
    bool taken_over(CommunicatorId communicator) const { return matching(communicator).taken_over(); }
    /// Not where the library has receives that it cannot give back. It does so by itself when it consents.
    bool may_take_over(CommunicatorId communicator) const {
        return settings_.cancels || !matching(communicator).library_has_receives();
    }
    /// Throws std::logic_error unless may_take_over().
    void take_over(CommunicatorId communicator);
    /// All that are taken over, without those of which the library has nothing.
    std::vector<CommunicatorId> under_takeover() const { return {under_takeover_.begin(), under_takeover_.end()}; }
    bool is_under_takeover(CommunicatorId communicator) const { return under_takeover_.contains(communicator); }
    bool none_is_under_takeover() const { return under_takeover_.empty(); }
    /// Of these, those that something is to be taken from the library for: a receive back, or messages that may match.
    /// To look at these is enough, and of a thousand communicators there are few of them.
    std::vector<CommunicatorId> awaiting_library() const { return {awaiting_.begin(), awaiting_.end()}; }
    bool awaits_library(CommunicatorId communicator) const { return awaiting_.contains(communicator); }
    std::optional<ReceiveId> next_to_cancel(CommunicatorId communicator) const;
    void cancelled(CommunicatorId communicator, ReceiveId receive);
    void cancel_failed(CommunicatorId communicator, ReceiveId receive);
    /// Whether messages are to be pulled from the library, as long as it has some.
    bool may_pull(CommunicatorId communicator) const { return matching(communicator).settled(); }
    void pulled(CommunicatorId communicator, NativeHandle handle, Rank source, Tag tag);
    void native_completed(CommunicatorId communicator, ReceiveId receive, Rank source);
    void native_cancelled(CommunicatorId communicator, ReceiveId receive);
    void native_extracted(CommunicatorId communicator, Rank source);
    bool may_return(CommunicatorId communicator) const;
    /// Throws std::logic_error unless may_return().
    void return_to_native(CommunicatorId communicator);

    // Frames.

    /// A frame for this process. True: it is new, and the caller keeps its payload, if it has one, until an event
    /// speaks of it (ReceiveMatched of an envelope's, Arrived of a piece). False: it has no body or is dropped. Throws
    /// ProtocolError if it contradicts what went before.
    bool receive(const Frame& frame, Time now_s);
    /// The next frame to transmit to `peer`, if there is one. The caller adds the payload that the body speaks of.
    std::optional<Frame> next_frame(Process peer, Time now_s);
    /// Processes for which next_frame() may have something, now or later: what is not acknowledged, or not told. To ask
    /// for these is enough, and with many processes there are few of them.
    std::vector<Process> open() const { return {open_.begin(), open_.end()}; }
    /// The path to the peer is lost, and what was on it: what is not acknowledged is due again.
    void resend(Process peer) { peers_.at(peer).out.resend(); }
    /// Whether the peer has everything that was sent to it, and all sends to it are complete.
    bool flushed(Process peer) const { return peers_.at(peer).out.idle() && peers_.at(peer).sends.empty(); }
    /// What this process has taken from the peer.
    Progress progress(Process peer) const;
    const LinkSender& link_to(Process peer) const { return peers_.at(peer).out; }

    /// What happened since the last call, in order.
    std::vector<Event> take_events() { return std::exchange(events_, {}); }
    const Counters& counters() const { return counters_; }

    auto fields() const {
        return std::tie(peers_, asking_, consented_, communicators_, making_, early_, events_, next_receive_);
    }

  private:
    struct Sent {
        std::uint64_t size_B = 0;
        bool awaits_pull = false;   ///< its payload waits here
        bool awaits_match = false;  ///< synchronous and not known to be matched
        bool payload_there = false;
        auto fields() const { return std::tie(size_B, awaits_pull, awaits_match, payload_there); }
    };
    struct Pulling {
        CommunicatorId communicator = 0;
        ReceiveId receive = 0;
        std::uint64_t size_B = 0;
        std::uint64_t received_B = 0;
        auto fields() const { return std::tie(communicator, receive, size_B, received_B); }
    };
    enum class Asked : std::uint8_t { not_yet, asked, granted };
    struct Peer {
        explicit Peer(const Settings& settings) : out(settings.window, settings.retransmit_s), in(settings.window) {}
        Path preferred = Path::direct;
        Asked consent = Asked::not_yet;  ///< the peer's, to messages from here
        LinkSender out;
        LinkReceiver in;
        std::uint64_t released = 0;    ///< of the peer's messages, as in Progress
        std::uint64_t consumed_B = 0;  ///< of the peer's payload, as in Progress
        Progress told;                 ///< our progress as last told to the peer
        Progress reported;             ///< the peer's progress as it last told
        bool must_tell = false;
        std::optional<Time> untold_since_s;  ///< of progress that could be told
        MessageId envelopes_out = 0;
        MessageId envelopes_in = 0;
        std::uint64_t inlined_B = 0;                      ///< payload sent with envelopes so far
        std::map<MessageId, Sent> sends;                  ///< not complete
        std::map<std::uint64_t, MessageId> payload_ends;  ///< by the sequence number of a payload's last frame
        std::map<MessageId, Pulling> pulling;             ///< matched, payload on its way
        auto fields() const {
            return std::tie(preferred, consent, out, in, released, consumed_B, told, reported, must_tell,
                            untold_since_s, envelopes_out, envelopes_in, inlined_B, sends, payload_ends, pulling);
        }
        bool drained() const { return reported.released == envelopes_out; }
    };
    struct Communicator {
        MatchingQueue queue;
        bool relayed = false;  ///< all its messages are
        std::map<Process, std::uint64_t> native_sent = {};
        auto fields() const { return std::tie(queue, relayed, native_sent); }
    };
    struct Early {
        Process peer = 0;
        Envelope envelope;
        auto fields() const { return std::tie(peer, envelope); }
    };

    template <typename Change>
    void change(CommunicatorId communicator, Change&& with);
    void matched(CommunicatorId communicator, const Match& match);
    std::uint64_t push(Process to, const Body& body);
    bool tells(Peer& to, const Progress& progress, Time now_s) const;
    void learn(Process from, const Progress& progress, Time now_s);
    void handle(Process from, const Envelope& envelope);
    void handle(Process from, const Pull& pull);
    void handle(Process from, const Payload& payload);
    void handle(Process from, const Matched& matched);
    void handle(Process from, const Consent& consent);
    void add(CommunicatorId communicator, Rank sources, bool relayed);
    void reconsider(Process to);
    void grant();
    void require_consent(Process from) const;
    void admit(Process from, const Envelope& envelope);
    void drop(const Relayed& message, bool joined);
    void drop(const Early& early);
    void follow(CommunicatorId communicator);
    void erase(CommunicatorId communicator);
    void finish(Process to, MessageId message);

    Process self_;
    Settings settings_;
    std::vector<Peer> peers_;
    std::set<Process> open_;
    std::set<Process> asking_;     ///< for consent, which this process has not given yet
    std::set<Process> consented_;  ///< to messages from these
    std::map<CommunicatorId, Communicator> communicators_;
    std::set<CommunicatorId> under_takeover_;             ///< without relayed ones
    std::set<CommunicatorId> awaiting_;                   ///< of these, as awaiting_library() says
    std::size_t library_receives_ = 0;                    ///< on all
    int making_ = 0;                                      ///< communicators at the same time
    std::map<CommunicatorId, std::vector<Early>> early_;  ///< envelopes on communicators not known here yet
    std::vector<Event> events_;
    ReceiveId next_receive_ = 1;
    Counters counters_;
};

}  // namespace fairlead::relay
