// SPDX-License-Identifier: Apache-2.0
#include "planes/relay_plane.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <bit>
#include <system_error>
#include <utility>

#include "fairlead/relay/wire.hpp"
#include "process/clock.hpp"

namespace fairlead::agent {
namespace {

/// Frames of one rank before others have their turn, and turns before the loop's other work has.
constexpr int kBatch = 256;
constexpr int kRounds = 16;
constexpr std::uint32_t kReadable = EPOLLIN;
/// What frames have besides their messages' bytes, at most; those without a message are no longer.
constexpr std::size_t kLongestHeading_B = relay::wire::kHeader_B + relay::wire::kMaxBody_B;
/// So long frames wait for a connection that is being made, and all behind them in their ring or stream. Later ones are
/// dropped: their ranks send them again by MPI.
constexpr double kDialPatience_s = 0.2;
constexpr double kLossesPeriod_s = 0.1;

/// A rank's ring holds what its pool admits, or one frame of any length.
std::uint64_t ring_for(std::uint64_t capacity_B) {
    const std::uint64_t needed_B =
        std::max(capacity_B, relay::in_ring_B(relay::wire::kMaxFrame_B)) + relay::kChannelPage_B;
    return std::bit_ceil(needed_B);
}

void add(relay::ToldCounts& sum, const relay::ToldCounts& counts) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
}

}  // namespace

RelayPlane::RelayPlane(EventLoop& loop, RelaySetup setup, Dial dial, Log log)
    : loop_(loop),
      setup_(std::move(setup)),
      dial_(std::move(dial)),
      log_(std::move(log)),
      buffers_(setup_.capacity_B, LocalRanks::kMostRanks),
      ranks_(loop, setup_.directory, setup_.uid, ring_for(setup_.capacity_B),
             {.joined =
                  [this](RankChannel& channel) {
                      world_ = channel.world();
                      turn_to(setup_.self, world_);
                      places_.put(world_, channel.rank(), setup_.self);
                      tell_of(channel.rank());
                      tell(channel);
                  },
              .rang =
                  [this](RankChannel& channel) {
                      due_ranks_.insert(channel.rank());
                      pump();
                  },
              .left =
                  [this](RankChannel& channel) {
                      hear_out(channel);
                      channel.leave(buffers_);
                      add(told_by_those_who_left_, channel.told());
                      due_ranks_.erase(channel.rank());
                      pump();
                  },
              .elsewhere =
                  [this](const relay::Hello& hello) {
                      return places_.of(hello.world, hello.self).value_or(setup_.self) != setup_.self;
                  },
              .log = log_}) {}

RelayPlane::~RelayPlane() {
    tear_down();
}

std::string RelayPlane::tear_down() {
    reason_ = "the relay plane was withdrawn";
    for (auto& [leg, out] : outgoing_) {
        if (out.stream) {
            account(out);
            loop_.forget(out.stream->fd());
        }
        loop_.cancel(out.patience);
    }
    for (const auto& [leg, in] : incoming_) loop_.forget(in.fd());
    outgoing_.clear();
    incoming_.clear();
    detours_.clear();
    wanted_.clear();
    while (!ranks_.all().empty()) ranks_.remove(ranks_.all().begin()->first);
    loop_.cancel(pump_timer_);
    loop_.cancel(redial_timer_);
    loop_.cancel(losses_timer_);
    return {};
}

relay::ToldCounts RelayPlane::told() const {
    relay::ToldCounts sum = told_by_those_who_left_;
    for (const auto& [rank, channel] : ranks_.all()) add(sum, channel->told());
    return sum;
}

// Detours.

void RelayPlane::reroute(core::HostId destination, core::HostId relay, Done done) {
    if (!up()) return done(reason_);
    wanted_[destination] = relay;
    // Its end tells that the destination's agent is gone; and the way back is there when it is needed.
    reach({destination, Hop::last});
    Outgoing& out = reach({relay, Hop::first});
    const auto arrived = [this, destination, relay, done](const std::string& error) {
        const auto wanted = wanted_.find(destination);
        if (wanted == wanted_.end() || wanted->second != relay) return done("restored before the reroute took effect");
        wanted_.erase(wanted);
        if (!error.empty()) {
            const auto earlier = detours_.find(destination);
            if (earlier != detours_.end() && earlier->second == relay) {
                detours_.erase(earlier);
                tell_of_host(destination);
            }
            return done(error);
        }
        detours_[destination] = relay;
        tell_of_host(destination);
        done({});
    };
    if (out.stream) return arrived({});
    if (!out.dialling) return arrived("the relay's agent did not answer a moment ago");
    out.awaited_by.push_back(arrived);
}

void RelayPlane::restore(core::HostId destination, Done done) {
    wanted_.erase(destination);
    if (detours_.erase(destination) > 0) tell_of_host(destination);
    done({});
}

// Connections.

RelayPlane::Outgoing& RelayPlane::reach(Leg leg) {
    Outgoing& out = outgoing_[leg];
    if (out.stream || out.dialling || monotonic_s() < out.retry_s) return out;
    out.dialling = true;
    out.dialling_since_s = monotonic_s();
    out.patience = loop_.after(kDialPatience_s, [this] { pump(); });
    dial_(leg.host, leg.hop, [this, leg](std::variant<Link, std::string> result) { dialled(leg, std::move(result)); });
    return out;
}

void RelayPlane::dialled(Leg leg, std::variant<Link, std::string> result) {
    if (!up()) return;
    Outgoing& out = outgoing_[leg];
    out.dialling = false;
    loop_.cancel(out.patience);
    if (const std::string* const why = std::get_if<std::string>(&result)) return fail(leg, *why);
    Link& link = std::get<Link>(result);
    try {
        loop_.watch(link.socket.get(), EPOLLIN, [this, leg](std::uint32_t events) { on_output(leg, events); });
    } catch (const std::system_error& error) {
        return fail(leg, error.what());
    }
    out.stream.emplace(std::move(link));
    if (losses_timer_ == 0) losses_timer_ = loop_.after(kLossesPeriod_s, [this] { look_for_losses(); });
    if (leg.hop == Hop::first) tell_of_detours_over(leg.host);
    for (const Done& done : std::exchange(out.awaited_by, {})) done({});
    pump();
}

/// Datagrams, by which agents tell that they live, may get through where the connections' packets do not.
void RelayPlane::look_for_losses() {
    losses_timer_ = 0;
    std::vector<Leg> losing;
    bool any = false;
    for (auto& [leg, out] : outgoing_) {
        if (!out.stream) continue;
        any = true;
        account(out);
        if (out.stream->loses()) losing.push_back(leg);
    }
    if (any) losses_timer_ = loop_.after(kLossesPeriod_s, [this] { look_for_losses(); });
    for (const Leg leg : losing) fail(leg, "packets sent there are lost");
}

/// Adds what has arrived since the last time to what was delivered.
void RelayPlane::account(Outgoing& out) {
    for (const auto& [destination, arrived_B] : out.stream->take_arrived()) delivered_B_[destination] += arrived_B;
}

std::vector<Carried> RelayPlane::carried() {
    std::map<core::HostId, Carried> flows;
    for (auto& [leg, out] : outgoing_) {
        if (!out.stream) continue;
        account(out);
        for (const auto& [destination, owed] : out.stream->owed()) {
            flows[destination].in_flight_B += owed.in_flight_B;
            flows[destination].waits |= owed.waits;
        }
    }
    for (const auto& [destination, bytes] : delivered_B_) flows[destination].delivered_B = bytes;
    std::vector<Carried> all;
    for (auto& [destination, flow] : flows) {
        flow.destination = destination;
        all.push_back(flow);
    }
    return all;
}

/// What was under way is lost; the ranks send it again. Without the relay's agent its pairs are direct at once, until
/// it answers again or whoever decides takes the detour back; without the destination's, its processes are nowhere
/// until it tells of them again. A connection to it that could not be made says nothing of it: the way there may be
/// slow, which is why there is a detour.
void RelayPlane::fail(Leg leg, const std::string& why) {
    Outgoing& out = outgoing_[leg];
    const bool stood = out.stream.has_value();
    if (stood) {
        log_("frames to host " + std::to_string(leg.host) + (leg.hop == Hop::first ? ", a relay: " : ": ") + why);
        account(out);
        loop_.forget(out.stream->fd());
        buffers_.release_passing(out.stream->passing_B());
        out.stream.reset();
    }
    unflushed_.erase(leg);
    out.retry_s = monotonic_s() + kRetry_s;
    if (leg.hop == Hop::first) {
        loop_.cancel(redial_timer_);
        redial_timer_ = loop_.after(kRetry_s, [this] { redial(); });
        tell_of_detours_over(leg.host);
    } else if (stood) {
        for (const relay::Process process : places_.forget(leg.host)) tell_of(process);
    }
    for (const Done& done : std::exchange(out.awaited_by, {})) done(why);
    pump();
}

void RelayPlane::redial() {
    for (const auto& [destination, relay] : std::map(detours_)) reach({relay, Hop::first});
}

void RelayPlane::accept(core::HostId from, Hop hop, Link link) {
    if (!up()) return;
    const Leg leg{from, hop};
    close(leg);  // the peer would not connect again if it still wrote to the earlier one
    try {
        loop_.watch(link.socket.get(), EPOLLIN, [this, leg](std::uint32_t events) { on_input(leg, events); });
    } catch (const std::system_error& error) {
        return log_("frames from host " + std::to_string(from) + ": " + error.what());
    }
    incoming_.try_emplace(leg, std::move(link));
}

void RelayPlane::close(Leg leg) {
    const auto found = incoming_.find(leg);
    if (found == incoming_.end()) return;
    loop_.forget(found->second.fd());
    due_inputs_.erase(leg);
    incoming_.erase(found);
}

void RelayPlane::on_output(Leg leg, std::uint32_t events) {
    const auto found = outgoing_.find(leg);
    if (found == outgoing_.end() || !found->second.stream) return;
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
        try {
            found->second.stream->hear();
        } catch (const StreamError& error) {
            return fail(leg, error.what());
        }
    }
    unflushed_.insert(leg);
    pump();
}

void RelayPlane::on_input(Leg leg, std::uint32_t events) {
    const auto found = incoming_.find(leg);
    if (found == incoming_.end()) return;
    if (due_inputs_.contains(leg)) {
        // Nothing was asked for: the connection is broken, and its frames will come again another way.
        if ((events & (EPOLLHUP | EPOLLERR)) != 0) close(leg);
        return;
    }
    try {
        if (!found->second.read_some()) return;
    } catch (const StreamClosed&) {
        return close(leg);
    } catch (const StreamError& error) {
        log_("frames from host " + std::to_string(leg.host) + ": " + error.what());
        return close(leg);
    }
    due_inputs_.insert(leg);
    pump();
}

// Frames.

/// What becomes of a frame that there is no stream for now.
std::optional<RelayPlane::Fate> RelayPlane::unsendable(Leg leg) {
    const Outgoing& out = reach(leg);
    if (out.stream) return std::nullopt;
    const bool patient = out.dialling && monotonic_s() - out.dialling_since_s < kDialPatience_s;
    return patient ? Fate::stuck : Fate::dropped;
}

/// Of a rank of this host: the whole frame at once.
RelayPlane::Fate RelayPlane::send(Leg leg, const Journey& journey, std::span<const std::uint8_t> frame) {
    if (const auto fate = unsendable(leg)) {
        counts_.unreachable += *fate == Fate::dropped ? 1 : 0;
        return *fate;
    }
    FrameOutput& stream = *outgoing_[leg].stream;
    if (stream.own_B() >= kOwnQueue_B) return Fate::stuck;
    for (std::size_t begin = 0; begin < frame.size(); begin += kMaxPart_B) {
        const auto part = frame.subspan(begin, std::min(kMaxPart_B, frame.size() - begin));
        const std::size_t own_B = begin == 0 ? std::min(part.size(), kLongestHeading_B) : 0;
        stream.put({journey, begin == 0, begin + part.size() == frame.size(), part}, 0, part.size() - own_B);
    }
    unflushed_.insert(leg);
    ++counts_.sent;
    counts_.sent_B += frame.size();
    return Fate::taken;
}

/// Of others: part by part. Without a stream the parts are lost, and the ends of frames are counted.
RelayPlane::Fate RelayPlane::pass(Leg leg, const Record& record) {
    if (const auto fate = unsendable(leg)) {
        counts_.unreachable += *fate == Fate::dropped && record.ends ? 1 : 0;
        return *fate;
    }
    const std::uint64_t passing_B = record.part.size() + kRecordOverhead_B;
    FrameOutput& stream = *outgoing_[leg].stream;
    // Half of the pool for one next hop: a destination that takes nothing must not stop the detours to all others.
    const bool has_room = stream.passing_B() == 0 || stream.passing_B() < setup_.capacity_B / 2;
    if (!has_room || !buffers_.admit_passing(passing_B)) return Fate::stuck;
    stream.put(record, passing_B);
    unflushed_.insert(leg);
    counts_.passed += record.ends ? 1 : 0;
    counts_.passed_B += record.part.size();
    return Fate::taken;
}

/// One of a world that has ended may have waited anywhere on its way: its rank is not here, though its number may be.
RelayPlane::Fate RelayPlane::arrive(const relay::wire::Ends& ends, std::span<const std::uint8_t> frame) {
    const relay::Process to = ends.to;
    RankChannel* const channel = ranks_.find(to);
    if (channel == nullptr || channel->world() != ends.world || broken_.contains(to)) {
        ++counts_.absent;
        return Fate::dropped;
    }
    try {
        if (!channel->deliver(frame, buffers_)) return Fate::stuck;
    } catch (const relay::CorruptRing& error) {
        log_("rank " + std::to_string(to) + ": " + error.what());
        broken_.insert(to);  // it goes when nobody is in the middle of a channel: its own last words go to others
        ++counts_.absent;
        return Fate::dropped;
    }
    ++counts_.arrived;
    counts_.arrived_B += frame.size();
    return Fate::taken;
}

/// The frame lies in memory that the rank may write to: each field is read once.
RelayPlane::Fate RelayPlane::take(RankChannel& channel, std::span<const std::uint8_t> frame) {
    const auto read = relay::wire::ends_of(frame, channel.processes());
    const relay::wire::Ends* const ends = std::get_if<relay::wire::Ends>(&read);
    if (ends == nullptr || ends->from != channel.rank() || ends->world != channel.world())
        throw relay::CorruptRing("it sent a frame that is not its own");
    const auto placed = places_.of(ends->world, ends->to);
    if (!placed) {
        ++counts_.unplaced;
        return Fate::dropped;
    }
    const core::HostId host = *placed;
    if (host == setup_.self) return arrive(*ends, frame);
    const auto relay = relay_to(host);
    const Leg leg = relay ? Leg{*relay, Hop::first} : Leg{host, Hop::last};
    return send(leg, {host, setup_.self}, frame);
}

/// Throws StreamError for what no agent of ours sends.
RelayPlane::Fate RelayPlane::take(Leg leg, FrameInput& input, const Record& record) {
    const auto [destination, source] = record.journey;
    if (leg.hop == Hop::first) {
        const bool possible =
            source == leg.host && destination < setup_.hosts && destination != setup_.self && destination != source;
        if (!possible) throw StreamError("a frame that must not be forwarded from there");
        return pass({destination, Hop::last}, record);
    }
    const bool possible = destination == setup_.self && source < setup_.hosts && source != setup_.self;
    if (!possible) throw StreamError("a frame for another host");
    const auto frame = input.frames().add(record);
    if (!frame) return Fate::taken;
    const auto read = relay::wire::ends_of(*frame, relay::kMostProcesses);
    const relay::wire::Ends* const ends = std::get_if<relay::wire::Ends>(&read);
    if (ends == nullptr) throw StreamError("received data that is not a frame");
    const Fate fate = arrive(*ends, *frame);
    if (fate != Fate::stuck) input.frames().done(source);
    return fate;
}

void RelayPlane::serve(relay::Process rank) {
    RankChannel* const channel = ranks_.find(rank);
    if (channel == nullptr) return;
    try {
        if (serve_some(*channel)) {
            due_ranks_.erase(rank);
        } else {
            due_ranks_.insert(rank);
        }
    } catch (const relay::CorruptRing& error) {
        log_("rank " + std::to_string(rank) + ": " + error.what());
        ranks_.remove(rank);
    }
}

/// What a rank sent right before it ended; what finds no room is lost.
void RelayPlane::hear_out(RankChannel& channel) {
    try {
        serve_some(channel);
    } catch (const relay::CorruptRing&) {
        return;  // which is why it had to go, and was told
    }
}

/// True once nothing is left and the rank will ring.
bool RelayPlane::serve_some(RankChannel& channel) {
    for (int frames = 0; frames < kBatch;) {
        const auto frame = channel.front();
        if (!frame) {
            if (channel.sleep()) return true;
            continue;
        }
        if (take(channel, *frame) == Fate::stuck) return false;
        channel.pop();
        ++frames;
    }
    again_ = true;
    return false;
}

void RelayPlane::serve(Leg leg) {
    const auto found = incoming_.find(leg);
    if (found == incoming_.end()) return;
    try {
        const bool done = serve_some(leg, found->second);
        loop_.change(found->second.fd(), done ? kReadable : 0);
        if (done) due_inputs_.erase(leg);
    } catch (const StreamError& error) {
        log_("frames from host " + std::to_string(leg.host) + ": " + error.what());
        close(leg);
    }
}

bool RelayPlane::serve_some(Leg leg, FrameInput& input) {
    for (;;) {
        const auto next = input.records().front();
        if (std::holds_alternative<RecordOpener::Incomplete>(next)) return true;
        if (const auto* const fault = std::get_if<RecordOpener::Fault>(&next)) {
            throw StreamError(std::string(agent::name(*fault)));
        }
        if (take(leg, input, std::get<Record>(next)) == Fate::stuck) return false;
        input.records().pop();
    }
}

/// Whether anything left.
bool RelayPlane::flush(Leg leg) {
    Outgoing& out = outgoing_[leg];
    if (!out.stream) return false;
    const std::uint64_t before_B = out.stream->own_B() + out.stream->passing_B();
    try {
        buffers_.release_passing(out.stream->flush());
    } catch (const StreamError& error) {
        fail(leg, error.what());
        return true;
    }
    loop_.change(out.stream->fd(), out.stream->idle() ? EPOLLIN : EPOLLIN | EPOLLOUT);
    return out.stream->own_B() + out.stream->passing_B() < before_B;
}

/// Moves on whatever has room: until nothing does, or others of the loop shall have their turn.
void RelayPlane::pump() {
    again_ = true;
    if (pumping_) return;
    pumping_ = true;
    for (int round = 0; again_ && round < kRounds; ++round) {
        again_ = false;
        for (const relay::Process rank : std::set(due_ranks_)) serve(rank);
        for (const Leg& leg : std::set(due_inputs_)) serve(leg);
        for (const Leg& leg : std::exchange(unflushed_, {})) again_ = flush(leg) || again_;
    }
    pumping_ = false;
    while (!broken_.empty()) ranks_.remove(broken_.extract(broken_.begin()).value());
    if (!again_) return;
    loop_.cancel(pump_timer_);
    pump_timer_ = loop_.after(0.0, [this] { pump(); });
}

}  // namespace fairlead::agent
