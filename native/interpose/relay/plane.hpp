// SPDX-License-Identifier: Apache-2.0
// The relay plane in this process: the endpoint (native/relay) between the program's calls, the MPI library and a
// carrier of frames. docs/relay-plane.md has the rules and why they hold; here is what a call does by them.
//
// Nothing sleeps in the library: whatever waits polls. One lock is over every step, with the native call that belongs
// to it; nobody holds it while waiting.
#pragma once

#include <sched.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi.hpp"
#include "fairlead/relay/endpoint.hpp"
#include "relay/carrier.hpp"
#include "relay/chaos.hpp"
#include "relay/fallback_carrier.hpp"
#include "relay/mpi_carrier.hpp"
#include "relay/operation.hpp"
#include "relay/step_lock.hpp"
#include "wrap/call.hpp"

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
    /// without one, MPI does.
    Plane(std::optional<Chaos> chaos, const char* directory);

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
    int start(MPI_Request* request);
    int cancel(MPI_Request* request);
    int request_free(MPI_Request* request);

    // Completion. Each goes one step on and says whether the call is over.

    /// With an error it is over, too, though some requests may be open then.
    bool wait_all(int count, MPI_Request requests[], MPI_Status statuses[], Outcome& outcome);
    bool wait_one(MPI_Request* request, MPI_Status* status, Outcome& outcome);
    bool test_any(int count, MPI_Request requests[], int* index, MPI_Status* status, Outcome& outcome);
    bool test_some(int count, MPI_Request requests[], int* number, int indices[], MPI_Status statuses[],
                   Outcome& outcome);
    int get_status(MPI_Request request, int* flag, MPI_Status* status);
    /// Whether one of them is a send or receive that the plane knows of.
    bool has_any(int count, const MPI_Request requests[]);
    /// Whether a relayed message was taken as this one, and is not received yet.
    bool has(MPI_Message message);

    // Communicators.

    /// A call that is collective over its members made it.
    void add(MPI_Comm comm);
    bool carries(MPI_Comm comm);
    /// Before the library frees it: whether it may do so now. If not, it is freed in MPI_Finalize.
    bool drop(MPI_Comm comm);
    /// Until all members have come. Then those that call a function of the library together leave it soon. Returns the
    /// library's error.
    int gather(MPI_Comm comm);
    /// Likewise these processes, among them this one at `place`; at the same time others may for another communicator
    /// or tag.
    void meet(const std::vector<int>& world_ranks, std::size_t place, MPI_Comm about, int tag);
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

    /// In MPI_Finalize, before the library's: everything that was sent arrives. After it, callbacks of the library's
    /// may still end what is left, and send and receive by the library.
    void finish();

    /// A call of the program begins: with a poll, and what chaos mode draws for it.
    void enter();
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
    };
    using PayloadKey = std::pair<Process, MessageId>;

    [[noreturn]] static void refuse_to_wait();
    void poll();
    void join_agent(const char* directory);
    void draw();
    void give_back();
    void follow_agents();
    void tell_agent();
    void accept(std::span<const std::uint8_t> bytes);
    void settle();
    void take_from_library(Channel& channel);
    void pull(Channel& channel);
    void handle_events();
    /// A native message goes to where the program wants it, or whole into memory of our own if it does not fit there.
    static int receive(Operation& operation, Pulled& pulled);
    void handle(const ReceiveMatched& event);
    void handle(const Arrived& event);
    void handle(const SendDone& event);
    void put(Operation& operation, std::span<const std::uint8_t> message);
    void finish_transfers();
    void reap();
    void transmit();

    std::shared_ptr<Channel> channel_of(MPI_Comm comm) const;
    OperationPtr operation_of(MPI_Request request) const;
    /// The operation's send or receive begins; `native` is the library's way.
    int launch(const OperationPtr& operation, const std::function<int()>& native);
    int post(const OperationPtr& operation, const std::function<int()>& native);
    int send_copy(const OperationPtr& operation);
    void relay(const OperationPtr& operation, Process to);
    void give_handle(const OperationPtr& operation, MPI_Request* request);
    void account(Operation& operation, const MPI_Status& status);
    /// Whether the library is done with it; then how. A persistent one may be the plane's from then on.
    bool library_done(Operation& operation, MPI_Status& status);
    /// Of a complete operation on the plane: frees the handle and fills the status; returns the operation's error.
    int conclude(const OperationPtr& operation, MPI_Request* request, MPI_Status* status);
    /// Of one that the library completed; `before` was its handle, `after` is what the library left of it.
    void concluded(const OperationPtr& operation, MPI_Request before, MPI_Request after, const MPI_Status& status);
    std::uint64_t least(MPI_Comm comm, bool inter, std::uint64_t value);
    bool at_rest(const Channel& channel) const;
    bool delivered(const Channel& channel) const;
    /// The library frees it, and has what is started on it from then on.
    void forget(Channel& channel);
    void register_channel(MPI_Comm comm, CommunicatorId id);
    std::optional<Arrival> look(Channel& channel, int source, int tag, bool take);

    StepLock mutex_;
    Process self_ = 0;
    Process processes_ = 0;
    std::optional<Chaos> chaos_;
    bool standing_ =
        false;  ///< the library may cancel what it has matched: takeovers are from the beginning and for good
    int tag_bound_ = 0;
    MPI_Comm own_ = comm_null();      ///< a duplicate of MPI_COMM_SELF
    MPI_Comm frames_ = comm_null();   ///< duplicates of MPI_COMM_WORLD
    MPI_Comm control_ = comm_null();  ///<
    Endpoint endpoint_;
    MpiCarrier* mpi_carrier_ = nullptr;
    std::unique_ptr<Carrier> carrier_;
    FallbackCarrier* fallback_ = nullptr;  ///< the same one, where there are agents
    std::uint32_t changes_ = 0;            ///< of the agents' wishes, as followed
    std::vector<bool> reached_;            ///< by process: agents carry frames to it
    std::vector<bool> relayed_;            ///< and messages shall go that way
    Time last_arrival_s_ = 0.0;            ///< of a frame
    bool finished_ = false;                ///< nobody needs another frame
    bool ended_ = false;                   ///< nor looks for one
    bool library_asked_ = false;           ///< for the program, in this turn of a wait: it may have yielded
    std::uint64_t calls_ = 0;
    std::uint64_t agreements_ = 1;
    std::uint64_t outside_ = 0;

    std::unordered_map<std::uintptr_t, std::shared_ptr<Channel>> channels_;
    std::vector<MPI_Comm> to_free_;                                ///< in MPI_Finalize
    std::unordered_map<std::uintptr_t, OperationPtr> operations_;  ///< by the program's handle
    std::unordered_map<ReceiveId, OperationPtr> receives_;         ///< that are not complete
    std::list<OperationPtr> transfers_;
    std::list<OperationPtr> freed_;
    std::list<Background> background_;
    std::map<PayloadKey, Payload> payloads_;                                             ///< that go out
    std::map<std::pair<PayloadKey, std::uint64_t>, std::vector<std::uint8_t>> arrived_;  ///< by message and offset
    std::unordered_map<ReceiveId, PayloadKey> matched_;  ///< relayed messages whose payload is on its way
    std::unordered_map<NativeHandle, Pulled> pulled_;
    NativeHandle next_pulled_ = 1;
    std::unordered_map<std::uintptr_t, Extracted> extracted_;  ///< by the program's MPI_Message
};

}  // namespace fairlead::relay
