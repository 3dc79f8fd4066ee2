// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/message_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fairlead::core {

namespace {

/// A call that completes more is not looked at one by one.
constexpr std::size_t kMostReceives = 64;
constexpr std::size_t kMostWaits = 8192;
constexpr std::size_t kMostPlaces = 1U << 20;

/// A stamp of the peer, by the own clock.
std::int64_t own_ns(std::int64_t peer_ns, const ClockEstimate& clock, std::int64_t at_ns) {
    const double since_s = static_cast<double>(peer_ns - at_ns) * 1e-9 - clock.offset_s;
    return peer_ns - std::llround((clock.offset_s + clock.drift * since_s) * 1e9);
}

}  // namespace

MessageMonitor::MessageMonitor(HostId self, HostId hosts, const MessageSettings& settings, Acknowledge acknowledge)
    : self_(self),
      hosts_(hosts),
      settings_(settings),
      acknowledge_(acknowledge),
      due_(hosts),
      budget_(settings.max_asked_per_s),
      pairs_(hosts) {}

void MessageMonitor::place(std::uint32_t rank, HostId host) {
    if (host >= hosts_ || places_.size() >= kMostPlaces) return;
    places_[rank] = host;
    const auto before = unplaced_.extract(rank);
    if (!before || host == self_) return;
    PairTimes& times = pair(host);
    times.messages += before.mapped().messages;
    times.size_B += before.mapped().size_B;
    times.waits += before.mapped().waits;
    times.waited_s += before.mapped().waited_s;
}

void MessageMonitor::completed(std::span<const MessageEnd> call, Time now) {
    std::vector<Receive> receives;
    double processing_s = 0.0;
    for (const MessageEnd& end : call) {
        processing_s = std::max(processing_s, static_cast<double>(end.processing_ns) * 1e-9);
        if (end.sends) {
            send(end);
            continue;
        }
        const auto found = places_.find(end.key.source);
        if (found == places_.end()) {
            count_unplaced(end, call.size() == 1);
            continue;
        }
        receives.push_back({end.key,
                            found->second,
                            end.size_B,
                            {end.needed_ns, end.waiting_from_ns, end.done_ns, end.computed},
                            {},
                            0.0});
    }
    answer_asked();
    if (!receives.empty()) receive(std::move(receives), processing_s, now);
}

/// It may turn out to be a neighbour's, or the network's.
void MessageMonitor::count_unplaced(const MessageEnd& end, bool alone) {
    if (unplaced_.size() >= kMostPlaces) return;
    PairTimes& times = unplaced_[end.key.source];
    ++times.messages;
    times.size_B += end.size_B;
    const double waited = core::waited_s({end.needed_ns, end.waiting_from_ns, end.done_ns, end.computed});
    if (!alone || waited < settings_.waited_s) return;
    ++times.waits;
    times.waited_s += waited;
}

void MessageMonitor::send(const MessageEnd& end) {
    if (end.key.number >= wire::kMessageNumbers) return;
    sent_.add(end.key, {0, end.size_B, end.begun_ns, end.needed_ns, end.done_ns, end.computed});
}

void MessageMonitor::receive(std::vector<Receive> receives, double processing_s, Time now) {
    double waited = 0.0;
    const Receive* remote = nullptr;
    for (const Receive& each : receives) {
        waited = std::max(waited, core::waited_s(each.times));
        RankPairTimes& ranks = rank_pair(each);
        ++ranks.messages;
        ranks.size_B += each.size_B;
        if (each.source == self_) continue;
        remote = &each;
        PairTimes& times = pair(each.source);
        ++times.messages;
        times.size_B += each.size_B;
    }
    const bool waits = remote != nullptr && waited >= settings_.waited_s;
    if (!waits) rank_pair(remote == nullptr ? receives.front() : *remote).processing_s += processing_s;
    if (remote == nullptr || (!waits && acknowledge_ != Acknowledge::always)) return;
    const bool numbered =
        std::ranges::all_of(receives, [](const Receive& each) { return each.key.number < wire::kMessageNumbers; });
    if (!numbered || receives.size() > kMostReceives || waits_.size() >= kMostWaits || !afford(receives.size(), now)) {
        if (!waits) return;
        rank_pair(*remote).processing_s += processing_s;
        add_wait(*remote, nullptr);
        return;
    }
    ask({.receives = std::move(receives), .waited = waits, .processing_s = processing_s}, waited >= settings_.urgent_s,
        now);
}

void MessageMonitor::ask(Wait wait, bool urgent, Time now) {
    const std::uint32_t number = next_wait_++;
    wait.first_token = next_token_;
    wait.deadline = now + settings_.answer_timeout_s;
    wait.unanswered = wait.receives.size();
    for (std::size_t i = 0; i < wait.receives.size(); ++i) {
        const std::uint32_t token = next_token_++;
        tokens_[token] = {number, i};
        Due& due = due_[wait.receives[i].source];
        due.entries.push_back({token, wait.receives[i].key});
        due.urgent = due.urgent || urgent;
    }
    waits_.emplace(number, std::move(wait));
}

bool MessageMonitor::afford(std::size_t number, Time now) {
    budget_ = std::min(settings_.max_asked_per_s, budget_ + (now - refilled_) * settings_.max_asked_per_s);
    refilled_ = now;
    if (budget_ < static_cast<double>(number)) return false;
    budget_ -= static_cast<double>(number);
    return true;
}

void MessageMonitor::asked(HostId from, const wire::SendQuery& query, Time now) {
    for (const wire::AskedSend& each : query.entries) sent_.ask(from, each, now + settings_.answer_timeout_s);
    answer_asked();
}

/// What is known by now goes to who asked, in as few messages as it takes.
void MessageMonitor::answer_asked() {
    std::vector<SentMessages::Answer> answers = sent_.take_answers();
    std::ranges::stable_sort(answers, {}, &SentMessages::Answer::to);
    for (const SentMessages::Answer& answer : answers) {
        if (answer.to == self_) {
            answered(answer.told, self_, ClockEstimate{}, 0);
            continue;
        }
        auto* report = outgoing_.empty() || outgoing_.back().to != answer.to
                           ? nullptr
                           : std::get_if<wire::SendReport>(&outgoing_.back().message);
        if (report == nullptr || report->entries.size() >= wire::kMaxSends) {
            outgoing_.push_back({answer.to, wire::SendReport{}});
            report = std::get_if<wire::SendReport>(&outgoing_.back().message);
        }
        report->entries.push_back(answer.told);
    }
}

void MessageMonitor::told(HostId from, const wire::SendReport& report, const std::optional<ClockEstimate>& clock,
                          std::int64_t at_ns) {
    for (const wire::ToldSend& each : report.entries) answered(each, from, clock, at_ns);
}

void MessageMonitor::answered(const wire::ToldSend& told, HostId from, const std::optional<ClockEstimate>& clock,
                              std::int64_t at_ns) {
    const auto token = tokens_.find(told.token);
    if (token == tokens_.end()) return;
    const auto found = waits_.find(token->second.wait);
    Wait& wait = found->second;
    Receive& receive = wait.receives[token->second.receive];
    if (receive.source != from) return;
    tokens_.erase(token);
    if (clock) {
        const auto own = [&](std::int64_t peer_ns) { return own_ns(peer_ns, *clock, at_ns); };
        receive.send = {own(told.begun_ns), own(told.needed_ns), told.computed};
        receive.error_s = clock->error_s;
    }
    const bool mismatch = told.size_B != receive.size_B;
    mismatches_ += mismatch ? 1 : 0;
    wait.failed = wait.failed || mismatch || !clock;
    if (--wait.unanswered == 0) {
        const Wait whole = std::move(wait);
        waits_.erase(found);
        join(whole);
    }
}

/// The call waited for the message that was sent last: of the others it is not known when they came. One that was there
/// before the call's end took less than this says, so that L of several is never too long.
void MessageMonitor::join(const Wait& wait) {
    const Receive* last = nullptr;
    bool one_source = true;
    const Receive* remote = nullptr;
    for (const Receive& each : wait.receives) {
        one_source = one_source && each.source == wait.receives.front().source;
        if (each.source != self_) remote = &each;
        if (each.send && (last == nullptr || each.send->begun_ns > last->send->begun_ns)) last = &each;
    }
    std::optional<MessageTimes> times;
    if (!wait.failed && wait.unanswered == 0 && last != nullptr) {
        times = message_times(last->size_B, *last->send, last->times, last->error_s, settings_);
        mismatches_ += times ? 0 : 1;
    }
    const Receive& waited_for = times ? *last : *remote;
    if (wait.waited) rank_pair(waited_for).processing_s += wait.processing_s;
    if (waited_for.source == self_) return;  // the network between hosts has no part in it
    if (wait.waited) add_wait(waited_for, times ? &*times : nullptr);
    if (!times || !times->latency_s) return;
    if (wait.waited) {
        PairTimes& sums = pair(waited_for.source);
        if (sums.latencies_s.size() < kMostLatencies) sums.latencies_s.push_back(*times->latency_s);
        sums.error_s = std::max(sums.error_s, last->error_s);
    }
    if (acknowledge_ == Acknowledge::never) return;
    times_.push_back({last->source, last->key.source, last->key.destination, last->size_B, *times->latency_s,
                      last->error_s, one_source});
}

void MessageMonitor::forget_open() {
    give_up(std::numeric_limits<Time>::infinity());
}

void MessageMonitor::give_up(Time until) {
    for (auto wait = waits_.begin(); wait != waits_.end();) {
        if (wait->second.deadline > until) {
            ++wait;
            continue;
        }
        const Wait late = std::move(wait->second);
        for (std::uint32_t i = 0; i < late.receives.size(); ++i) tokens_.erase(late.first_token + i);
        wait = waits_.erase(wait);
        join(late);
    }
}

void MessageMonitor::tick(Time now) {
    sent_.expire(now);
    give_up(now);
    for (HostId host = 0; host < hosts_; ++host) {
        const Due& due = due_[host];
        if (due.entries.empty()) continue;
        const double period_s = due.urgent ? settings_.urgent_period_s : settings_.period_s;
        if (now - due.asked >= period_s || due.entries.size() >= wire::kMaxSends) flush(host, now);
    }
}

void MessageMonitor::flush(HostId host, Time now) {
    Due& due = due_[host];
    due.asked = now;
    due.urgent = false;
    const std::vector<wire::AskedSend> entries = std::exchange(due.entries, {});
    for (std::size_t first = 0; first < entries.size(); first += wire::kMaxSends) {
        const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(first);
        const std::size_t number = std::min(wire::kMaxSends, entries.size() - first);
        wire::SendQuery query{{begin, begin + static_cast<std::ptrdiff_t>(number)}};
        if (host == self_) {
            asked(self_, query, now);
        } else {
            outgoing_.push_back({host, std::move(query)});
        }
    }
}

/// A call that waited, and of what it did where that is known. A receiver that computes between its tests overlaps the
/// transmission with its work: that says nothing against the pair of ranks.
void MessageMonitor::add_wait(const Receive& receive, const MessageTimes* times) {
    const double waited = core::waited_s(receive.times);
    PairTimes& sums = pair(receive.source);
    ++sums.waits;
    sums.waited_s += waited;
    if (times != nullptr) {
        sums.known_s += waited;
        sums.network_s += times->network_s;
        sums.late_sender_s += times->late_sender_s;
    }
    if (receive.times.computed) return;
    RankPairTimes& ranks = rank_pair(receive);
    ranks.waited_s += waited;
    if (times != nullptr) {
        ranks.known_s += waited;
        ranks.transmission_s += times->network_s;
    }
}

RankPairTimes& MessageMonitor::rank_pair(const Receive& receive) {
    return rank_pairs_.at(receive.source, receive.key.source, receive.key.destination);
}

PairTimes& MessageMonitor::pair(HostId source) {
    pairs_[source].source = source;
    return pairs_[source];
}

std::vector<MessageMonitor::Outgoing> MessageMonitor::take_outgoing() {
    return std::exchange(outgoing_, {});
}

std::vector<NetworkTime> MessageMonitor::take_times() {
    return std::exchange(times_, {});
}

std::vector<PairTimes> MessageMonitor::take_pairs() {
    std::vector<PairTimes> taken;
    for (PairTimes& times : pairs_) {
        if (times.messages == 0 && times.waits == 0) continue;
        taken.push_back(std::exchange(times, {}));
    }
    return taken;
}

}  // namespace fairlead::core
