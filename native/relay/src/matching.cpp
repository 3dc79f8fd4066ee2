// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/matching.hpp"

#include <algorithm>
#include <string>

namespace fairlead::relay {

void MatchingQueue::take_over(Effects& effects) {
    taken_over_ = true;
    release_all(effects);
}

std::optional<ReceiveId> MatchingQueue::next_to_cancel() const {
    if (!taken_over_ || open_native_ == 0) return std::nullopt;
    const auto youngest =
        std::find_if(native_.rbegin(), native_.rend(), [](const auto& entry) { return !entry.second.matched; });
    return youngest->first;
}

void MatchingQueue::cancelled(ReceiveId receive, Effects& effects) {
    if (!taken_over_) throw std::logic_error("a receive was cancelled for a takeover that is not there");
    const Pattern pattern = native_.at(receive).pattern;
    drop_native(receive);
    posted_.emplace(receive, pattern);
    release_all(effects);
}

void MatchingQueue::cancel_failed(ReceiveId receive, Effects& effects) {
    NativeReceive& native = native_.at(receive);
    if (native.matched) return;
    native.matched = true;
    --open_native_;
    release_all(effects);
}

void MatchingQueue::return_to_native() {
    if (!may_return()) throw std::logic_error("a takeover cannot end while something is left in it");
    taken_over_ = false;
}

MatchingQueue::Posting MatchingQueue::post(ReceiveId receive, Pattern pattern, Effects& effects) {
    if (!taken_over_) {
        native_.emplace(receive, NativeReceive{pattern});
        ++open_native_;
        return Posting::native;
    }
    const auto arrival = find(pattern);
    if (arrival == unexpected_.end()) {
        posted_.emplace(receive, pattern);
        return Posting::queued;
    }
    effects.matches.push_back({receive, *arrival});
    unexpected_.erase(arrival);
    return Posting::matched;
}

const Arrival* MatchingQueue::probe(Pattern pattern) const {
    const auto arrival = find(pattern);
    return arrival == unexpected_.end() ? nullptr : &*arrival;
}

std::optional<Arrival> MatchingQueue::extract(Pattern pattern) {
    const auto arrival = find(pattern);
    if (arrival == unexpected_.end()) return std::nullopt;
    Arrival taken = *arrival;
    unexpected_.erase(arrival);
    return taken;
}

void MatchingQueue::native_completed(ReceiveId receive, Rank from, Effects& effects) {
    drop_native(receive);
    account(from, effects);
    release_all(effects);
}

void MatchingQueue::native_cancelled(ReceiveId receive, Effects& effects) {
    drop_native(receive);
    release_all(effects);
}

void MatchingQueue::native_extracted(Rank from, Effects& effects) {
    account(from, effects);
}

void MatchingQueue::pulled(NativeHandle handle, Rank from, Tag tag, Effects& effects) {
    if (!settled()) throw std::logic_error("a message was pulled while the library still matches");
    source(from);  // a rank out of range must not change anything
    offer({from, tag, handle}, effects);
    account(from, effects);
}

void MatchingQueue::relayed(const Relayed& message, Rank from, Tag tag, std::uint64_t native_before, Effects& effects) {
    if (from < 0 || from >= sources()) throw ProtocolError("a relayed message from rank " + std::to_string(from));
    Source& sender = source(from);
    const std::uint64_t least = sender.held.empty() ? sender.accounted : sender.held.back().native_before;
    if (native_before < least) {
        throw ProtocolError("a relayed message of rank " + std::to_string(from) + " follows " +
                            std::to_string(native_before) + " native ones, an earlier one " + std::to_string(least));
    }
    sender.held.push_back({message, tag, native_before});
    ++held_;
    taken_over_ = true;
    release(from, effects);
}

std::vector<Relayed> MatchingQueue::unexpected_relayed() const {
    std::vector<Relayed> messages;
    for (const Arrival& arrival : unexpected_) {
        if (const auto* relayed = std::get_if<Relayed>(&arrival.body)) messages.push_back(*relayed);
    }
    return messages;
}

std::vector<Relayed> MatchingQueue::held_back() const {
    std::vector<Relayed> messages;
    for (const Source& sender : sources_) {
        for (const Held& held : sender.held) messages.push_back(held.message);
    }
    return messages;
}

void MatchingQueue::drop_native(ReceiveId receive) {
    const auto entry = native_.find(receive);
    if (entry == native_.end()) throw std::logic_error("the library does not hold receive " + std::to_string(receive));
    if (!entry->second.matched) --open_native_;
    native_.erase(entry);
}

void MatchingQueue::account(Rank rank, Effects& effects) {
    ++source(rank).accounted;
    release(rank, effects);
}

void MatchingQueue::release(Rank rank, Effects& effects) {
    if (!settled()) return;
    Source& sender = source(rank);
    while (!sender.held.empty() && sender.held.front().native_before <= sender.accounted) {
        const Held next = sender.held.front();
        sender.held.pop_front();
        --held_;
        effects.released.push_back(next.message.peer);
        offer({rank, next.tag, next.message}, effects);
    }
}

void MatchingQueue::release_all(Effects& effects) {
    if (held_ == 0) return;
    for (Rank rank = 0; rank < sources(); ++rank) release(rank, effects);
}

void MatchingQueue::offer(const Arrival& arrival, Effects& effects) {
    const auto receive = std::find_if(posted_.begin(), posted_.end(), [&](const auto& entry) {
        return entry.second.accepts(arrival.source, arrival.tag);
    });
    if (receive == posted_.end()) {
        unexpected_.push_back(arrival);
        return;
    }
    effects.matches.push_back({receive->first, arrival});
    posted_.erase(receive);
}

std::list<Arrival>::const_iterator MatchingQueue::find(Pattern pattern) const {
    return std::find_if(unexpected_.begin(), unexpected_.end(),
                        [&](const Arrival& arrival) { return pattern.accepts(arrival.source, arrival.tag); });
}

}  // namespace fairlead::relay
