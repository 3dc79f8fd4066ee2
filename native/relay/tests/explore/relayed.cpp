// SPDX-License-Identifier: Apache-2.0
#include "relayed.hpp"

#include <algorithm>

namespace fairlead::relay::explore {

namespace {

constexpr std::uint64_t kSmall_B = 1;
constexpr std::uint64_t kInlineLimit_B = 10;
constexpr std::uint64_t kLarge_B = 100;

Settings settings(const Chaos& chaos) {
    Settings settings;
    settings.inline_limit_B = kInlineLimit_B;
    settings.credit_B = chaos.credit_B;
    settings.retransmit_s = 1e9;  // the explorer says when: Action::Kind::resend
    settings.cancels = chaos.cancels;
    return settings;
}

bool before(const Frame& a, const Frame& b) {
    return std::tie(a.from, a.to, a.sequence) < std::tie(b.from, b.to, b.sequence);
}

}  // namespace

RelayedMpi::RelayedMpi(Process processes, CommunicatorId communicators, Chaos chaos, Mistakes mistakes)
    : native_(NativeMpi(processes)), communicators_(communicators), chaos_(chaos), mistakes_(mistakes) {
    for (Process self = 0; self < processes; ++self) {
        Node node{.endpoint = Endpoint(self, processes, settings(chaos))};
        for (CommunicatorId communicator = 0; communicator < communicators; ++communicator) {
            node.endpoint.add_communicator(communicator, static_cast<Rank>(processes));
        }
        node.agents.assign(processes, 0);
        node.lost.assign(processes, false);
        node.told.assign(processes, {});
        node.wanted.assign(processes, Path::direct);
        node.labels.assign(processes, {});
        node.left.assign(communicators, false);
        node.takeovers = chaos.takeovers;
        node.wishes = chaos.wishes;
        nodes_.emplace_back(std::move(node));
    }
}

// Calls of the program.

int RelayedMpi::ways_to_send(Process from, const Step& step) const {
    if (!chaos_.cancels) return 1;
    const bool direct = chaos_.direct && node_of(from).endpoint.path(step.peer) == Path::direct;
    const bool relay = step.peer != from && (chaos_.relay || !direct);
    return (direct ? 1 : 0) + (relay ? 1 : 0);
}

int RelayedMpi::send(Process from, const Step& step, Label label, int way) {
    Node& node = node_of(from);
    Endpoint& endpoint = node.endpoint;
    // The ways are: direct if that is possible, then relay.
    const bool drawn = chaos_.cancels && (way == 1 || !chaos_.direct);
    const bool relay = drawn || endpoint.path(step.peer) == Path::relay;
    if (chaos_.cancels) endpoint.prefer(step.peer, relay ? Path::relay : Path::direct);
    Request request{.communicator = step.communicator, .label = label};
    if (relay) {
        endpoint.choose_path(step.communicator, step.peer);
        const std::uint64_t size_B = step.large ? kLarge_B : kSmall_B;
        const MessageId message = endpoint.send(step.communicator, step.peer, static_cast<Rank>(from), step.pattern.tag,
                                                size_B, step.synchronous);
        node.labels[step.peer].push_back(label);
        request.done = !step.synchronous && !step.large;
        request.sent = {step.peer, message};
    } else {
        request.unsent = step;
        if (!mistakes_.count_late) endpoint.choose_path(step.communicator, step.peer);
        if (!chaos_.threads) enter(from, request);
        if (chaos_.threads) request.entry = Entry::to_enter;
    }
    // Preferences are drawn anew for every message, or else kept until the next wish.
    if (chaos_.cancels) endpoint.prefer(step.peer, Path::direct);
    const int handle = add(from, std::move(request));
    settle(from);
    return handle;
}

void RelayedMpi::enter(Process from, Request& request) {
    const Step& step = *request.unsent;
    request.native = native_.edit().send({from, step.peer, step.communicator}, step.pattern.tag, step.large,
                                         step.synchronous, request.label);
    request.entry = mistakes_.count_late ? Entry::to_count : Entry::over;
}

void RelayedMpi::count(Process from, Request& request) {
    node_of(from).endpoint.choose_path(request.communicator, request.unsent->peer);
    request.entry = Entry::over;
}

int RelayedMpi::receive(Process at, const Step& step) {
    Node& node = node_of(at);
    Request request{.communicator = step.communicator};
    const bool left = node.left[step.communicator];
    bool native = left;
    if (!left) {
        const auto posted = node.endpoint.post_receive(step.communicator, step.pattern);
        request.receive = posted.receive;
        native = posted.native;
    }
    if (native) request.native = native_.edit().receive(at, step.communicator, step.pattern);
    request.posted_natively = native && !left;
    const int handle = add(at, std::move(request));
    settle(at);
    return handle;
}

bool RelayedMpi::done(Process at, int handle) const {
    const Request& asked = request(at, handle);
    return asked.native ? native_->done(at, *asked.native) : asked.done;
}

Label RelayedMpi::take(Process at, int handle) {
    Request& taken = node_of(at).requests[static_cast<std::size_t>(handle)];
    if (taken.posted_natively) account(at, taken);
    return taken.native ? native_->message_of(at, *taken.native).label : taken.label;
}

std::optional<Label> RelayedMpi::probe(Process at, const Step& step) const {
    if (matches_here(at, step.communicator)) {
        const Arrival* found = node_of(at).endpoint.probe(step.communicator, step.pattern);
        return found == nullptr ? std::nullopt : std::optional(label_of(at, *found));
    }
    const auto* found = native_->probe(at, step.communicator, step.pattern);
    return found == nullptr ? std::nullopt : std::optional(found->label);
}

bool RelayedMpi::can_extract(Process at, const Step& step) const {
    return probe(at, step).has_value();
}

int RelayedMpi::extract(Process at, const Step& step) {
    Node& node = node_of(at);
    Message message;
    if (matches_here(at, step.communicator)) {
        message.arrival = node.endpoint.extract(step.communicator, step.pattern);
    } else {
        message.native = native_.edit().extract(at, step.communicator, step.pattern);
        const Process source = native_->extracted(at, *message.native).from;
        account(at, step.communicator, source);
        node.endpoint.native_extracted(step.communicator, static_cast<Rank>(source));
    }
    node.messages.push_back(message);
    settle(at);
    return static_cast<int>(node.messages.size()) - 1;
}

int RelayedMpi::receive_extracted(Process at, const Step& step, int message) {
    Node& node = node_of(at);
    const Message taken = node.messages[static_cast<std::size_t>(message)];
    Request request{.communicator = step.communicator};
    if (taken.arrival && std::holds_alternative<Relayed>(taken.arrival->body)) {
        request.receive = node.endpoint.receive_extracted(step.communicator, *taken.arrival);
    } else {
        const int handle = taken.native ? *taken.native : static_cast<int>(std::get<NativeHandle>(taken.arrival->body));
        request.native = native_.edit().receive_message(at, handle);
    }
    const int handle = add(at, std::move(request));
    settle(at);
    return handle;
}

bool RelayedMpi::cancel(Process at, int handle) {
    Node& node = node_of(at);
    Request& cancelled = node.requests[static_cast<std::size_t>(handle)];
    if (cancelled.native && cancelled.posted_natively) {
        if (!native_.edit().cancel(at, *cancelled.native)) return false;
        cancelled.posted_natively = false;
        node.endpoint.native_cancelled(cancelled.communicator, *cancelled.receive);
        settle(at);
        return true;
    }
    return !cancelled.native && node.endpoint.withdraw_receive(cancelled.communicator, *cancelled.receive);
}

bool RelayedMpi::passed_barrier(Process at) const {
    return std::all_of(nodes_.begin(), nodes_.end(),
                       [&](const Part<Node>& node) { return node->in_barrier >= node_of(at).in_barrier; });
}

void RelayedMpi::block(Process at, std::optional<int> handle) {
    const bool natively = !handle || request(at, *handle).native;
    const bool asleep = mistakes_.sleep && natively;
    if (asleep != nodes_[at]->asleep) node_of(at).asleep = asleep;
}

void RelayedMpi::unblock(Process at) {
    if (nodes_[at]->asleep) node_of(at).asleep = false;
}

bool RelayedMpi::drained() const {
    for (const Part<Node>& node : nodes_) {
        for (Process peer = 0; peer < nodes_.size(); ++peer) {
            if (!node->endpoint.link_to(peer).idle()) return false;
        }
    }
    return wire_.empty() && native_->arrivals().empty();
}

// What happens by itself.

std::vector<Action> RelayedMpi::actions() const {
    std::vector<Action> ready;
    for (const auto& channel : native_->arrivals()) ready.push_back({Action::Kind::arrive, channel.to, 0, channel});
    for (const auto& transfer : native_->transfers()) {
        ready.push_back({Action::Kind::finish, transfer.at, static_cast<std::size_t>(transfer.request), {}});
    }
    network_actions(ready);
    for (Process at = 0; at < nodes_.size(); ++at) {
        if (!node_of(at).asleep) process_actions(at, ready);
    }
    return ready;
}

void RelayedMpi::network_actions(std::vector<Action>& ready) const {
    for (std::size_t i = 0; i < wire_.size(); ++i) {
        const Process to = wire_[i].to;
        const bool takes = chaos_.agents || !node_of(to).asleep;
        if (takes) ready.push_back({Action::Kind::deliver, to, i, {}});
        if (takes && chaos_.repeats > 0) ready.push_back({Action::Kind::repeat, to, i, {}});
        if (chaos_.losses > 0) ready.push_back({Action::Kind::lose, to, i, {}});
    }
    for (Process at = 0; at < nodes_.size(); ++at) {
        const Node& node = node_of(at);
        for (std::size_t i = 0; i < node.at_agent.size() && !node.asleep; ++i) {
            ready.push_back({Action::Kind::hand_over, at, i, {}});
        }
        if (chaos_.agent_deaths > 0 && !node.at_agent.empty()) ready.push_back({Action::Kind::agent_dies, at, 0, {}});
    }
}

void RelayedMpi::process_actions(Process at, std::vector<Action>& ready) const {
    const Node& node = node_of(at);
    for (Process peer = 0; peer < nodes_.size(); ++peer) {
        if (node.wishes > 0 && peer != at) ready.push_back({Action::Kind::wish, at, peer, {}});
        if (node.lost[peer]) ready.push_back({Action::Kind::resend, at, peer, {}});
        if (progress_told(peer, at) != node_of(peer).told[at]) {
            ready.push_back({Action::Kind::learn_progress, at, peer, {}});
        }
    }
    for (std::size_t i = 0; i < node.requests.size(); ++i) {
        const Request& request = node.requests[i];
        if (request.entry == Entry::to_enter) ready.push_back({Action::Kind::enter_send, at, i, {}});
        if (request.entry == Entry::to_count) ready.push_back({Action::Kind::count_send, at, i, {}});
        if (request.posted_natively && native_->done(at, *request.native)) {
            ready.push_back({Action::Kind::learn_completion, at, i, {}});
        }
    }
    for (CommunicatorId communicator = 0; communicator < communicators_; ++communicator) {
        takeover_actions(at, communicator, ready);
    }
}

void RelayedMpi::takeover_actions(Process at, CommunicatorId communicator, std::vector<Action>& ready) const {
    const Node& node = node_of(at);
    const Endpoint& endpoint = node.endpoint;
    if (!endpoint.taken_over(communicator)) {
        const bool may = node.takeovers > 0 && endpoint.may_take_over(communicator);
        if (may) ready.push_back({Action::Kind::take_over, at, communicator, {}});
        return;
    }
    if (node.left[communicator]) return;
    if (endpoint.next_to_cancel(communicator)) ready.push_back({Action::Kind::cancel, at, communicator, {}});
    if (endpoint.may_pull(communicator) && native_->probe(at, communicator, {}) != nullptr) {
        ready.push_back({Action::Kind::pull, at, communicator, {}});
    }
    if (endpoint.may_return(communicator) || may_leave_by_mistake(at, communicator)) {
        ready.push_back({Action::Kind::return_to_native, at, communicator, {}});
    }
}

void RelayedMpi::act(const Action& action) {
    switch (action.kind) {
        case Action::Kind::arrive:
            return native_.edit().arrive(action.channel);
        case Action::Kind::finish:
            return native_.edit().finish({action.at, static_cast<int>(action.which)});
        case Action::Kind::deliver:
        case Action::Kind::repeat:
        case Action::Kind::lose:
        case Action::Kind::hand_over:
        case Action::Kind::agent_dies:
            return act_on_network(action);
        default:
            act_in_process(action);
            settle(action.at);
    }
}

void RelayedMpi::act_on_network(const Action& action) {
    Node& node = node_of(action.at);
    const auto place = static_cast<std::ptrdiff_t>(action.which);
    if (action.kind == Action::Kind::agent_dies) {
        --chaos_.agent_deaths;
        for (const Frame& frame : node.at_agent) node_of(frame.from).lost[frame.to] = true;
        node.at_agent.clear();
        return;
    }
    std::vector<Frame>& from = action.kind == Action::Kind::hand_over ? node.at_agent : wire_;
    const Frame frame = from[action.which];
    if (action.kind == Action::Kind::repeat) {
        --chaos_.repeats;
    } else {
        from.erase(from.begin() + place);
    }
    if (action.kind == Action::Kind::lose) {
        --chaos_.losses;
        node_of(frame.from).lost[frame.to] = true;
    } else if (action.kind == Action::Kind::hand_over || !chaos_.agents) {
        hand_over(frame);
    } else {
        std::uint64_t& had = node.agents[frame.from];
        if (frame.sequence == had + 1) ++had;
        node.at_agent.insert(std::upper_bound(node.at_agent.begin(), node.at_agent.end(), frame, before), frame);
    }
}

void RelayedMpi::hand_over(Frame frame) {
    Node& node = node_of(frame.to);
    if (auto* envelope = std::get_if<Envelope>(&frame.body)) {
        node.left[envelope->communicator] = false;
        if (mistakes_.count_ignored) {
            const std::uint64_t accounted = node.accounted[{envelope->communicator, frame.from}];
            envelope->native_before = std::min(envelope->native_before, accounted);
        }
    }
    const auto* consent = std::get_if<Consent>(&frame.body);
    if (mistakes_.consent_early && consent != nullptr && consent->step == Consent::Step::ask) forget_receives(frame.to);
    node.endpoint.receive(frame, 0.0);
    settle(frame.to);
}

/// The endpoint takes it that the library has none; it keeps them.
void RelayedMpi::forget_receives(Process at) {
    Node& node = node_of(at);
    for (Request& request : node.requests) {
        if (!request.posted_natively) continue;
        request.posted_natively = false;
        node.endpoint.native_cancelled(request.communicator, *request.receive);
    }
}

void RelayedMpi::act_in_process(const Action& action) {
    Node& node = node_of(action.at);
    switch (action.kind) {
        case Action::Kind::resend:
            node.lost[action.which] = false;
            return node.endpoint.resend(static_cast<Process>(action.which));
        case Action::Kind::learn_progress: {
            const auto peer = static_cast<Process>(action.which);
            Frame frame{.from = peer, .to = action.at, .progress = progress_told(peer, action.at)};
            node_of(peer).told[action.at] = frame.progress;
            node.endpoint.receive(frame, 0.0);
            return;
        }
        case Action::Kind::enter_send:
            return enter(action.at, node.requests[action.which]);
        case Action::Kind::count_send:
            return count(action.at, node.requests[action.which]);
        case Action::Kind::learn_completion:
            return account(action.at, node.requests[action.which]);
        case Action::Kind::wish: {
            --node.wishes;
            Path& wanted = node.wanted[action.which];
            wanted = wanted == Path::direct ? Path::relay : Path::direct;
            return node.endpoint.prefer(static_cast<Process>(action.which), wanted);
        }
        case Action::Kind::take_over:
            --node.takeovers;
            return node.endpoint.take_over(action.which);
        case Action::Kind::cancel:
            return cancel_one(action.at, action.which);
        case Action::Kind::pull:
            return pull(action.at, action.which);
        default:
            return leave(action.at, action.which);
    }
}

void RelayedMpi::cancel_one(Process at, CommunicatorId communicator) {
    Node& node = node_of(at);
    const auto open = [&](const Request& request) {
        return request.posted_natively && !request.cancel_failed && request.communicator == communicator;
    };
    ReceiveId receive = node.endpoint.next_to_cancel(communicator).value();
    if (mistakes_.oldest_first) {
        receive = std::find_if(node.requests.begin(), node.requests.end(), open)->receive.value();
    }
    Request& request = *find_receive(at, receive);
    const bool cancelled = native_.edit().cancel(at, *request.native);
    if (cancelled || mistakes_.outcome_ignored) {
        request.native.reset();
        request.posted_natively = false;
        node.endpoint.cancelled(communicator, receive);
    } else {
        request.cancel_failed = true;
        node.endpoint.cancel_failed(communicator, receive);
    }
}

void RelayedMpi::pull(Process at, CommunicatorId communicator) {
    const int handle = native_.edit().extract(at, communicator, {}).value();
    const NativeMpi::Message& message = native_->extracted(at, handle);
    account(at, communicator, message.from);
    node_of(at).endpoint.pulled(communicator, static_cast<NativeHandle>(handle), static_cast<Rank>(message.from),
                                message.tag);
}

void RelayedMpi::leave(Process at, CommunicatorId communicator) {
    Endpoint& endpoint = node_of(at).endpoint;
    if (endpoint.may_return(communicator)) return endpoint.return_to_native(communicator);
    node_of(at).left[communicator] = true;
}

bool RelayedMpi::may_leave_by_mistake(Process at, CommunicatorId communicator) const {
    const MatchingQueue& queue = node_of(at).endpoint.matching(communicator);
    const bool posted = queue.posted() > 0;
    const bool unexpected = queue.unexpected() > 0;
    const bool held = queue.held() > 0;
    const bool consented = !posted && !unexpected && !held && !node_of(at).endpoint.may_return(communicator);
    return queue.settled() && ((mistakes_.leave_consented && consented) ||
                               (mistakes_.leave_with_queue && unexpected && !posted && !held) ||
                               (mistakes_.leave_with_receives && posted && !unexpected && !held) ||
                               (mistakes_.leave_with_held && held && !posted && !unexpected));
}

/// Whether receives and probes look into the endpoint's queue.
bool RelayedMpi::matches_here(Process at, CommunicatorId communicator) const {
    return node_of(at).endpoint.taken_over(communicator) && !node_of(at).left[communicator];
}

Progress RelayedMpi::progress_told(Process by, Process to) const {
    Progress progress = node_of(by).endpoint.progress(to);
    if (mistakes_.agent_acknowledges) progress.delivered = std::max(progress.delivered, node_of(by).agents[to]);
    if (mistakes_.return_on_delivery && progress.delivered == node_of(to).endpoint.link_to(by).transmitted()) {
        progress.released = node_of(to).labels[by].size();
    }
    return progress;
}

// Books.

int RelayedMpi::add(Process at, Request request) {
    node_of(at).requests.push_back(std::move(request));
    return static_cast<int>(node_of(at).requests.size()) - 1;
}

void RelayedMpi::account(Process at, Request& request) {
    const Process source = native_->message_of(at, *request.native).from;
    request.posted_natively = false;
    account(at, request.communicator, source);
    node_of(at).endpoint.native_completed(request.communicator, *request.receive, static_cast<Rank>(source));
    settle(at);
}

void RelayedMpi::account(Process at, CommunicatorId communicator, Process source) {
    ++node_of(at).accounted[{communicator, source}];
}

Label RelayedMpi::label_of(Process at, const Arrival& arrival) const {
    if (const auto* handle = std::get_if<NativeHandle>(&arrival.body)) {
        return native_->extracted(at, static_cast<int>(*handle)).label;
    }
    const auto& relayed = std::get<Relayed>(arrival.body);
    return node_of(relayed.peer).labels[at].at(relayed.message - 1);
}

RelayedMpi::Request* RelayedMpi::find_receive(Process at, ReceiveId receive) {
    std::vector<Request>& requests = node_of(at).requests;
    const auto found = std::find_if(requests.begin(), requests.end(),
                                    [&](const Request& request) { return request.receive == receive; });
    return &*found;
}

void RelayedMpi::settle(Process at) {
    Node& node = node_of(at);
    for (const Event& event : node.endpoint.take_events()) {
        if (const auto* match = std::get_if<ReceiveMatched>(&event)) {
            matched(at, *match);
        } else if (const auto* piece = std::get_if<Arrived>(&event)) {
            find_receive(at, piece->receive)->done = piece->last;
        } else {
            const auto& sent = std::get<SendDone>(event);
            for (Request& request : node.requests) {
                if (request.sent == std::pair(sent.peer, sent.message)) request.done = true;
            }
        }
    }
    for (Process peer = 0; peer < nodes_.size(); ++peer) {
        while (auto frame = node.endpoint.next_frame(peer, 0.0)) {
            // Progress is learnt by an action of its own, so that it may come at any time.
            frame->progress = {};
            const auto place = std::lower_bound(wire_.begin(), wire_.end(), *frame, before);
            const bool there = place != wire_.end() && !before(*frame, *place);
            if (frame->sequence != 0 && !there) wire_.insert(place, *frame);
        }
    }
}

void RelayedMpi::matched(Process at, const ReceiveMatched& event) {
    Request& request = *find_receive(at, event.match.receive);
    if (const auto* handle = std::get_if<NativeHandle>(&event.match.arrival.body)) {
        request.native = native_.edit().receive_message(at, static_cast<int>(*handle));
        return;
    }
    request.label = label_of(at, event.match.arrival);
    request.done = std::get<Relayed>(event.match.arrival.body).inlined;
}

}  // namespace fairlead::relay::explore
