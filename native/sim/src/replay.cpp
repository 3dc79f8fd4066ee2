// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/replay.hpp"

#include <algorithm>
#include <utility>

namespace fairlead::sim {

namespace {

/// Messages of the program and those of collective operations never match.
Context context_of(CommunicatorId communicator, bool collective) {
    return 2 * static_cast<Context>(communicator) + (collective ? 1 : 0);
}

int place_in(const std::vector<int>& members, int rank) {
    return static_cast<int>(std::find(members.begin(), members.end(), rank) - members.begin());
}

}  // namespace

Replay::Replay(EventQueue& events, Tcp& tcp, const Trace& trace, const std::vector<EndId>& hosts, int job,
               const ReplaySettings& settings)
    : events_(events),
      trace_(trace),
      settings_(settings),
      messages_(events, tcp, hosts, job, settings.messages),
      ranks_(trace.events.size()),
      running_(trace.events.size()),
      finished_s_(trace.events.size()),
      waiting_s_(trace.events.size()) {
    if (hosts.size() != ranks_.size()) {
        throw std::invalid_argument("the trace has " + std::to_string(ranks_.size()) + " ranks, and " +
                                    std::to_string(hosts.size()) + " have a host");
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i].number = static_cast<int>(i);
    messages_.on_arrival([this] { check_progress(); });
    for (const auto& [kind, algorithm] : settings.algorithms) rounds(kind, algorithm, 1, 0, 0, 0);
}

void Replay::start(double at) {
    events_.at(at, [this] {
        started_at_ = events_.now();
        for (Rank& rank : ranks_) advance(rank);
        check_progress();
    });
}

double Replay::makespan_s() const {
    return *std::max_element(finished_s_.begin(), finished_s_.end());
}

/// One event after the other, until one takes time.
void Replay::advance(Rank& rank) {
    while (begin_next(rank)) {
    }
}

/// Whether the rank goes on at once.
bool Replay::begin_next(Rank& rank) {
    if (rank.busy_s > 0.0) return spend(rank, std::exchange(rank.busy_s, 0.0));
    if (rank.round < rank.rounds.size()) return begin_round(rank);
    const std::vector<TraceEvent>& events = trace_.events[static_cast<std::size_t>(rank.number)];
    if (rank.next == events.size()) {
        --running_;
        finished_s_[static_cast<std::size_t>(rank.number)] = events_.now() - started_at_;
        return false;
    }
    const TraceEvent& event = events[rank.next++];
    rank.line = event.line;
    return std::visit([this, &rank](const auto& operation) { return begin(rank, operation); }, event.operation);
}

bool Replay::begin(Rank& rank, const Compute& compute) {
    return spend(rank, compute.duration_s);
}

bool Replay::begin(Rank& rank, const Send& each) {
    const int request = each.request ? *each.request : --rank.last_own;
    send(rank, request, each, context_of(each.communicator, false));
    return each.request ? true : await(rank, {request});
}

bool Replay::begin(Rank& rank, const Receive& each) {
    const int request = each.request ? *each.request : --rank.last_own;
    receive(rank, request, each, context_of(each.communicator, false));
    return each.request ? true : await(rank, {request});
}

bool Replay::begin(Rank& rank, const Wait& wait) {
    if (wait.request) return await(rank, {*wait.request});
    std::vector<int> all;
    for (const auto& [name, request] : rank.requests) all.push_back(name);
    return await(rank, all);
}

bool Replay::begin(Rank& rank, const Collective& collective) {
    const std::vector<int>& members = trace_.communicators.at(collective.communicator);
    const auto named = settings_.algorithms.find(collective.kind);
    const std::string_view algorithm =
        named != settings_.algorithms.end() ? std::string_view(named->second) : algorithms(collective.kind).front();
    rank.collective = collective;
    ++rank.collectives[collective.communicator];
    rank.rounds = rounds(collective.kind, algorithm, static_cast<int>(members.size()), place_in(members, rank.number),
                         place_in(members, collective.root), collective.size_B);
    rank.round = 0;
    return true;
}

bool Replay::begin_round(Rank& rank) {
    const Round& round = rank.rounds[rank.round++];
    const CommunicatorId communicator = rank.collective.communicator;
    const std::vector<int>& members = trace_.communicators.at(communicator);
    const int number = rank.collectives[communicator];
    const Context context = context_of(communicator, true);
    const auto member = [&members](int place) { return members[static_cast<std::size_t>(place)]; };
    std::vector<int> requests;
    for (const int peer : round.receives) {
        requests.push_back(--rank.last_own);
        receive(rank, requests.back(), {member(peer), UINT64_MAX, number, communicator, {}}, context);
    }
    for (const Part& part : round.sends) {
        requests.push_back(--rank.last_own);
        send(rank, requests.back(), {member(part.peer), part.size_B, number, communicator, {}}, context);
    }
    return await(rank, requests);
}

/// The rank's processor is busy for so long.
bool Replay::spend(Rank& rank, double duration_s) {
    if (duration_s <= 0.0) return true;
    ++computing_;
    events_.at(events_.now() + duration_s, [this, &rank] {
        --computing_;
        advance(rank);
        check_progress();
    });
    return false;
}

void Replay::send(Rank& rank, int request, const Transfer& transfer, Context context) {
    rank.requests[request] = Request{};
    rank.busy_s += settings_.overhead_s;
    messages_.send(rank.number, transfer.peer, transfer.size_B, transfer.tag, context,
                   [this, &rank, request] { complete(rank, request); });
}

void Replay::receive(Rank& rank, int request, const Transfer& transfer, Context context) {
    rank.requests[request] = Request{};
    rank.busy_s += settings_.overhead_s;
    messages_.receive(rank.number, transfer.peer, transfer.size_B, transfer.tag, context,
                      [this, &rank, request] { complete(rank, request); });
}

/// Whether all of them are done already; else the rank goes on when they are.
bool Replay::await(Rank& rank, const std::vector<int>& requests) {
    for (const int name : requests) {
        const auto found = rank.requests.find(name);
        if (found->second.done) {
            rank.requests.erase(found);
        } else {
            found->second.awaited = true;
            ++rank.missing;
        }
    }
    rank.since = events_.now();
    return rank.missing == 0;
}

void Replay::complete(Rank& rank, int request) {
    Request& found = rank.requests.at(request);
    found.done = true;
    if (found.awaited) {
        rank.requests.erase(request);
        if (--rank.missing == 0) {
            waiting_s_[static_cast<std::size_t>(rank.number)] += events_.now() - rank.since;
            advance(rank);
        }
    }
}

/// Somebody computes, something is on its way, or all have ended: else nothing will ever happen.
void Replay::check_progress() const {
    if (running_ == 0 || computing_ > 0 || messages_.in_motion()) return;
    std::string waiting;
    for (const Rank& rank : ranks_) {
        if (rank.missing == 0) continue;
        waiting += (waiting.empty() ? "" : ", ") + std::string("rank ") + std::to_string(rank.number);
        if (rank.line > 0) waiting += " (line " + std::to_string(rank.line) + ")";
    }
    throw DeadlockError("the program hangs; these wait for messages that nobody sends: " + waiting);
}

}  // namespace fairlead::sim
