// SPDX-License-Identifier: Apache-2.0
// Communicators: they get a number that all their members agree on, and are freed when nothing needs them any more.
#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"
#include "record/recorder.hpp"
#include "relay/plane/now.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

namespace {

constexpr int kMeetTag = 2;                      // and all above: threads may be in several meetings
constexpr CommunicatorId kMeetSpread = 1000003;  // between the tags of one communicator and those of the next
constexpr std::size_t kManySteps = 1000;         // to find what is not needed any more: not in every call
constexpr Time kToUnneeded_s = 1e-3;
// Of messages that nobody receives, and receives that nobody sends to, it cannot be told that they will stay so.
constexpr int kRestPolls = 2000;
constexpr int kRestRounds = 3;
constexpr Time kSendOff_s = 1.0;
constexpr Time kDelivery_s = 5.0;  ///< of what is sent; another thread may send without end

}  // namespace

// The least value of all members, in place of this one's. Of an intercommunicator each side first learns the other
// side's. Returns the library's error.
int Plane::least(MPI_Comm comm, bool inter, std::uint64_t& value) {
    for (int round = 0; round < (inter ? 2 : 1); ++round) {
        const auto own = static_cast<std::int64_t>(value);
        auto values = std::make_unique<std::array<std::int64_t, 2>>(std::array{own, own});
        MPI_Request request = request_null();
        int error = locked([&] {
            return PMPI_Iallreduce(&values->front(), &values->back(), 1, datatype_int64(), op_min(), comm, &request);
        });
        error = error == MPI_SUCCESS ? wait_native(request) : error;
        if (error != MPI_SUCCESS) {
            static_cast<void>(values.release());  // where a process is gone, the library may still have them
            return error;
        }
        value = static_cast<std::uint64_t>(std::ranges::min(*values));
    }
    return MPI_SUCCESS;
}

// A process proposes no number twice and not one of another's; the least one is the communicator's. What one call makes
// may have the same number in several parts: no process is in two of them.
CommunicatorId Plane::propose() {
    return locked([&] { return ++agreements_ * processes_ + self_; });
}

void Plane::add(MPI_Comm comm, std::optional<CommunicatorId> number) {
    if (comm == comm_null()) {
        return;
    }
    const Communicator& known = communicator(comm);
    if (known.outside || (!known.inter && known.size == 1)) {
        return;
    }
    const Making making(*this);
    if (!number || known.inter) {  // between groups both have to agree
        number = propose();
        least(comm, known.inter, *number);
    }
    locked([&] {
        register_channel(comm, *number);
        return 0;
    });
}

bool Plane::carries(MPI_Comm comm) {
    return locked([&] { return channel_of(comm) != nullptr; });
}

// The library ends what it has begun on a communicator that was freed. What is complete on the plane needs it only for
// its error handler, what is not started not at all.
bool Plane::at_rest(const Channel& channel) const {
    const auto sends = [&](const auto& entry) { return entry.second.communicator == channel.id; };
    const auto needs = [&](const auto& entry) {
        const Operation& operation = *entry.second;
        const bool over = operation.complete && operation.error == MPI_SUCCESS;
        return operation.channel.get() == &channel && operation.on_plane() && !over;
    };
    const auto holds = [&](const auto& entry) { return entry.second.channel.get() == &channel; };
    return endpoint_.matching(channel.id).idle() && std::ranges::none_of(payloads_, sends) &&
           std::ranges::none_of(operations_, needs) && std::ranges::none_of(extracted_, holds);
}

// Nothing is received on it any more, nor started. What else is under way needs no handle of it. What is there and what
// still comes nobody wants, but for a callback in the library's call.
bool Plane::is_needed(const Channel& channel) const {
    const auto needs = [&](const OperationPtr& operation) {
        // Partitioned ones have a channel of their own, with the communicator of this one.
        const bool in_parts = operation->partitions > 0 && operation->channel->id % kFirstRelayed == channel.id;
        const bool on_it = operation->channel.get() == &channel || in_parts;
        if (!on_it || (operation->sends && !operation->persistent)) {
            return false;
        }
        const bool told =
            operation->in_library ? operation->accounted : operation->complete && operation->error == MPI_SUCCESS;
        return operation->persistent || !told;
    };
    const auto holds = [&](const auto& entry) { return entry.second.channel.get() == &channel; };
    return endpoint_.matching(channel.id).has_receives() || std::ranges::any_of(freed_, needs) ||
           std::ranges::any_of(operations_, [&](const auto& entry) { return needs(entry.second); }) ||
           std::ranges::any_of(extracted_, holds);
}

int Plane::free(MPI_Comm* comm, int (*by)(MPI_Comm*)) {
    const auto channel = locked([&] {
        auto known = channel_of(*comm);
        if (is_needed(*known)) {
            dropped_.push_back(std::exchange(known, nullptr));
            *comm = comm_null();
        } else {
            known->freed_by = std::this_thread::get_id();
        }
        return known;
    });
    if (channel == nullptr) {
        return MPI_SUCCESS;
    }
    forget_communicator(*comm);  // asked since the wrapper forgot it; the next one may have its handle
    const int error = by(comm);  // which calls attributes' callbacks; one of them may refuse
    locked([&] {
        channel->freed_by = {};
        if (error == MPI_SUCCESS) {
            forget(*channel);
        }
        return 0;
    });
    return error;
}

void Plane::free_unneeded() {
    if (mutex_.held_here()) {
        return;
    }
    std::vector<std::shared_ptr<Channel>> unneeded;
    locked([&] {
        if (dropped_.size() * operations_.size() > kManySteps) {
            const Time time_s = now_s();
            if (time_s < next_unneeded_s_) {
                return 0;
            }
            next_unneeded_s_ = time_s + kToUnneeded_s;
        }
        for (auto each = dropped_.begin(); each != dropped_.end();) {
            if (is_needed(**each)) {
                ++each;
                continue;
            }
            (*each)->freed_by = std::this_thread::get_id();
            unneeded.push_back(*each);
            each = dropped_.erase(each);
        }
        return 0;
    });
    for (const auto& channel : unneeded) {
        MPI_Comm comm = channel->comm;
        forget_communicator(comm);
        PMPI_Comm_free(&comm);
        locked([&] {
            forget(*channel);
            return 0;
        });
    }
}

/// What was sent to its members is with them: they poll, for they free it, too.
bool Plane::delivered(const Channel& channel) const {
    return std::ranges::all_of(channel.processes,
                               [this](Process peer) { return peer == self_ || endpoint_.link_to(peer).idle(); });
}

bool Plane::drop(MPI_Comm comm) {
    gather(comm);
    const auto channel = locked([&] { return channel_of(comm); });
    if (channel == nullptr) {
        return true;
    }
    for (int round = 0; round < kRestRounds; ++round) {
        bool rest = false;
        int polls = 0;
        const Time latest_s = now_s() + kDelivery_s;
        wait_until([&] {
            rest = at_rest(*channel);
            polls += delivered(*channel) || now_s() > latest_s ? 1 : 0;
            return rest || polls == kRestPolls;
        });
        // What a member starts on it as soon as it knows is the library's to match.
        const Suspended suspended(*this, comm);
        std::uint64_t all_rest = rest ? 1 : 0;
        if (least(comm, channel->inter, all_rest) == MPI_SUCCESS && all_rest == 1) {
            return locked([&] {
                forget(*channel);
                return true;
            });
        }
    }
    return locked([&] {
        dropped_.push_back(channel);
        return false;
    });
}

void Plane::forget(Channel& channel) {
    channel.freed = true;
    const auto found = channels_.find(key_of(channel.comm));
    if (found != channels_.end() && found->second.get() == &channel) {  // else it is another one's by now
        channels_.erase(found);
    }
    channels_by_id_.erase(channel.id);
    std::erase_if(parts_made_, [&](const auto& made) { return std::get<0>(made.first) == channel.id; });
    if (!endpoint_.matching(channel.id).has_receives()) {
        endpoint_.remove_communicator(channel.id);
    }
}

void Plane::send_off() {
    const Time latest_s = now_s() + kSendOff_s;
    wait_until([&] {
        for (Process peer = 0; peer < processes_; ++peer) {
            if (peer != self_ && !endpoint_.link_to(peer).idle()) {
                return now_s() > latest_s;
            }
        }
        return true;
    });
}

// While Open MPI copies a communicator it begins collective operations on it at times of its own, and those are told
// apart by how many there were before: one of ours between them is taken for another one. So is one between the
// program's own, if its members begin those before or after a blocking call, which MPI forbids and the library lets
// pass. Where a communicator may be revoked, though, the library's call is what ends the waiting.
std::optional<GroupMembers> Plane::who_meets_by_messages(MPI_Comm comm) {
    const bool by_messages = locked([&] {
        const bool may_be_revoked = PMPIX_Comm_revoke != nullptr;
        return !ended_ && (copied_.contains(key_of(comm)) || (!may_be_revoked && channel_of(comm) != nullptr));
    });
    if (!by_messages) {
        return std::nullopt;
    }
    const Communicator& known = communicator(comm);
    if (known.inter || known.outside) {
        return std::nullopt;
    }
    return members_of(known);
}

// Open MPI's non-blocking forms begin on a revoked communicator all the same, and may say of a failed process what the
// blocking ones do not say there.
int Plane::gather(MPI_Comm comm) {
    if (is_revoked(comm)) {
        return refuse(comm, kErrorRevoked);
    }
    if (const auto members = who_meets_by_messages(comm)) {
        meet(*members, comm, 0);
        return MPI_SUCCESS;
    }
    MPI_Request request = request_null();
    const int error = locked([&] { return PMPI_Ibarrier(comm, &request); });
    return error == MPI_SUCCESS ? wait_native(request) : error;
}

int Plane::gather(MPI_Comm comm, CommunicatorId& number) {
    if (is_revoked(comm)) {
        return refuse(comm, kErrorRevoked);
    }
    number = propose();
    if (const auto members = who_meets_by_messages(comm)) {
        number = meet(*members, comm, 0, number);
        return MPI_SUCCESS;
    }
    return least(comm, false, number);
}

// The library's agreement is the one meeting that neither a failure nor a revocation ends. It is asked how it stands,
// and let go: no error handler hears of it. The library's call that follows finds the same error.
void Plane::gather_living(MPI_Comm comm) {
    const Communicator& known = communicator(comm);
    if (known.outside) {
        return;
    }
    if (PMPIX_Comm_iagree == nullptr || known.inter || who_meets_by_messages(comm)) {
        gather(comm);
        return;
    }
    int flag = 1;
    MPI_Request request = request_null();
    if (locked([&] { return PMPIX_Comm_iagree(comm, &flag, &request); }) != MPI_SUCCESS) {
        return;
    }
    wait_until([&] {
        int over = 0;
        PMPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
        return over != 0;
    });
    PMPI_Request_free(&request);
}

/// By which meetings about it are told from those about others. 0: it has none, as what was made inside another call.
/// Two such ones are mixed up only by threads that meet about both at once: else all who are members of both meet about
/// them in one order, which their messages keep.
CommunicatorId Plane::number_of(MPI_Comm comm) const {
    if (const auto channel = channel_of(comm); channel != nullptr) {
        return channel->id;
    }
    const auto copy = copies_numbers_.find(key_of(comm));
    return copy != copies_numbers_.end() ? copy->second : 0;
}

CommunicatorId Plane::meet(const GroupMembers& members, MPI_Comm about, int tag, CommunicatorId number) {
    return meet_by(members, tag_of(locked([&] { return number_of(about); }), tag), number);
}

void Plane::meet(const GroupMembers& members, CommunicatorId about) {
    if (locked([this] { return ended_; })) {  // in a callback of MPI_Finalize: nobody waits for a frame any more
        return;
    }
    meet_by(members, tag_of(about, 0), 0);
}

int Plane::tag_of(CommunicatorId about, int tag) const {
    const auto tags = static_cast<CommunicatorId>(tag_bound_ - kMeetTag);
    return kMeetTag + static_cast<int>((about * kMeetSpread + static_cast<CommunicatorId>(tag)) % tags);
}

// Dissemination: in each round everybody hears of twice as many (Hensgen, Finkel, Manber 1988), and of the least number
// that they bring.
CommunicatorId Plane::meet_by(const GroupMembers& members, int own_tag, CommunicatorId number) {
    const auto& [world_ranks, place] = members;
    const std::size_t size = world_ranks.size();
    for (std::size_t step = 1; step < size; step *= 2) {
        auto numbers = std::make_unique<std::array<CommunicatorId, 2>>(std::array{number, number});
        CommunicatorId* const mine = &numbers->front();
        CommunicatorId* const theirs = &numbers->back();
        MPI_Request requests[2]{request_null(), request_null()};
        const int from = world_ranks[(place + size - step) % size];
        const int to = world_ranks[(place + step) % size];
        const int error = locked([&] {
            const int refused =
                PMPI_Irecv(theirs, sizeof *theirs, datatype_byte(), from, own_tag, control_, &requests[0]);
            return refused != MPI_SUCCESS
                       ? refused
                       : PMPI_Isend(mine, sizeof *mine, datatype_byte(), to, own_tag, control_, &requests[1]);
        });
        // One who is gone does not come. The library's call that follows meets the error, too, and tells whose it is.
        if (error != MPI_SUCCESS || wait_native(requests[0]) != MPI_SUCCESS ||
            wait_native(requests[1]) != MPI_SUCCESS) {
            static_cast<void>(numbers.release());  // the library may still have them
            break;
        }
        number = std::ranges::min(*numbers);
    }
    return number;
}

Plane::Making::Making(Plane& plane) : plane_(plane) {
    plane_.locked([&] {
        plane_.endpoint_.begin_making();
        return 0;
    });
}

Plane::Making::~Making() {
    plane_.locked([&] {
        plane_.endpoint_.end_making();
        return 0;
    });
}

Plane::Suspended::Suspended(Plane& plane, MPI_Comm comm)
    : plane_(plane), channel_(plane.locked([&] { return plane.channel_of(comm); })) {
    if (channel_ != nullptr) {
        plane_.locked([&] { return ++channel_->suspended; });
    }
}

Plane::Suspended::~Suspended() {
    if (channel_ != nullptr) {
        plane_.locked([&] { return --channel_->suspended; });
    }
}

}  // namespace fairlead::relay
