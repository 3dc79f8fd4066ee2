// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/endpoint.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fairlead::relay {

namespace {

ProtocolError mistake(Process from, const std::string& what) {
    return ProtocolError("process " + std::to_string(from) + ": " + what);
}

}  // namespace

Endpoint::Endpoint(Process self, Process processes, Settings settings)
    : self_(self), settings_(settings), peers_(processes, Peer(settings)) {}

void Endpoint::add_communicator(CommunicatorId communicator, Rank sources) {
    add(communicator, sources, false);
}

void Endpoint::add_relayed_communicator(CommunicatorId communicator, Rank sources) {
    add(communicator, sources, true);
}

void Endpoint::add(CommunicatorId communicator, Rank sources, bool relayed) {
    if (!communicators_.emplace(communicator, Communicator{MatchingQueue(sources), relayed}).second) {
        throw std::logic_error("communicator " + std::to_string(communicator) + " is there already");
    }
    // Who has our consent may relay on it at any time.
    if (relayed || !consented_.empty()) take_over(communicator);
    const auto waiting = early_.extract(communicator);
    if (waiting.empty()) return;
    for (const Early& early : waiting.mapped()) admit(early.peer, early.envelope);
}

void Endpoint::remove_communicator(CommunicatorId communicator) {
    const MatchingQueue& queue = matching(communicator);
    if (queue.has_receives()) {
        throw std::logic_error("communicator " + std::to_string(communicator) + " is removed and has receives");
    }
    for (const Relayed& message : queue.unexpected_relayed()) drop(message, true);
    for (const Relayed& message : queue.held_back()) drop(message, false);
    erase(communicator);
}

void Endpoint::end_making() {
    if (--making_ > 0) return;
    const auto end = early_.lower_bound(kFirstRelayed);
    for (auto waiting = early_.begin(); waiting != end; waiting = early_.erase(waiting)) {
        for (const Early& early : waiting->second) drop(early);
    }
}

void Endpoint::forget_communicator(CommunicatorId communicator) {
    if (!matching(communicator).idle()) {
        throw std::logic_error("communicator " + std::to_string(communicator) + " is forgotten and has messages");
    }
    erase(communicator);
}

void Endpoint::erase(CommunicatorId communicator) {
    communicators_.erase(communicator);
    under_takeover_.erase(communicator);
    awaiting_.erase(communicator);
}

// Sending.

Path Endpoint::path(Process peer) const {
    if (peer == self_) return Path::direct;
    const Peer& to = peers_.at(peer);
    // Without consent, what is not released yet is on communicators of which the library has nothing.
    const bool possible = settings_.cancels || to.consent == Asked::granted;
    return possible && (to.preferred == Path::relay || !to.drained()) ? Path::relay : Path::direct;
}

void Endpoint::prefer(Process peer, Path path) {
    peers_.at(peer).preferred = path;
    reconsider(peer);
}

Path Endpoint::choose_path(CommunicatorId communicator, Process peer) {
    const Path chosen = path(peer);
    if (chosen == Path::direct) {
        ++communicators_.at(communicator).native_sent[peer];
        ++counters_.direct;
    }
    return chosen;
}

void Endpoint::not_sent(CommunicatorId communicator, Process peer) {
    std::uint64_t& sent = communicators_.at(communicator).native_sent.at(peer);
    if (sent == 0) throw std::logic_error("a direct message was not sent that was never counted");
    --sent;
    --counters_.direct;
}

MessageId Endpoint::send(CommunicatorId communicator, Process peer, Rank source, Tag tag, std::uint64_t size_B,
                         bool synchronous) {
    const bool relayed = communicators_.at(communicator).relayed && peer != self_;
    if (!relayed && path(peer) != Path::relay) {
        throw std::logic_error("a message is relayed that was to go directly");
    }
    Peer& to = peers_.at(peer);
    const std::uint64_t in_use_B = to.inlined_B - to.reported.consumed_B;
    const bool fits = size_B <= settings_.inline_limit_B && in_use_B + size_B <= settings_.credit_B;
    const bool inlined = size_B == 0 || fits;
    const std::uint64_t native_before = communicators_.at(communicator).native_sent[peer];
    const MessageId message = ++to.envelopes_out;
    const std::uint64_t sequence =
        push(peer, Envelope{message, communicator, source, tag, native_before, size_B, synchronous, inlined});
    to.sends.emplace(message, Sent{size_B, !inlined, synchronous, false});
    if (inlined) {
        to.inlined_B += size_B;
        to.payload_ends.emplace(sequence, message);
    } else {
        ++counters_.waited;
    }
    ++counters_.relayed;
    return message;
}

// Receiving.

Endpoint::Posted Endpoint::post_receive(CommunicatorId communicator, Pattern pattern) {
    const ReceiveId receive = next_receive_++;
    auto posting = MatchingQueue::Posting::native;
    change(communicator,
           [&](MatchingQueue& queue, Effects& effects) { posting = queue.post(receive, pattern, effects); });
    return {receive, posting == MatchingQueue::Posting::native};
}

bool Endpoint::withdraw_receive(CommunicatorId communicator, ReceiveId receive) {
    const bool withdrawn = communicators_.at(communicator).queue.withdraw(receive);
    follow(communicator);
    return withdrawn;
}

const Arrival* Endpoint::probe(CommunicatorId communicator, Pattern pattern) const {
    return matching(communicator).probe(pattern);
}

std::optional<Arrival> Endpoint::extract(CommunicatorId communicator, Pattern pattern) {
    return communicators_.at(communicator).queue.extract(pattern);
}

ReceiveId Endpoint::receive_extracted(CommunicatorId communicator, const Arrival& arrival) {
    const ReceiveId receive = next_receive_++;
    matched(communicator, {receive, arrival});
    return receive;
}

// The native side.

void Endpoint::take_over(CommunicatorId communicator) {
    if (!may_take_over(communicator))
        throw std::logic_error("a takeover from a library that cannot give receives back");
    change(communicator, [](MatchingQueue& queue, Effects& effects) { queue.take_over(effects); });
}

std::optional<ReceiveId> Endpoint::next_to_cancel(CommunicatorId communicator) const {
    return matching(communicator).next_to_cancel();
}

void Endpoint::cancelled(CommunicatorId communicator, ReceiveId receive) {
    change(communicator, [&](MatchingQueue& queue, Effects& effects) { queue.cancelled(receive, effects); });
    ++counters_.cancelled;
}

void Endpoint::cancel_failed(CommunicatorId communicator, ReceiveId receive) {
    change(communicator, [&](MatchingQueue& queue, Effects& effects) { queue.cancel_failed(receive, effects); });
    ++counters_.cancel_failed;
}

void Endpoint::pulled(CommunicatorId communicator, NativeHandle handle, Rank source, Tag tag) {
    change(communicator, [&](MatchingQueue& queue, Effects& effects) { queue.pulled(handle, source, tag, effects); });
    ++counters_.pulled;
}

void Endpoint::native_completed(CommunicatorId communicator, ReceiveId receive, Rank source) {
    change(communicator,
           [&](MatchingQueue& queue, Effects& effects) { queue.native_completed(receive, source, effects); });
    grant();
}

void Endpoint::native_cancelled(CommunicatorId communicator, ReceiveId receive) {
    change(communicator, [&](MatchingQueue& queue, Effects& effects) { queue.native_cancelled(receive, effects); });
    grant();
}

void Endpoint::native_extracted(CommunicatorId communicator, Rank source) {
    change(communicator, [&](MatchingQueue& queue, Effects& effects) { queue.native_extracted(source, effects); });
}

bool Endpoint::may_return(CommunicatorId communicator) const {
    return !communicators_.at(communicator).relayed && consented_.empty() && matching(communicator).may_return();
}

void Endpoint::return_to_native(CommunicatorId communicator) {
    if (!may_return(communicator)) throw std::logic_error("a takeover ends that is still needed");
    communicators_.at(communicator).queue.return_to_native();
    under_takeover_.erase(communicator);
}

// Frames.

bool Endpoint::receive(const Frame& frame, Time now_s) {
    if (frame.to != self_ || frame.from >= peers_.size())
        throw mistake(frame.from, "its frame is not for this process");
    Peer& peer = peers_[frame.from];
    learn(frame.from, frame.progress, now_s);
    if (frame.sequence == 0) return false;
    const auto verdict = peer.in.receive(frame.sequence, frame.body);
    // One that was here before means that the acknowledgement got lost.
    if (verdict != LinkReceiver::Verdict::taken) peer.must_tell = true;
    open_.insert(frame.from);
    if (verdict == LinkReceiver::Verdict::duplicate) ++counters_.duplicates;
    while (const auto body = peer.in.next()) {
        std::visit([&](const auto& content) { handle(frame.from, content); }, *body);
    }
    return verdict == LinkReceiver::Verdict::taken;
}

std::optional<Frame> Endpoint::next_frame(Process peer, Time now_s) {
    Peer& to = peers_.at(peer);
    Frame frame{self_, peer, 0, progress(peer), Pull{}, settings_.world};
    if (const auto transmission = to.out.next(now_s)) {
        if (transmission->again) ++counters_.retransmitted;
        frame.sequence = transmission->sequence;
        frame.body = transmission->body;
    } else if (!tells(to, frame.progress, now_s)) {
        if (to.out.idle() && frame.progress == to.told) open_.erase(peer);
        return std::nullopt;
    }
    to.told = frame.progress;
    to.must_tell = false;
    to.untold_since_s.reset();
    return frame;
}

/// Whether progress is worth a frame of its own. Most is told by the next message back.
bool Endpoint::tells(Peer& to, const Progress& progress, Time now_s) const {
    if (to.must_tell) return true;
    if (progress == to.told) return false;
    if (progress.delivered - to.told.delivered >= settings_.tell_frames) return true;
    if (progress.consumed_B - to.told.consumed_B >= settings_.credit_B / 4) return true;
    if (!to.untold_since_s) to.untold_since_s = now_s;
    return now_s - *to.untold_since_s >= settings_.tell_s;
}

Progress Endpoint::progress(Process peer) const {
    const Peer& from = peers_.at(peer);
    return {from.in.delivered(), from.released, from.consumed_B};
}

// Private.

/// Does something to a queue, and what follows from it outside of the queue.
template <typename Change>
void Endpoint::change(CommunicatorId communicator, Change&& with) {
    MatchingQueue& queue = communicators_.at(communicator).queue;
    const bool was_taken_over = queue.taken_over();
    Effects effects;
    const std::size_t before = queue.library_receives();
    with(queue, effects);
    library_receives_ += queue.library_receives() - before;
    if (queue.taken_over() && !was_taken_over) ++counters_.takeovers;
    follow(communicator);
    for (const Process peer : effects.released) {
        ++peers_.at(peer).released;
        open_.insert(peer);
    }
    for (const Match& match : effects.matches) matched(communicator, match);
}

/// What is to be taken from the library for it may be another thing now.
void Endpoint::follow(CommunicatorId communicator) {
    const Communicator& known = communicators_.at(communicator);
    if (known.relayed || !known.queue.taken_over()) return;
    under_takeover_.insert(communicator);
    if (known.queue.awaits_library()) {
        awaiting_.insert(communicator);
    } else {
        awaiting_.erase(communicator);
    }
}

void Endpoint::matched(CommunicatorId communicator, const Match& match) {
    events_.push_back(ReceiveMatched{communicator, match});
    const auto* relayed = std::get_if<Relayed>(&match.arrival.body);
    if (relayed == nullptr) return;
    Peer& peer = peers_.at(relayed->peer);
    if (!relayed->inlined) {
        peer.pulling.emplace(relayed->message, Pulling{communicator, match.receive, relayed->size_B, 0});
        push(relayed->peer, Pull{relayed->message});
        return;
    }
    peer.consumed_B += relayed->size_B;
    open_.insert(relayed->peer);
    if (relayed->synchronous) push(relayed->peer, Matched{relayed->message});
}

/// A body to be sent; returns its number on the link.
std::uint64_t Endpoint::push(Process to, const Body& body) {
    open_.insert(to);
    return peers_[to].out.push(body);
}

void Endpoint::learn(Process from, const Progress& progress, Time now_s) {
    Peer& peer = peers_[from];
    if (progress.released > peer.envelopes_out || progress.consumed_B > peer.inlined_B) {
        throw mistake(from, "it says that it took more than it was sent");
    }
    peer.out.acknowledge(progress.delivered, now_s);
    peer.reported.delivered = std::max(peer.reported.delivered, progress.delivered);
    peer.reported.released = std::max(peer.reported.released, progress.released);
    peer.reported.consumed_B = std::max(peer.reported.consumed_B, progress.consumed_B);
    reconsider(from);
    const auto there = peer.payload_ends.upper_bound(peer.out.acknowledged());
    for (auto end = peer.payload_ends.begin(); end != there; end = peer.payload_ends.erase(end)) {
        peer.sends.at(end->second).payload_there = true;
        finish(from, end->second);
    }
}

void Endpoint::handle(Process from, const Envelope& envelope) {
    if (envelope.message != ++peers_[from].envelopes_in) throw mistake(from, "its messages are not in sequence");
    if (communicators_.contains(envelope.communicator)) return admit(from, envelope);
    const bool relayed = envelope.communicator >= kFirstRelayed;
    if (!relayed) require_consent(from);
    if (!relayed && making_ == 0) return drop({from, envelope});
    early_[envelope.communicator].push_back({from, envelope});
}

void Endpoint::handle(Process from, const Pull& pull) {
    Peer& peer = peers_[from];
    const auto entry = peer.sends.find(pull.message);
    if (entry == peer.sends.end() || !entry->second.awaits_pull) throw mistake(from, "it pulls what does not wait");
    Sent& sent = entry->second;
    sent.awaits_pull = false;
    sent.awaits_match = false;
    std::uint64_t sequence = 0;
    for (std::uint64_t offset_B = 0; offset_B < sent.size_B; offset_B += settings_.piece_B) {
        const std::uint64_t length_B = std::min(settings_.piece_B, sent.size_B - offset_B);
        sequence = push(from, Payload{pull.message, offset_B, length_B});
    }
    peer.payload_ends.emplace(sequence, pull.message);
}

void Endpoint::handle(Process from, const Payload& payload) {
    Peer& peer = peers_[from];
    const auto entry = peer.pulling.find(payload.message);
    if (entry == peer.pulling.end()) throw mistake(from, "it sends a payload that was not pulled");
    Pulling& pulling = entry->second;
    if (payload.offset_B != pulling.received_B || payload.length_B > pulling.size_B - pulling.received_B) {
        throw mistake(from, "a piece of a payload is out of place");
    }
    pulling.received_B += payload.length_B;
    const bool last = pulling.received_B == pulling.size_B;
    events_.push_back(Arrived{pulling.communicator, pulling.receive, payload.offset_B, payload.length_B, last});
    if (!last) return;
    peer.pulling.erase(entry);
    peer.must_tell = true;  // the send waits for it
}

void Endpoint::handle(Process from, const Matched& matched) {
    Peer& peer = peers_[from];
    const auto entry = peer.sends.find(matched.message);
    if (entry == peer.sends.end() || !entry->second.awaits_match || entry->second.awaits_pull) {
        throw mistake(from, "it matched what does not wait for that");
    }
    entry->second.awaits_match = false;
    finish(from, matched.message);
}

void Endpoint::handle(Process from, const Consent& consent) {
    Peer& peer = peers_[from];
    if (settings_.cancels) throw mistake(from, "it speaks of consent, and the library cancels");
    switch (consent.step) {
        case Consent::Step::ask:
            if (consented_.contains(from) || !asking_.insert(from).second)
                throw mistake(from, "it asks twice for consent");
            return grant();
        case Consent::Step::grant:
            if (peer.consent != Asked::asked) throw mistake(from, "it consents to what was not asked for");
            peer.consent = Asked::granted;
            return reconsider(from);
        case Consent::Step::give_back:
            if (peer.released != peer.envelopes_in || consented_.erase(from) == 0) {
                throw mistake(from, "it gives back a consent that it does not have, or still needs");
            }
    }
}

/// Asks for consent when it begins to be needed, and gives it back when it is not any more (rule 6).
void Endpoint::reconsider(Process to) {
    Peer& peer = peers_.at(to);
    if (settings_.cancels || to == self_) return;
    if (peer.preferred == Path::relay && peer.consent == Asked::not_yet) {
        peer.consent = Asked::asked;
        push(to, Consent{Consent::Step::ask});
    } else if (peer.preferred == Path::direct && peer.consent == Asked::granted && peer.drained()) {
        peer.consent = Asked::not_yet;
        push(to, Consent{Consent::Step::give_back});
    }
}

/// Consents to all who ask, in a moment in which the library has no receive: then nothing is to be cancelled.
void Endpoint::grant() {
    if (asking_.empty() || library_receives_ > 0) return;
    for (const auto& [id, communicator] : communicators_) {
        if (!communicator.queue.taken_over()) take_over(id);
    }
    for (const Process peer : asking_) push(peer, Consent{Consent::Step::grant});
    consented_.merge(asking_);
}

void Endpoint::require_consent(Process from) const {
    if (!settings_.cancels && !consented_.contains(from)) throw mistake(from, "it relays a message without consent");
}

void Endpoint::admit(Process from, const Envelope& envelope) {
    if (!communicators_.at(envelope.communicator).relayed) require_consent(from);
    const Relayed message{from, envelope.message, envelope.size_B, envelope.synchronous, envelope.inlined};
    change(envelope.communicator, [&](MatchingQueue& queue, Effects& effects) {
        queue.relayed(message, envelope.source, envelope.tag, envelope.native_before, effects);
        if (effects.released.empty()) ++counters_.held;
    });
}

/// Its sender may go on as if it had joined the matching, which it may have. One that waits for its receive does so
/// for good.
void Endpoint::drop(const Relayed& message, bool joined) {
    Peer& peer = peers_[message.peer];
    peer.released += joined ? 0 : 1;
    if (message.inlined) {
        peer.consumed_B += message.size_B;
        events_.push_back(Unreceivable{message.peer, message.message});
    }
    open_.insert(message.peer);
}

/// Its communicator was removed.
void Endpoint::drop(const Early& early) {
    const Envelope& envelope = early.envelope;
    drop({early.peer, envelope.message, envelope.size_B, envelope.synchronous, envelope.inlined}, false);
}

void Endpoint::finish(Process to, MessageId message) {
    Peer& peer = peers_[to];
    const auto entry = peer.sends.find(message);
    if (entry->second.awaits_match || !entry->second.payload_there) return;
    peer.sends.erase(entry);
    events_.push_back(SendDone{to, message});
}

}  // namespace fairlead::relay
