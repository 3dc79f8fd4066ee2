// SPDX-License-Identifier: Apache-2.0
// The relay plane in this process: the endpoint (native/relay) between the program's calls, the MPI library and a
// carrier of frames. docs/explanation/relay-plane.md has the rules and why they hold; here is what a call does by them.
//
// Nothing sleeps in the library: whatever waits polls. One lock is over every step, with the native call that belongs
// to it; nobody holds it while waiting.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi.hpp"
#include "fairlead/relay/endpoint.hpp"
#include "mpi/threads.hpp"
#include "relay/carriers/carrier.hpp"
#include "relay/carriers/chaos.hpp"
#include "relay/carriers/fallback_carrier.hpp"
#include "relay/carriers/mpi_carrier.hpp"
#include "relay/library/group_members.hpp"
#include "relay/library/hints.hpp"
#include "relay/library/operation.hpp"
#include "relay/plane/absence_watch.hpp"
#include "relay/plane/send_buffers.hpp"
#include "relay/plane/step_lock.hpp"

namespace fairlead::relay {

/// How a call ends.
struct Outcome {
    int error = MPI_SUCCESS;
    /// Whose error handler is still to be told. Null: nobody's, or the library has told it.
    MPI_Comm untold = comm_null();

    /// With no lock held: the handler may call MPI. Returns the error.
    int tell() const;
};

class Plane {
  public:
    /// chaos: paths and frames are drawn, for tests. directory: where this host's agent listens, which carries frames;
    /// without one, MPI does. way_out: how the program runs without the plane. world: as all its processes name it.
    Plane(std::optional<Chaos> chaos, const char* directory, const char* way_out, WorldId world);

    // Messages. As the functions of MPI, but that a handle of the plane's may come back.

    int isend(Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request);
    int irecv(void* buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request);
    int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
    int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status);
    int imrecv(void* buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request);
    /// The library made an inactive persistent request.
    void made_persistent(bool sends, Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int peer,
                         int tag, MPI_Comm comm, MPI_Request request);
    /// Likewise one of a kind that the library's MPI_Testall may not know. It stays the library's.
    void made_apart(MPI_Request request);
    /// A collective read or write of a file.
    void began_in_turn(MPI_Request request);
    /// Both at once; the status is the receive's.
    int isendrecv(const Part& sent, int dest, int send_tag, const Part& received, int source, int receive_tag,
                  MPI_Comm comm, MPI_Request* request);
    /// What would be sent of it.
    std::vector<std::uint8_t> packed(const Part& part) const {
        return Layout(part.buffer, part.count, part.datatype).packed(own_);
    }
    int isendrecv_copy(std::vector<std::uint8_t> sent, int dest, int send_tag, const Part& received, int source,
                       int receive_tag, MPI_Comm comm, MPI_Request* request);
    /// Of a carried communicator. Never the library's: it meets no message but its like's.
    int make_partitioned(bool sends, void* buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer,
                         int tag, MPI_Comm comm, MPI_Request* request);
    bool is_partitioned(MPI_Request request);
    int tag_bound() const { return tag_bound_; }
    void partitions_ready(MPI_Request request, int number);
    bool has_arrived(MPI_Request request);

    // Buffered sends. They go from copies of the plane's; what they take of the program's buffers is only counted.

    /// The library has it. size_B: SendBuffer::kUnlimited_B if it needs none of the program's memory.
    void attached(SendBuffers::Owner owner, std::uint64_t size_B);
    void detached(SendBuffers::Owner owner);
    /// Until nothing is in the owner's buffer but what standard sends, too, may leave behind.
    void wait_for_empty(SendBuffers::Owner owner);
    /// A request that is complete then.
    int begin_to_empty(SendBuffers::Owner owner, MPI_Request* request);
    /// A buffered send of so many bytes is about to begin: until there is room for it, as far as that only takes the
    /// acknowledgement of what the receivers have.
    void wait_for_room(MPI_Comm comm, std::uint64_t size_B);
    /// Likewise for the start of a persistent request, of any kind.
    void wait_for_room(MPI_Request request);

    int start(MPI_Request* request);
    int cancel(MPI_Request* request);
    int request_free(MPI_Request* request);

    // Completion. Each goes one step on and says whether the call is over.

    /// With an error it is over, too, though some requests may be open then: also where it is said to go on.
    /// says_success: the statuses say so also if nothing has one.
    bool wait_all(int count, MPI_Request requests[], MPI_Status statuses[], bool says_success, Outcome& outcome);
    bool wait_one(MPI_Request* request, MPI_Status* status, Outcome& outcome);
    /// Waits, as the library's MPI_Waitall does, for collective reads and writes of files one after another, and
    /// completes them. Returns the status of each, by its place.
    std::map<std::size_t, MPI_Status> wait_in_turn(std::span<MPI_Request> requests);
    /// Completes what the library has done already, of which `done` gets the statuses. Whether one of all has failed:
    /// then the others stay open, and their statuses say so.
    bool ends_with_error(std::span<MPI_Request> requests, MPI_Status statuses[],
                         std::map<std::size_t, MPI_Status>& done, Outcome& outcome);
    bool test_any(int count, MPI_Request requests[], int* index, MPI_Status* status, Outcome& outcome);
    bool test_some(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[],
                   Outcome& outcome);
    /// A receive from any source that a process's failure has interrupted is let go. Returns the error of a blocking
    /// call, which does not go on.
    int give_up(MPI_Request* request, int error);
    int get_status(MPI_Request request, int* flag, MPI_Status* status);
    /// Not null, and as far as the plane knows it has been started.
    bool is_active(MPI_Request request) const;
    /// Whether one of them is a send or receive that the plane knows of.
    bool has_any(int count, const MPI_Request requests[]);
    /// Whether a relayed message was taken as this one, and is not received yet.
    bool has(MPI_Message message);

    // Communicators.

    /// A call that is collective over its members made it. number: what they have agreed on; else they do so now.
    void add(MPI_Comm comm, std::optional<CommunicatorId> number = {});
    bool carries(MPI_Comm comm);
    /// The program frees it, by `by` of the library's. Nobody waits for anybody: while something here needs the handle
    /// (a receive, a persistent request), the library keeps it.
    int free(MPI_Comm* comm, int (*by)(MPI_Comm*));
    /// Communicators that the program freed, and that nothing needs any more.
    void free_unneeded();
    /// Before it is disconnected, which waits for all members: whether it may be now. If not, it is freed later.
    bool drop(MPI_Comm comm);
    /// Whether the library's collective calls refuse data that comes from where the result goes.
    bool refuses_aliases() const { return refuses_aliases_; }
    /// Whether its MPI_Reduce does, at the root.
    bool refuses_aliases_of_root() const { return refuses_aliases_of_root_; }
    /// Until all members have come. Then those that call a function of the library together leave it soon. Returns the
    /// library's error.
    int gather(MPI_Comm comm);
    /// Likewise of an intracommunicator; and they agree on a number for what they make next: no other communicator of
    /// theirs has it.
    int gather(MPI_Comm comm, CommunicatorId& number);
    /// Until all have come that still live, also where the communicator was revoked.
    void gather_living(MPI_Comm comm);
    /// Likewise these processes, among them this one at `place`; at the same time others may for another communicator
    /// or tag. Returns the least of the numbers that they bring.
    CommunicatorId meet(const GroupMembers& members, MPI_Comm about, int tag, CommunicatorId number = 0);
    /// Likewise the processes of something else that has a number.
    void meet(const GroupMembers& members, CommunicatorId about);
    /// From before this process agrees on a number for a communicator that it makes, until that is added: as soon as it
    /// has agreed, messages on it may come.
    class Making {
      public:
        explicit Making(Plane& plane);
        ~Making();
        Making(const Making&) = delete;
        Making& operator=(const Making&) = delete;

      private:
        Plane& plane_;
    };
    /// For messages of the plane's own about what has this number.
    int tag_of(CommunicatorId about, int tag) const;
    MPI_Comm control() const { return control_; }
    /// A number that no communicator has yet.
    CommunicatorId propose();
    /// The library may use the communicator for messages of its own meanwhile: none is pulled. Not before all have
    /// come: one of them may be kept by a message that would have to be pulled.
    class Suspended {
      public:
        Suspended(Plane& plane, MPI_Comm comm);
        ~Suspended();
        Suspended(const Suspended&) = delete;
        Suspended& operator=(const Suspended&) = delete;

      private:
        Plane& plane_;
        std::shared_ptr<Channel> channel_;
    };

    /// Before a sleep in the library: what need not wait for an answer of the program's arrives, or a while passes.
    void send_off();

    /// In MPI_Finalize, before the library's: everything that was sent arrives. After it, callbacks of the library's
    /// may still end what is left, and send and receive by the library.
    void finish();

    /// A call of the program begins: with a poll, and what chaos mode draws for it.
    void enter();
    /// One that only begins something. While the library copies a communicator, it is not asked for anything then: Open
    /// MPI hangs if it gets on with one copy before the next one is begun everywhere.
    void enter_to_begin();
    /// The library begins to copy a communicator.
    void copies(MPI_Comm comm);
    /// It has begun to: this will be the copy.
    void copied(MPI_Comm comm, MPI_Comm copy);
    /// What the program says of it by an MPI_Info, and the library is not told (hints.hpp).
    void asserted(MPI_Comm comm, const Assertions& said);
    /// All that it has said.
    Assertions assertions(MPI_Comm comm);
    /// The program frees it: what is noted of it, but for what the plane carries there.
    void forget_notes(MPI_Comm comm);
    /// One was made: what was noted of a former one with its handle is void.
    void appeared(MPI_Comm made);
    /// Polls until `over` says so; it is asked under the lock, first at once: the call polled as it began.
    template <class Over>
    void wait_until(Over&& over) {
        if (locked(over)) return;
        if (mutex_.held_here()) refuse_to_wait();
        for (;;) {
            {
                const std::scoped_lock lock(mutex_);
                library_asked_ = false;
                poll();
                if (over()) return;
                // Between threads the lock is handed on only by who lets go of the processor.
                if (kProgressYields && library_asked_ && !threads_at_once) continue;
            }
            sched_yield();
        }
    }
    /// Until the library has completed a request that is not the program's.
    int wait_native(MPI_Request request);
    /// In a callback that runs with the lock held, it is held already.
    template <class Step>
    auto locked(Step&& step) {
        if (mutex_.held_here()) return step();
        const std::scoped_lock lock(mutex_);
        return step();
    }

    const Counters& counters() const { return endpoint_.counters(); }
    /// Messages on communicators that the plane does not carry.
    std::uint64_t outside() const { return outside_; }

  private:
    struct Payload {
        std::vector<std::uint8_t> own;        ///< a copy; empty while the program's memory serves
        std::span<const std::uint8_t> bytes;  ///< of the copy or the program's memory
        OperationPtr operation;               ///< whose completion waits for its delivery
        CommunicatorId communicator = 0;
        std::uint64_t held_B = 0;  ///< of memory, for a send that is complete
        Room room{};               ///< of a buffered one
    };
    struct Pulled {
        MPI_Message message{};
        std::uint64_t size_B = 0;
    };
    struct Extracted {
        std::shared_ptr<Channel> channel;
        Arrival arrival;
        MPI_Request sending{};  ///< of the empty message to oneself that stands for it
    };
    struct Background {
        MPI_Request request{};
        std::vector<std::uint8_t> bytes;
        Room room{};  ///< of a buffered send
    };
    /// Of a request for a buffer's being empty.
    struct Emptying {
        std::shared_ptr<SendBuffer> buffer;
        OperationPtr operation;
    };
    using PayloadKey = std::pair<Process, MessageId>;

    [[noreturn]] void refuse_to_wait() const;
    void poll();
    void step_in_absence();
    void tell_what_waits();
    void watch_absence();
    void join_agent(const char* directory, WorldId world);
    void draw();
    void give_back();
    void follow_agents();
    void follow_failures();
    void fail(Process peer, int error);
    void follow_revocations();
    static constexpr int kErrorRevoked = 77;  ///< MPI_ERR_REVOKED of Open MPI
    static bool is_revoked(MPI_Comm comm);
    void revoke(const Channel& channel);
    bool is_gone(const Operation& operation) const;
    int interruption(const Operation& operation);
    bool any_interrupted(std::span<const MPI_Request> requests, MPI_Status statuses[], Outcome& outcome);
    void tell_agent();
    bool meet_last();
    void accept(std::span<const std::uint8_t> bytes);
    void settle();
    void take_from_library(Channel& channel);
    void pull(Channel& channel);
    void pull_from(Channel& channel, int source);
    void pull_for_call(Channel& channel);
    void handle_events();
    /// A native message goes to where the program wants it, or whole into memory of our own if it does not fit there.
    static int receive(Operation& operation, Pulled& pulled);
    void handle(const ReceiveMatched& event);
    void handle(const Arrived& event);
    void handle(const SendDone& event);
    void handle(const Unreceivable& event);
    void put(Operation& operation, std::span<const std::uint8_t> message);
    void finish_transfers();
    int begin_pair(std::unique_ptr<Pair> pair, const Part& sent, int dest, int send_tag, const Part& received,
                   int source, int receive_tag, MPI_Comm comm, MPI_Request* request);
    bool finish_part(Operation& pair, MPI_Request& part, MPI_Status& status);
    void finish_pairs();
    void reap_copies(std::size_t most);
    void reap();
    void transmit() { transmit_by(*carrier_); }
    void transmit_by(Carrier& carrier);
    void drop_parts_channels();
    std::shared_ptr<Channel> channel_of_parts(const Channel& channel, std::uint64_t number);
    void send_parts(const OperationPtr& operation);
    void send_parts_to_self(const OperationPtr& operation);

    std::shared_ptr<Channel> channel_of(MPI_Comm comm) const;
    OperationPtr operation_of(MPI_Request request) const;
    /// The operation's send or receive begins; `native` is the library's way.
    int launch(const OperationPtr& operation, const std::function<int()>& native);
    int post(const OperationPtr& operation, const std::function<int()>& native);
    int send_copy(const Layout& layout, int peer, int tag, MPI_Comm comm, Room room);
    int send_copy_outside(const Part& sent, int dest, int tag, MPI_Comm comm, MPI_Request* request);
    /// Likewise for a persistent one, each time.
    int launch_outside(const OperationPtr& operation);
    std::shared_ptr<Channel> channel_outside(MPI_Comm comm);
    void relay(const OperationPtr& operation, Process to, Room room);
    std::optional<Room> room_for(MPI_Comm comm, std::uint64_t size_B);
    void finish_emptying();
    /// The error of a call that cannot be carried out, once the error handler was told.
    static int refuse(MPI_Comm comm, int error);
    bool may_hold(Process to, std::uint64_t held_B) const;
    std::uint64_t most_held_B() const;
    std::optional<int> refused_send(const Operation& operation, const Part& sent);
    std::optional<int> refused_receive(const Operation& operation, const Part& received);
    void give_handle(const OperationPtr& operation, MPI_Request* request);
    void account(Operation& operation, const MPI_Status& status);
    /// Whether the library is done with it; then how. A persistent one may be the plane's from then on.
    bool library_done(Operation& operation, MPI_Status& status);
    /// Of a complete operation on the plane: frees the handle and fills the status; returns the operation's error.
    int conclude(const OperationPtr& operation, MPI_Request* request, MPI_Status* status);
    /// Of one that the library completed; `before` was its handle, `after` is what the library left of it.
    void concluded(const OperationPtr& operation, MPI_Request before, MPI_Request after, const MPI_Status& status);
    int least(MPI_Comm comm, bool inter, std::uint64_t& value);
    CommunicatorId meet_by(const GroupMembers& members, int own_tag, CommunicatorId number);
    std::optional<GroupMembers> who_meets_by_messages(MPI_Comm comm);
    CommunicatorId number_of(MPI_Comm comm) const;
    bool at_rest(const Channel& channel) const;
    bool is_needed(const Channel& channel) const;
    bool delivered(const Channel& channel) const;
    /// The library frees it, and has what is started on it from then on.
    void forget(Channel& channel);
    void register_channel(MPI_Comm comm, CommunicatorId id);
    /// Whether messages on the channel may match; else the library says what is wrong, or it is no process's.
    bool is_pattern(const Channel& channel, int source, int tag) const;
    std::optional<Arrival> look(Channel& channel, int source, int tag, bool take);

    StepLock mutex_;
    const char* way_out_;
    Process self_ = 0;
    Process processes_ = 0;
    std::optional<Chaos> chaos_;
    int tag_bound_ = 0;
    bool refuses_aliases_ = false;
    bool refuses_aliases_of_root_ = false;
    MPI_Comm own_ = comm_null();      ///< a duplicate of MPI_COMM_SELF
    MPI_Comm frames_ = comm_null();   ///< a duplicate of MPI_COMM_WORLD, for the carrier's frames alone
    MPI_Comm control_ = comm_null();  ///< likewise, for meetings of processes
    Endpoint endpoint_;
    MpiCarrier* mpi_carrier_ = nullptr;
    std::unique_ptr<Carrier> carrier_;
    FallbackCarrier* fallback_ = nullptr;    ///< the same one, where there may be agents
    std::unique_ptr<AbsenceWatch> absence_;  ///< likewise
    std::uint32_t changes_ = 0;              ///< of the agents' wishes, as followed
    std::vector<bool> reached_;              ///< by process: agents carry frames to it
    std::vector<bool> relayed_;              ///< and messages shall go that way
    std::vector<bool> gone_;                 ///< it failed, and the program's calls for it are the library's
    int gone_processes_ = 0;
    std::vector<std::uint64_t> coming_;  ///< frames from each process, in the end
    Time last_arrival_s_ = 0.0;          ///< of a frame
    Time next_return_s_ = 0.0;           ///< when it is asked again whether takeovers may end,
    Time next_revoked_s_ = 0.0;          ///< which communicators were revoked,
    Time next_unneeded_s_ = 0.0;         ///< and which of many that were dropped nothing needs any more
    std::optional<Process> stranded_;    ///< agents lost it, and what it has not got waits for the program's next call
    Time stranded_since_s_ = 0.0;
    bool told_what_waits_ = false;
    bool closing_ = false;   ///< in MPI_Finalize: nothing more is relayed
    bool finished_ = false;  ///< nobody needs another frame
    bool ended_ = false;     ///< nor looks for one
    /// A collective read or write of a file was, at any time.
    std::atomic<bool> has_begun_in_turn_ = false;
    bool polling_ = false;
    bool has_own_requests_ = false;  ///< one was once: else all are the library's, and there may be thousands in a call
    bool library_asked_ = false;     ///< for the program, in this turn of a wait: it may have yielded
    bool copies_ = false;            ///< the library, and the program has not waited since
    std::uint64_t calls_ = 0;
    unsigned polls_ = 0;
    std::uint64_t agreements_ = 1;
    std::uint64_t outside_ = 0;

    std::unordered_map<std::uintptr_t, std::shared_ptr<Channel>> channels_;
    std::unordered_map<CommunicatorId, std::shared_ptr<Channel>> channels_by_id_;  ///< the same ones
    std::unordered_map<std::uintptr_t, std::shared_ptr<Channel>> outside_channels_;
    /// How often MPI_Comm_idup was called, by all members at the same of its calls.
    std::unordered_map<std::uintptr_t, std::uint64_t> copied_;
    std::unordered_map<std::uintptr_t, CommunicatorId> copies_numbers_;  ///< by which members of copies meet
    std::unordered_map<std::uintptr_t, Assertions> asserted_;
    std::vector<std::shared_ptr<Channel>> dropped_;  ///< by the program, but still needed; MPI_Finalize frees the rest
    std::unordered_map<std::uintptr_t, OperationPtr> operations_;  ///< by the program's handle
    std::unordered_map<ReceiveId, OperationPtr> receives_;         ///< that are not complete
    std::list<OperationPtr> transfers_;
    std::list<OperationPtr> freed_;
    std::list<OperationPtr> pairs_;
    std::map<CommunicatorId, std::shared_ptr<Channel>> parts_channels_;
    std::map<std::tuple<CommunicatorId, bool, int, int>, std::uint64_t> parts_made_;  ///< to or from a peer, by tag
    std::list<Background> background_;
    SendBuffers send_buffers_;
    std::list<Emptying> emptying_;
    std::vector<std::uint64_t> held_B_;  ///< by process that it goes to: of sends that are complete, not delivered
    std::uint64_t all_held_B_ = 0;
    std::map<PayloadKey, Payload> payloads_;                                             ///< that go out
    std::map<std::pair<PayloadKey, std::uint64_t>, std::vector<std::uint8_t>> arrived_;  ///< by message and offset
    std::unordered_map<ReceiveId, PayloadKey> matched_;  ///< relayed messages whose payload is on its way
    std::unordered_map<NativeHandle, Pulled> pulled_;
    NativeHandle next_pulled_ = 1;
    std::unordered_map<std::uintptr_t, Extracted> extracted_;  ///< by the program's MPI_Message
};

}  // namespace fairlead::relay
