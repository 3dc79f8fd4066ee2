// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fairlead/core/random.hpp"
#include "fairlead/relay/wire.hpp"
#include "native_library.hpp"
#include "rules.hpp"

namespace fairlead::relay::simulation {

namespace {

using core::Random;
using Bytes = std::vector<std::uint8_t>;

constexpr CommunicatorId kCommunicators = 2;
constexpr Tag kTags = 3;
constexpr Time kStep_s = 1e-5;
constexpr std::uint64_t kLongestRound = 600;  // messages
constexpr std::size_t kMostPosted = 12;
constexpr std::uint64_t kLongestPause = 2000;   // steps
constexpr std::uint64_t kStepsAMessage = 2000;  // many times what is needed: after that nothing ends

Settings settings(const Load& load) {
    return {.inline_limit_B = 64,
            .credit_B = 512,
            .piece_B = 100,
            .window = 8,
            .retransmit_s = 0.02,
            .cancels = load.cancels};
}

/// A message as the judge knows it.
struct Identity {
    Process source = 0;
    Process destination = 0;
    CommunicatorId communicator = 0;
    std::uint64_t number = 0;
};

/// What the message says: every one something else.
Bytes payload_of(const Identity& message, std::uint64_t size_B) {
    Random random((message.number << 16) ^ (message.source << 8) ^ (message.destination << 4) ^ message.communicator);
    Bytes bytes(size_B);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    return bytes;
}

struct Receive {
    CommunicatorId communicator = 0;
    bool native = false;
    Identity message;  ///< once it is matched with a relayed one
    Bytes buffer;
};

struct RelayedSend {
    Identity identity;
    std::uint64_t size_B = 0;
};

struct Node {
    Node(Endpoint with, std::uint64_t seed) : endpoint(std::move(with)), random(seed) {}
    Endpoint endpoint;
    Random random;
    std::uint64_t to_send = 0;
    std::map<ReceiveId, Receive> receives;       ///< posted, not complete
    std::map<NativeHandle, NativeMessage> held;  ///< pulled or probed native messages
    NativeHandle next_handle = 0;
    std::map<std::pair<Process, MessageId>, RelayedSend> sends;  ///< not complete
    std::map<std::pair<Process, MessageId>, Bytes> inlined;      ///< payload that came with envelopes
    std::map<std::tuple<Process, MessageId, std::uint64_t>, Bytes> pieces;
    std::map<ReceiveId, std::pair<Process, MessageId>> pulling;
};

class Simulation {
  public:
    explicit Simulation(const Load& load) : load_(load), random_(load.seed), library_(load.ranks, kCommunicators) {
        for (Process rank = 0; rank < load.ranks; ++rank) {
            nodes_.emplace_back(Endpoint(rank, load.ranks, settings(load)), random_.next());
            for (CommunicatorId c = 0; c < kCommunicators; ++c) {
                nodes_.back().endpoint.add_communicator(c, static_cast<Rank>(load.ranks));
            }
            nodes_.back().to_send = load.messages / load.ranks;
        }
        rules_.assign(load.ranks * kCommunicators, Rules(load.ranks));
        sent_numbers_.assign(static_cast<std::size_t>(load.ranks) * load.ranks * kCommunicators, 0);
        stalled_until_.assign(load.ranks, 0);
        expected_ = load.messages / load.ranks * load.ranks;
    }

    Result run() {
        while (!over()) {
            if (++step_ > expected_ * kStepsAMessage) throw std::logic_error("nothing ends");
            now_s_ += kStep_s;
            turn();
            const auto self = static_cast<Process>(random_.below(load_.ranks));
            call(self);
            poll(self);
            network();
        }
        for (const Rules& rules : rules_) {
            if (!rules.all_matched()) throw std::logic_error("a message was never received");
        }
        for (const Node& node : nodes_) add(node.endpoint.counters());
        return result_;
    }

  private:
    bool over() const {
        if (result_.received < expected_) return false;
        return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
            for (Process peer = 0; peer < load_.ranks; ++peer) {
                if (!node.endpoint.flushed(peer)) return false;
            }
            return node.receives.empty();
        });
    }

    // What the program calls: rounds of sending, receiving what is left, and a pause, in which takeovers can end.

    enum class Phase { sending, receiving, pause };

    void turn() {
        if (phase_ == Phase::sending && sent_ == round_end_) phase_ = Phase::receiving;
        if (phase_ == Phase::receiving && result_.received == sent_) {
            phase_ = Phase::pause;
            pause_end_ = step_ + random_.below(kLongestPause);
        }
        if (phase_ == Phase::pause && step_ >= pause_end_) {
            phase_ = Phase::sending;
            round_end_ = std::min(expected_, sent_ + 1 + random_.below(kLongestRound));
            ++round_;
        }
    }

    void call(Process self) {
        Node& node = nodes_[self];
        switch (node.random.below(8)) {
            case 0:
            case 1:
            case 2:
                if (node.to_send > 0 && phase_ == Phase::sending) send(self);
                return;
            case 3:
            case 4:
            case 5:
                if (node.receives.size() < kMostPosted && phase_ != Phase::pause)
                    post(self, phase_ == Phase::receiving);
                return;
            case 6:
                if (node.random.below(4) == 0) probe(self);
                return;
            default:
                // After a round receives are left that nothing will meet.
                if (node.random.below(phase_ == Phase::sending ? 16 : 2) == 0) withdraw(self);
                if (node.random.below(256) == 0) {
                    const CommunicatorId communicator = any_communicator(node);
                    if (node.endpoint.may_take_over(communicator)) node.endpoint.take_over(communicator);
                }
        }
    }

    /// The way that messages of a pair prefer in a round: one, the other, or now this and now that.
    bool prefers_relay(Node& node, Process from, Process to) const {
        switch (Random((round_ * load_.ranks + from) * load_.ranks + to).below(4)) {
            case 0:
                return true;
            case 1:
                return node.random.below(8) == 0;
            default:
                return false;
        }
    }

    static CommunicatorId any_communicator(Node& node) { return node.random.below(kCommunicators); }

    Pattern any_pattern(Node& node, bool all) const {
        Pattern pattern;
        if (all) return pattern;
        if (node.random.below(3) != 0) pattern.source = static_cast<Rank>(node.random.below(load_.ranks));
        if (node.random.below(3) != 0) pattern.tag = static_cast<Tag>(node.random.below(kTags));
        return pattern;
    }

    void send(Process self) {
        Node& node = nodes_[self];
        const auto to = static_cast<Process>(node.random.below(load_.ranks));
        const CommunicatorId communicator = any_communicator(node);
        const auto tag = static_cast<Tag>(node.random.below(kTags));
        const std::uint64_t number =
            ++sent_numbers_[(self * static_cast<std::size_t>(load_.ranks) + to) * kCommunicators + communicator];
        const std::uint64_t size_B = node.random.below(4) == 0 ? node.random.below(400) : node.random.below(40);
        rules(to, communicator).sent(self, {number, tag});
        --node.to_send;
        ++sent_;
        if (to != self) node.endpoint.prefer(to, prefers_relay(node, self, to) ? Path::relay : Path::direct);
        if (node.endpoint.choose_path(communicator, to) == Path::direct) {
            return library_.send(to, communicator, {self, tag, number, size_B > 40});
        }
        const MessageId message =
            node.endpoint.send(communicator, to, static_cast<Rank>(self), tag, size_B, node.random.below(5) == 0);
        node.sends[{to, message}] = {{self, to, communicator, number}, size_B};
        identities_[{self, to, message}] = {self, to, communicator, number};
    }

    void post(Process self, bool all) {
        Node& node = nodes_[self];
        const CommunicatorId communicator = any_communicator(node);
        const Pattern pattern = any_pattern(node, all || node.random.below(4) == 0);
        const auto posted = node.endpoint.post_receive(communicator, pattern);
        rules(self, communicator).posted(posted.receive, pattern);
        node.receives[posted.receive] = {communicator, posted.native, {}, {}};
        if (!posted.native) return drain(self);
        if (const auto match = library_.receive(self, communicator, posted.receive, pattern)) judge(*match);
    }

    void withdraw(Process self) {
        Node& node = nodes_[self];
        if (node.receives.empty()) return;
        const auto chosen =
            std::next(node.receives.begin(), static_cast<std::ptrdiff_t>(node.random.below(node.receives.size())));
        const auto [receive, entry] = *chosen;
        bool gone = false;
        if (entry.native) {
            gone = library_.cancel(self, entry.communicator, receive);
            if (gone) node.endpoint.native_cancelled(entry.communicator, receive);
        } else {
            gone = node.endpoint.withdraw_receive(entry.communicator, receive);
        }
        if (!gone) return;
        rules(self, entry.communicator).withdrawn(receive);
        node.receives.erase(receive);
        ++result_.withdrawn;
        drain(self);
    }

    /// A matched probe and the receive of what it found.
    void probe(Process self) {
        Node& node = nodes_[self];
        const CommunicatorId communicator = any_communicator(node);
        const Pattern pattern = any_pattern(node, false);
        // For the judge a matched probe is a receive that is posted and matched.
        const ReceiveId receive = kProbes + ++probes_;
        if (!node.endpoint.taken_over(communicator)) {
            const auto found = library_.extract(self, communicator, pattern);
            if (!found) return;
            judge_probe(self, communicator, receive, pattern, found->source, found->number);
            node.endpoint.native_extracted(communicator, static_cast<Rank>(found->source));
            return receive_done();
        }
        const auto found = node.endpoint.extract(communicator, pattern);
        if (!found) return;
        if (const auto* handle = std::get_if<NativeHandle>(&found->body)) {
            const NativeMessage message = node.held.extract(*handle).mapped();
            judge_probe(self, communicator, receive, pattern, message.source, message.number);
            return receive_done();
        }
        const auto& relayed = std::get<Relayed>(found->body);
        const Identity& message = identities_.at({relayed.peer, self, relayed.message});
        judge_probe(self, communicator, receive, pattern, message.source, message.number);
        judged_ = node.endpoint.receive_extracted(communicator, *found);
        node.receives[judged_] = {communicator, false, {}, {}};
        drain(self);
        judged_ = 0;
    }

    void judge_probe(Process self, CommunicatorId communicator, ReceiveId receive, Pattern pattern, Process source,
                     std::uint64_t number) {
        rules(self, communicator).posted(receive, pattern);
        rules(self, communicator).matched(receive, source, number);
        ++result_.probed;
    }

    // What every call does besides.

    void poll(Process self) {
        Node& node = nodes_[self];
        while (const auto match = library_.completion(self, node.random)) {
            node.endpoint.native_completed(match->communicator, match->receive,
                                           static_cast<Rank>(match->message.source));
            node.receives.erase(match->receive);
            receive_done();
            if (node.random.below(4) == 0) break;
        }
        for (CommunicatorId communicator = 0; communicator < kCommunicators; ++communicator)
            take_over(self, communicator);
        drain(self);
        for (const Process peer : node.endpoint.open()) {
            while (const auto frame = node.endpoint.next_frame(peer, now_s_)) transmit(self, *frame);
        }
    }

    /// A few steps of a takeover, never certainly all.
    void take_over(Process self, CommunicatorId communicator) {
        Node& node = nodes_[self];
        Endpoint& endpoint = node.endpoint;
        while (const auto receive = endpoint.next_to_cancel(communicator)) {
            if (node.random.below(4) == 0) return;
            if (library_.cancel(self, communicator, *receive)) {
                node.receives.at(*receive).native = false;
                endpoint.cancelled(communicator, *receive);
            } else {
                endpoint.cancel_failed(communicator, *receive);
            }
        }
        while (endpoint.may_pull(communicator) && node.random.below(4) != 0) {
            const auto message = library_.extract(self, communicator, {});
            if (!message) break;
            node.held[++node.next_handle] = *message;
            endpoint.pulled(communicator, node.next_handle, static_cast<Rank>(message->source), message->tag);
        }
        drain(self);
        if (endpoint.may_return(communicator) && node.random.below(8) == 0) endpoint.return_to_native(communicator);
    }

    void drain(Process self) {
        for (const Event& event : nodes_[self].endpoint.take_events()) {
            if (const auto* match = std::get_if<ReceiveMatched>(&event)) {
                matched(self, *match);
            } else if (const auto* piece = std::get_if<Arrived>(&event)) {
                arrived(self, *piece);
            } else {
                const auto& done = std::get<SendDone>(event);
                nodes_[self].sends.erase({done.peer, done.message});
            }
        }
    }

    void matched(Process self, const ReceiveMatched& event) {
        Node& node = nodes_[self];
        const ReceiveId receive = event.match.receive;
        if (const auto* handle = std::get_if<NativeHandle>(&event.match.arrival.body)) {
            const NativeMessage message = node.held.extract(*handle).mapped();
            rules(self, event.communicator).matched(receive, message.source, message.number);
            node.receives.erase(receive);
            return receive_done();
        }
        const auto& relayed = std::get<Relayed>(event.match.arrival.body);
        const Identity message = identities_.extract({relayed.peer, self, relayed.message}).mapped();
        if (receive != judged_) rules(self, event.communicator).matched(receive, message.source, message.number);
        if (relayed.inlined) {
            const Bytes payload = node.inlined.extract({relayed.peer, relayed.message}).mapped();
            compare(message, payload, relayed.size_B);
            node.receives.erase(receive);
            return receive_done();
        }
        Receive& entry = node.receives.at(receive);
        entry.message = message;
        entry.buffer.resize(relayed.size_B);
        node.pulling[receive] = {relayed.peer, relayed.message};
    }

    void arrived(Process self, const Arrived& event) {
        Node& node = nodes_[self];
        const auto [peer, message] = node.pulling.at(event.receive);
        const Bytes piece = node.pieces.extract({peer, message, event.offset_B}).mapped();
        Receive& receive = node.receives.at(event.receive);
        std::copy(piece.begin(), piece.end(), receive.buffer.begin() + static_cast<std::ptrdiff_t>(event.offset_B));
        if (!event.last) return;
        compare(receive.message, receive.buffer, receive.buffer.size());
        node.pulling.erase(event.receive);
        node.receives.erase(event.receive);
        receive_done();
    }

    static void compare(const Identity& message, const Bytes& payload, std::uint64_t size_B) {
        if (payload != payload_of(message, size_B)) throw std::logic_error("a payload is not what was sent");
    }

    void receive_done() { ++result_.received; }

    // What is between ranks.

    void transmit(Process self, const Frame& frame) {
        Bytes payload;
        const auto sent = [&](MessageId message) { return nodes_[self].sends.at({frame.to, message}); };
        if (const auto* envelope = std::get_if<Envelope>(&frame.body); envelope != nullptr && envelope->inlined) {
            const RelayedSend send = sent(envelope->message);
            payload = payload_of(send.identity, send.size_B);
        } else if (const auto* piece = std::get_if<Payload>(&frame.body); piece != nullptr && frame.sequence != 0) {
            const RelayedSend send = sent(piece->message);
            const Bytes whole = payload_of(send.identity, send.size_B);
            const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(piece->offset_B);
            payload.assign(begin, begin + static_cast<std::ptrdiff_t>(piece->length_B));
        }
        Bytes bytes(wire::kHeader_B + wire::kMaxBody_B + payload.size());
        const std::size_t length = wire::encode(frame, payload, bytes);
        if (length == 0) throw std::logic_error("a frame cannot be encoded");
        bytes.resize(length);
        on_their_way_.push_back({frame.from, frame.to, std::move(bytes)});
    }

    void network() {
        for (int i = 0; i < 2; ++i) {
            if (const auto match = library_.arrive(random_)) judge(*match);
        }
        for (std::uint64_t i = random_.below(4); i > 0 && !on_their_way_.empty(); --i) {
            const std::size_t which = random_.below(std::min<std::size_t>(on_their_way_.size(), 50));
            if (step_ < stalled_until_[on_their_way_[which].to]) continue;
            const Carried carried = on_their_way_[which];
            if (random_.below(20) != 0) {  // else it comes twice
                on_their_way_[which] = std::move(on_their_way_.back());
                on_their_way_.pop_back();
            }
            if (random_.below(50) != 0) deliver(carried);
        }
        if (random_.below(3000) == 0) agent_dies(static_cast<Process>(random_.below(load_.ranks)));
        if (random_.below(5000) == 0) stalled_until_[random_.below(load_.ranks)] = step_ + random_.below(3000);
    }

    struct Carried {
        Process from = 0;
        Process to = 0;
        Bytes bytes;
    };

    void deliver(const Carried& carried) {
        const auto result = wire::decode(carried.bytes, load_.ranks);
        const auto& decoded = std::get<wire::Decoded>(result);
        Node& node = nodes_[carried.to];
        const Bytes payload(decoded.payload.begin(), decoded.payload.end());
        // What was here before is dropped with its payload.
        if (!node.endpoint.receive(decoded.frame, now_s_)) return;
        const Body& body = decoded.frame.body;
        if (const auto* envelope = std::get_if<Envelope>(&body); envelope != nullptr && envelope->inlined) {
            node.inlined[{carried.from, envelope->message}] = payload;
        } else if (const auto* piece = std::get_if<Payload>(&body)) {
            node.pieces[{carried.from, piece->message, piece->offset_B}] = payload;
        }
        drain(carried.to);
    }

    /// What it holds is lost; the ranks that had sent it hear that the path is gone.
    void agent_dies(Process host) {
        ++result_.agent_deaths;
        std::erase_if(on_their_way_,
                      [&](const Carried& carried) { return carried.from == host || carried.to == host; });
        for (Process rank = 0; rank < load_.ranks; ++rank) {
            nodes_[rank].endpoint.resend(host);
            nodes_[host].endpoint.resend(rank);
        }
    }

    // The judge.

    Rules& rules(Process at, CommunicatorId communicator) { return rules_[at * kCommunicators + communicator]; }

    void judge(const NativeMatch& match) {
        rules(match.at, match.communicator).matched(match.receive, match.message.source, match.message.number);
    }

    void add(const Counters& counters) {
        result_.counters.direct += counters.direct;
        result_.counters.relayed += counters.relayed;
        result_.counters.takeovers += counters.takeovers;
        result_.counters.cancelled += counters.cancelled;
        result_.counters.cancel_failed += counters.cancel_failed;
        result_.counters.pulled += counters.pulled;
        result_.counters.held += counters.held;
        result_.counters.waited += counters.waited;
        result_.counters.retransmitted += counters.retransmitted;
        result_.counters.duplicates += counters.duplicates;
    }

    static constexpr ReceiveId kProbes = ReceiveId{1} << 60;  // younger than every receive

    Load load_;
    Random random_;
    NativeLibrary library_;
    std::vector<Node> nodes_;
    std::vector<Rules> rules_;
    std::vector<std::uint64_t> sent_numbers_;
    std::map<std::tuple<Process, Process, MessageId>, Identity> identities_;
    std::vector<Carried> on_their_way_;
    std::vector<std::uint64_t> stalled_until_;
    std::uint64_t expected_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t step_ = 0;
    std::uint64_t probes_ = 0;
    Phase phase_ = Phase::pause;
    std::uint64_t pause_end_ = 0;
    std::uint64_t round_end_ = 0;
    std::uint64_t round_ = 0;
    ReceiveId judged_ = 0;  ///< a receive of a message that a probe has taken: judged by that
    Time now_s_ = 0.0;
    Result result_;
};

}  // namespace

Result run(const Load& load) {
    return Simulation(load).run();
}

}  // namespace fairlead::relay::simulation
