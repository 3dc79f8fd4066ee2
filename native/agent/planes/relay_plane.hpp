// SPDX-License-Identifier: Apache-2.0
// Carries frames between ranks: rank -> this agent -> the relay's agent -> the destination's agent -> rank, or without
// the relay's (docs/explanation/relay-plane.md). Which pairs of hosts take a relay is decided elsewhere.
//
// All in the event loop's thread. A frame moves on when there is room for it one step ahead, and is not read before: a
// source (a rank's ring, a stream) whose next frame has no room is stuck, and tried again when something moved.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/relay/hop_buffers.hpp"
#include "fairlead/relay/wire.hpp"
#include "generated/events.hpp"
#include "peers/frame_stream.hpp"
#include "planes/data_plane.hpp"
#include "planes/local_ranks.hpp"
#include "planes/places.hpp"
#include "process/event_loop.hpp"

namespace fairlead::agent {

struct RelaySetup {
    core::HostId self = 0;
    core::HostId hosts = 0;
    std::string directory;  ///< where ranks find the agent
    std::uint32_t uid = 0;  ///< whose ranks are wanted
    /// Of the pool of passing frames, and of each rank's pool of arrived ones.
    std::uint64_t capacity_B = 0;
};

class RelayPlane final : public DataPlane {
  public:
    /// Ends a dial: with the connection, or why there is none.
    using Dialled = std::function<void(std::variant<Link, std::string>)>;
    using Dial = std::function<void(core::HostId peer, Hop hop, Dialled done)>;
    using Log = std::function<void(const std::string& text)>;

    /// A connection that failed is not tried again for so long.
    static constexpr double kRetry_s = 0.5;
    /// Bytes of this host's ranks that wait for one connection; more wait with the ranks.
    static constexpr std::uint64_t kOwnQueue_B = 256 * 1024;

    /// Throws std::system_error, std::runtime_error.
    RelayPlane(EventLoop& loop, RelaySetup setup, Dial dial, Log log);
    ~RelayPlane() override;

    /// A peer's agent has connected.
    void accept(core::HostId from, Hop hop, Link link);
    /// Where processes run, as their hosts' agents tell. Says nothing of them if the world is relay::kNoWorld.
    void place(core::HostId host, relay::WorldId world, std::span<const std::uint32_t> ranks);
    /// Those of this host.
    std::set<std::uint32_t> ranks() const;
    /// Of which they are; if there are none, the last ones.
    relay::WorldId world() const { return world_; }
    const RelayCounts& counts() const { return counts_; }
    /// Entries of ranks' tables that were looked at, ever: what it costs to follow placements and reroutes.
    std::uint64_t places_told() const { return places_told_; }
    /// What this host's ranks tell of themselves, added up; those that left included.
    relay::ToldCounts told() const;

    std::string_view name() const override { return "relay"; }
    bool up() const override { return reason_.empty(); }
    const std::string& reason() const override { return reason_; }
    std::vector<Carried> carried() override;
    /// Done once the relay's agent has answered.
    void reroute(core::HostId destination, core::HostId relay, Done done) override;
    void restore(core::HostId destination, Done done) override;
    std::string tear_down() override;

  private:
    struct Leg {
        core::HostId host = 0;
        Hop hop = Hop::last;
        auto operator<=>(const Leg&) const = default;
    };
    struct Outgoing {
        std::optional<FrameOutput> stream;
        bool dialling = false;
        double dialling_since_s = 0.0;  ///< CLOCK_MONOTONIC
        EventLoop::TimerId patience = 0;
        double retry_s = 0.0;  ///< CLOCK_MONOTONIC
        std::vector<Done> awaited_by;
    };
    enum class Fate : std::uint8_t { taken, dropped, stuck };

    Outgoing& reach(Leg leg);
    void dialled(Leg leg, std::variant<Link, std::string> result);
    void fail(Leg leg, const std::string& why);
    void on_output(Leg leg, std::uint32_t events);
    void on_input(Leg leg, std::uint32_t events);
    void close(Leg leg);
    void redial();
    void look_for_losses();
    void account(Outgoing& out);

    std::optional<Fate> unsendable(Leg leg);
    Fate send(Leg leg, const Journey& journey, std::span<const std::uint8_t> frame);
    Fate pass(Leg leg, const Record& record);
    Fate arrive(const relay::wire::Ends& ends, std::span<const std::uint8_t> frame);
    Fate take(RankChannel& channel, std::span<const std::uint8_t> frame);
    Fate take(Leg leg, FrameInput& input, const Record& record);
    void serve(relay::Process rank);
    void serve(Leg leg);
    bool serve_some(RankChannel& channel);
    void hear_out(RankChannel& channel);
    bool serve_some(Leg leg, FrameInput& input);
    bool flush(Leg leg);
    void pump();

    std::optional<core::HostId> relay_to(core::HostId destination) const;
    relay::Place place_of(relay::Process process) const;
    void turn_to(core::HostId host, relay::WorldId world);
    void tell(RankChannel& channel);
    void tell_of(relay::Process process);
    void tell_of_host(core::HostId host);
    void tell_of_detours_over(core::HostId relay);

    EventLoop& loop_;
    RelaySetup setup_;
    Dial dial_;
    Log log_;
    std::string reason_;
    relay::HopBuffers buffers_;
    LocalRanks ranks_;
    std::map<Leg, Outgoing> outgoing_;              ///< by who reads
    std::map<Leg, FrameInput> incoming_;            ///< by who writes
    std::map<core::HostId, core::HostId> wanted_;   ///< destination -> relay, on the way to be a detour or one
    std::map<core::HostId, core::HostId> detours_;  ///< destination -> relay
    relay::WorldId world_ = relay::kNoWorld;
    Places places_;
    std::uint64_t places_told_ = 0;
    std::set<relay::Process> broken_;     ///< do not keep to the protocol; removed at the end of pump()
    std::set<relay::Process> due_ranks_;  ///< have something, or had no room for it at the last look
    std::set<Leg> due_inputs_;            ///< likewise; nothing is read from those meanwhile
    std::set<Leg> unflushed_;
    std::map<core::HostId, std::uint64_t>
        delivered_B_;  ///< destination -> bytes of messages of this host's ranks, ever
    RelayCounts counts_;
    relay::ToldCounts told_by_those_who_left_{};
    bool pumping_ = false;
    bool again_ = false;
    EventLoop::TimerId pump_timer_ = 0;
    EventLoop::TimerId redial_timer_ = 0;
    EventLoop::TimerId losses_timer_ = 0;  ///< runs while there are streams
};

}  // namespace fairlead::agent
