// SPDX-License-Identifier: Apache-2.0
// The two ends of a stream of sealed frames between agents. Frames go one way: who connects writes, who accepts reads.
// Neither end waits, and neither knows of the event loop: its owner watches the descriptor.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "peers/frame_assembly.hpp"
#include "peers/sealed_records.hpp"
#include "peers/stream.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// What a stream is for. Frames that are to go on and frames that have arrived never share one: with both in one
/// stream, the former would keep the latter from being read (docs/explanation/relay-plane.md, "Memory").
enum class Hop : std::uint8_t {
    first,  ///< to the agent that relays
    last,   ///< to the agent of the destination
};

/// A connection with its key, fresh from the handshake.
struct Link {
    UniqueFd socket;
    SecretKey key;
};

class FrameOutput {
  public:
    explicit FrameOutput(Link link) : socket_(std::move(link.socket)), sealer_(std::move(link.key)) {}

    int fd() const { return socket_.get(); }
    /// Takes a part of a frame. passing_B: what it has of the pool of passing frames; 0 for a rank's of this host.
    /// message_B: how much of it is the message's own bytes, to be counted.
    void put(const Record& record, std::uint64_t passing_B, std::uint64_t message_B = 0);
    /// Writes what the kernel takes now. Returns what leaves the pool of passing frames. Throws StreamError.
    std::uint64_t flush();
    bool idle() const { return waiting_.empty(); }
    /// Bytes of this host's own ranks that wait for the kernel, as sealed.
    std::uint64_t own_B() const { return own_B_; }
    /// What is still in the pool of passing frames.
    std::uint64_t passing_B() const { return passing_B_; }
    /// Messages' bytes by destination that the other end's kernel has received since the last call.
    std::map<core::HostId, std::uint64_t> take_arrived();
    struct Owed {
        std::uint64_t in_flight_B = 0;
        bool waits = false;  ///< the kernel has more, or there is more here, while some is in flight
    };
    /// Messages' bytes that it had not received then. Where nothing is in flight it takes nothing: the reader waits.
    std::map<core::HostId, Owed> owed() const;
    /// After EPOLLIN: nothing is ever sent this way, so it is the end. Throws StreamError, which says why.
    void hear() const;
    /// Whether what was written gets lost on its way: the kernel has sent it again, and again, without an answer. A
    /// reader that takes nothing for long answers all the same.
    bool loses() const;

  private:
    struct Waiting {
        std::uint64_t end_B = 0;  ///< of all that was ever queued
        std::uint64_t sealed_B = 0;
        std::uint64_t passing_B = 0;
    };

    /// Records with bytes of messages for one destination, one after another; or others, which are not counted.
    struct Stretch {
        std::uint64_t end_B = 0;  ///< of all that was ever queued
        core::HostId destination = core::kNoHost;
        std::uint64_t message_B = 0;  ///< in what has not arrived of it
    };

    UniqueFd socket_;
    RecordSealer sealer_;
    std::vector<std::uint8_t> queue_;
    std::size_t begin_ = 0;          ///< of what the kernel has not taken, in the queue
    std::uint64_t written_B_ = 0;    ///< ever
    std::deque<Waiting> waiting_;    ///< records of which some bytes wait
    std::deque<Stretch> stretches_;  ///< of which some bytes had not arrived at the last look
    std::uint64_t arrived_B_ = 0;    ///< ever, at that look
    std::uint64_t sent_B_ = 0;       ///< ever, at that look: by the kernel
    std::uint64_t own_B_ = 0;
    std::uint64_t passing_B_ = 0;
};

class FrameInput {
  public:
    explicit FrameInput(Link link) : socket_(std::move(link.socket)), opener_(std::move(link.key)) {}

    int fd() const { return socket_.get(); }
    RecordOpener& records() { return opener_; }
    FrameAssembly& frames() { return assembly_; }
    /// Reads what is there, up to what the buffer holds; false if nothing is. Throws StreamError, StreamClosed at the
    /// end.
    bool read_some();

  private:
    UniqueFd socket_;
    RecordOpener opener_;
    FrameAssembly assembly_;
};

}  // namespace fairlead::agent
