// SPDX-License-Identifier: Apache-2.0
#include "relay/plane/plane.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "fairlead/relay/wire.hpp"
#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"
#include "relay/carriers/chaos_carrier.hpp"
#include "relay/library/fatal.hpp"
#include "relay/plane/now.hpp"

namespace fairlead::relay {

namespace {

constexpr CommunicatorId kWorld = 1;
constexpr CommunicatorId kCopySpread = 0x9e3779b97f4a7c15;  // from the numbers of one communicator's copies to others'
// Small, so that programs of tests meet every limit; and what is lost is soon sent again.
constexpr Settings kChaosSettings{.inline_limit_B = 1024,
                                  .credit_B = 32768,
                                  .piece_B = 16384,
                                  .window = 32,
                                  .retransmit_s = 0.02,
                                  .tell_frames = 4,
                                  .tell_s = 0.001};
// A receiver that computes acknowledges nothing; what is lost with an agent is sent again without waiting for this.
// Every frame costs three agents some 40 us each: what is copied when it is sent goes with its envelope, and what was
// taken is mostly told by the next message back.
constexpr Settings kSettings{.inline_limit_B = 65536, .retransmit_s = 1.0, .tell_frames = 8, .tell_s = 0.0005};
constexpr Time kMissing_s = 5.0;  ///< in MPI_Finalize, for what is on its way, where a process failed
constexpr Time kStay_s = 1.0;     ///< then, to answer those who still wait for that
constexpr Time kQuiet_s = 1.0;    ///< without a frame, after which takeovers end
constexpr Time kUntold_s = 5.0;   ///< for which what agents lost waits for the program's next call; then it is said
constexpr Time kAgain_s = 0.1;    ///< later it is asked again, where one may not end yet
constexpr std::chrono::milliseconds kLongestForAgent{500};  // in MPI_Init
constexpr int kDefaultTagBound = 32767;                     // at least: MPI 4.1, section 9.1.2

Process own_rank() {
    int rank = 0;
    PMPI_Comm_rank(comm_world(), &rank);
    return static_cast<Process>(rank);
}

Process world_size() {
    int size = 0;
    PMPI_Comm_size(comm_world(), &size);
    return static_cast<Process>(size);
}

// Not MPICH between hosts: docs/explanation/relay-plane.md.
bool cancels_what_is_unmatched_only() {
    if (!kCancelsMatched) {
        return true;
    }
    MPI_Comm memory{};
    PMPI_Comm_split_type(comm_world(), MPI_COMM_TYPE_SHARED, 0, info_null(), &memory);
    int sharing = 0;
    PMPI_Comm_size(memory, &sharing);
    PMPI_Comm_free(&memory);
    return static_cast<Process>(sharing) == world_size();
}

Settings settings(bool chaos, WorldId world) {
    Settings settings = chaos ? kChaosSettings : kSettings;
    settings.world = world;
    settings.cancels = cancels_what_is_unmatched_only();
    return settings;
}

int largest_tag() {
    int* bound = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm_world(), MPI_TAG_UB, &bound, &found);
    return found != 0 ? *bound : kDefaultTagBound;
}

Process sender_of(std::span<const std::uint8_t> frame, Process processes) {
    const auto decoded = wire::decode(frame, processes);
    const auto* whole = std::get_if<wire::Decoded>(&decoded);
    return whole != nullptr ? whole->frame.from : 0;
}

}  // namespace

Plane::Plane(std::optional<Chaos> chaos, const char* directory, const char* way_out, WorldId world)
    : way_out_(way_out),
      self_(own_rank()),
      processes_(world_size()),
      chaos_(chaos),
      tag_bound_(largest_tag()),
      endpoint_(self_, processes_, settings(chaos.has_value(), world)),
      reached_(processes_),
      relayed_(processes_),
      gone_(processes_),
      held_B_(processes_) {
    PMPI_Comm_dup(comm_self(), &own_);
    PMPI_Comm_dup(comm_world(), &frames_);
    PMPI_Comm_dup(comm_world(), &control_);
    for (const MPI_Comm ours : {own_, frames_, control_}) {  // an error there is for the program's own calls to meet
        PMPI_Comm_set_errhandler(ours, errors_return());
    }
    std::int64_t alias = 0;
    refuses_aliases_ = PMPI_Allreduce(&alias, &alias, 1, datatype_int64(), op_sum(), own_) != MPI_SUCCESS;
    refuses_aliases_of_root_ = PMPI_Reduce(&alias, &alias, 1, datatype_int64(), op_sum(), 0, own_) != MPI_SUCCESS;
    auto mpi_carrier = std::make_unique<MpiCarrier>(frames_, processes_);
    mpi_carrier_ = mpi_carrier.get();
    carrier_ = std::move(mpi_carrier);
    if (directory != nullptr && processes_ > 1) {  // alone, it has nobody to send to
        join_agent(directory, world);
    }
    if (chaos) {
        const Process processes = processes_;
        carrier_ = std::make_unique<ChaosCarrier>(
            std::move(carrier_), *chaos, self_,
            [processes](std::span<const std::uint8_t> frame) { return sender_of(frame, processes); });
    }
    register_channel(comm_world(), kWorld);
}

/// Without its agent a rank takes part all the same: others may relay messages to it, by MPI. It joins one that comes
/// later. One that runs answers at once, and then knows this rank before its first message.
void Plane::join_agent(const char* directory, WorldId world) {
    auto carrier =
        std::make_unique<FallbackCarrier>(std::make_unique<AgentCarrier>(), std::move(carrier_), processes_,
                                          [path = std::string(directory), self = self_, processes = processes_, world] {
                                              return std::make_unique<AgentJoin>(path, self, processes, world);
                                          });
    fallback_ = carrier.get();
    carrier_ = std::move(carrier);
    absence_ = std::make_unique<AbsenceWatch>([this] { step_in_absence(); });
    try {
        fallback_->join(kLongestForAgent);
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "fairlead: rank %u: %s\n", self_, error.what());
    }
}

void Plane::register_channel(MPI_Comm comm, CommunicatorId id) {
    const Communicator& known = communicator(comm);
    auto channel = std::make_shared<Channel>();
    channel->comm = comm;
    channel->id = id;
    channel->rank = known.rank;
    channel->inter = known.inter;
    for (int peer = 0; peer < known.peers; ++peer) {
        channel->processes.push_back(static_cast<Process>(known.world_rank(peer)));
    }
    channel->sent.resize(channel->processes.size());
    endpoint_.add_communicator(id, known.peers);
    channels_[key_of(comm)] = channels_by_id_[id] = channel;
}

std::shared_ptr<Channel> Plane::channel_of(MPI_Comm comm) const {
    const auto found = channels_.find(key_of(comm));
    return found != channels_.end() ? found->second : nullptr;
}

OperationPtr Plane::operation_of(MPI_Request request) const {
    const auto found = operations_.find(key_of(request));
    return found != operations_.end() ? found->second : nullptr;
}

// Steps.

void Plane::enter() {
    if (mutex_.held_here()) {
        return;  // the call that it is in has polled
    }
    {
        const std::scoped_lock lock(mutex_);
        ++calls_;
        copies_ = false;
        if (chaos_) {
            draw();
        } else {
            give_back();
        }
        poll();
        tell_agent();
    }
    free_unneeded();
}

void Plane::enter_to_begin() {
    if (!locked([this] { return copies_; })) {
        enter();
    }
}

void Plane::copies(MPI_Comm comm) {
    locked([&] {
        ++copied_[key_of(comm)];
        return copies_ = true;
    });
}

void Plane::copied(MPI_Comm comm, MPI_Comm copy) {
    locked(
        [&] { return copies_numbers_[key_of(copy)] = (number_of(comm) + 1) * kCopySpread + copied_.at(key_of(comm)); });
}

void Plane::asserted(MPI_Comm comm, const Assertions& said) {
    if (comm == comm_null() || said == Assertions{}) {
        return;
    }
    locked([&] {
        Assertions& all = asserted_[key_of(comm)];
        for (std::size_t at = 0; at < all.size(); ++at) {
            all[at] = said[at].has_value() ? said[at] : all[at];
        }
        return 0;
    });
}

Assertions Plane::assertions(MPI_Comm comm) {
    return locked([&] {
        const auto found = asserted_.find(key_of(comm));
        return found != asserted_.end() ? found->second : Assertions{};
    });
}

void Plane::forget_notes(MPI_Comm comm) {
    locked([&] {
        asserted_.erase(key_of(comm));
        copied_.erase(key_of(comm));
        copies_numbers_.erase(key_of(comm));
        if (const auto outside = outside_channels_.extract(key_of(comm)); !outside.empty()) {
            outside.mapped()->freed = true;
        }
        return 0;
    });
}

void Plane::appeared(MPI_Comm made) {
    forget_communicator(made);
    forget_notes(made);
}

void Plane::draw() {
    for (const auto& [handle, channel] : channels_) {
        if (channel->suspended) {
            continue;
        }
        const CommunicatorId id = channel->id;
        if (!endpoint_.is_under_takeover(id)) {
            if (chaos_->takes_over(id, self_, calls_) && endpoint_.may_take_over(id)) {
                endpoint_.take_over(id);
            }
        } else if (chaos_->returns(id, self_, calls_) && endpoint_.may_return(id)) {
            endpoint_.return_to_native(id);
        }
    }
}

/// Takeovers end when nothing has come for a while: the next envelope costs cancellations again.
void Plane::give_back() {
    if (endpoint_.none_is_under_takeover()) {
        return;
    }
    const Time time_s = now_s();
    if (time_s - last_arrival_s_ < kQuiet_s || time_s < next_return_s_) {
        return;
    }
    next_return_s_ = time_s + kAgain_s;
    for (const CommunicatorId id : endpoint_.under_takeover()) {
        const auto found = channels_by_id_.find(id);
        if (found != channels_by_id_.end() && !found->second->suspended && endpoint_.may_return(id)) {
            endpoint_.return_to_native(id);
        }
    }
}

/// Whose messages are relayed; and what may have been lost with an agent is sent again.
void Plane::follow_agents() {
    const AgentCarrier& agents = fallback_->agents();
    const std::uint32_t changes = fallback_->changes();
    if (changes == changes_) {
        return;
    }
    changes_ = changes;
    for (Process peer = 0; peer < processes_; ++peer) {
        const bool reached = agents.reaches(peer);
        const bool relayed = agents.wished(peer) == Path::relay;
        if ((reached_[peer] && !reached) || (relayed_[peer] && !relayed)) {
            endpoint_.resend(peer);
            if (!reached && !endpoint_.flushed(peer)) {
                stranded_ = peer;
                stranded_since_s_ = now_s();
            }
        }
        reached_[peer] = reached;
        relayed_[peer] = relayed;
        if (!chaos_ && !closing_) {
            endpoint_.prefer(peer, relayed ? Path::relay : Path::direct);
        }
    }
}

/// What agents took along that carry nothing to its receiver any more goes on by MPI, with the program's next call.
/// Whoever waits for one that waits for it waits for ever, and should know why.
void Plane::tell_what_waits() {
    if (stranded_ && (endpoint_.flushed(*stranded_) || fallback_->agents().reaches(*stranded_))) {
        stranded_.reset();
    }
    if (!stranded_ || told_what_waits_ || now_s() - stranded_since_s_ < kUntold_s) {
        return;
    }
    told_what_waits_ = true;
    std::fprintf(stderr,
                 "fairlead: rank %u: no agent carries messages to rank %u any more: what was sent to it goes on with "
                 "this rank's next MPI call (at once under MPI_THREAD_MULTIPLE)\n",
                 self_, *stranded_);
}

void Plane::tell_agent() {
    if (fallback_ != nullptr && !ended_) {
        const Counters& so_far = endpoint_.counters();
        fallback_->agents().tell({so_far.direct, so_far.relayed, so_far.takeovers, so_far.cancelled,
                                  so_far.cancel_failed, so_far.pulled, so_far.held, so_far.waited, so_far.retransmitted,
                                  so_far.duplicates});
    }
}

// Finish.

/// All meet, and take in the last frames, so that none is left to the library. False as soon as a process is known to
/// have failed: others may know of it later, or not at all.
bool Plane::meet_last() {
    const auto wait = [this](MPI_Request request) {
        int over = 0;
        wait_until([&] {
            const int error = PMPI_Test(&request, &over, MPI_STATUS_IGNORE);
            return over != 0 || error != MPI_SUCCESS || gone_processes_ != 0;
        });
        return over != 0 && gone_processes_ == 0;
    };
    MPI_Request request = request_null();
    locked([&] { return PMPI_Ibarrier(control_, &request); });
    if (!wait(request)) {
        return false;
    }
    coming_.resize(processes_);
    request = request_null();
    locked([&] {
        finished_ = true;  // nobody needs another frame
        return PMPI_Ialltoall(mpi_carrier_->sent().data(), sizeof(std::uint64_t), datatype_byte(), coming_.data(),
                              sizeof(std::uint64_t), datatype_byte(), control_, &request);
    });
    if (!wait(request)) {
        return false;
    }
    const std::uint64_t frames = std::accumulate(coming_.begin(), coming_.end(), std::uint64_t{0});
    wait_until([&] { return gone_processes_ != 0 || (mpi_carrier_->arrived() == frames && mpi_carrier_->idle()); });
    return gone_processes_ == 0;
}

// Callbacks in MPI_Finalize may still send: directly, which is possible when all that was relayed has joined the
// matching.
void Plane::finish() {
    locked([this] {
        closing_ = true;
        for (Process peer = 0; peer < processes_; ++peer) {
            endpoint_.prefer(peer, Path::direct);
        }
        return 0;
    });
    const Time latest_s = now_s() + kMissing_s;
    wait_until([&] {
        const bool missing = gone_processes_ != 0;
        for (Process peer = 0; peer < processes_ && !(missing && now_s() > latest_s); ++peer) {
            if (peer != self_ && !gone_[peer] && !(endpoint_.flushed(peer) && endpoint_.path(peer) == Path::direct)) {
                return false;
            }
        }
        return background_.empty();
    });
    if (!meet_last()) {
        const Time until_s = now_s() + kStay_s;
        wait_until([until_s] { return now_s() >= until_s; });
    }
    tell_agent();
    while (!dropped_.empty()) {  // attributes' callbacks may add some
        MPI_Comm comm = locked([&] {
            const auto channel = dropped_.back();
            dropped_.pop_back();
            forget(*channel);
            return channel->comm;
        });
        PMPI_Comm_free(&comm);
    }
    forget_types();
    locked([&] { return ended_ = true; });
    if (absence_ != nullptr) {
        absence_->end();
    }
    PMPI_Comm_free(&frames_);
    PMPI_Comm_free(&control_);
}

/// Polling would go on with what the interrupted call has in its hands.
void Plane::refuse_to_wait() const {
    fatal("a callback waits for a message inside an unfinished MPI call; run the program %s", way_out_);
}

int Plane::wait_native(MPI_Request request) {
    int error = MPI_SUCCESS;
    wait_until([&] {
        int over = 0;
        error = PMPI_Test(&request, &over, MPI_STATUS_IGNORE);
        return over != 0 || error != MPI_SUCCESS;
    });
    return error;
}

}  // namespace fairlead::relay
