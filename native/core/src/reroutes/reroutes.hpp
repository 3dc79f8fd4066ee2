// SPDX-License-Identifier: Apache-2.0
// This host's pairs and their routes: what begins a search, what follows from its result, reroutes and restorations, by
// the controller and by hand.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "detours/avoided_relays.hpp"
#include "detours/detour.hpp"
#include "detours/detour_account.hpp"
#include "fairlead/core/random.hpp"
#include "learning/learning.hpp"
#include "reroutes/give_way.hpp"
#include "reroutes/route_hold.hpp"
#include "reroutes/route_switch.hpp"
#include "roles/notices.hpp"
#include "search/search.hpp"
#include "search/search_parts.hpp"
#include "search/search_pause.hpp"

namespace fairlead::core {

class Reroutes {
  public:
    Reroutes(const SearchParts& parts, Traffic& traffic, Peers& peers, Notices& notices, const Learning& learning,
             Random& random, Outbox& out);

    /// What follows happens now.
    void at(Time now) { now_ = now; }

    /// Whether searches may begin. Where this host's processors are full they would make them fuller, and measure that.
    void set_spare(bool spare) { spare_ = spare; }
    void on_sample(const SocketSample& sample);
    void on_burst(const Burst& burst);
    /// A notice about a path of this host.
    void on_notice(const wire::Notice& notice);
    void on_load(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries);
    void on_report(HostId relay, const wire::PathReport& report);
    void on_grant(HostId relay, const wire::RelayGrant& grant);
    void on_refusal(HostId relay, const wire::RelayRefuse& refuse);
    /// `free_departure`: see Received.
    void on_echo(const wire::EchoReply& reply, std::optional<Time> free_departure = {});
    void on_echo_left(const EchoLeft& left) {
        if (auto& search = destinations_[left.destination].search) search->note_left(left, now_);
    }
    /// The guardian's answers.
    void on_guardian(const RerouteDone& done);
    void on_guardian(const RerouteFailed& failed);
    void on_guardian(const RestoreDone& done);
    void on_guardian(const RestoreFailed& failed);

    /// A manual reroute (relay or way) or restoration (kNoHost). What the controller had in mind is dropped.
    void request_manually(HostId destination, HostId relay);
    /// Until then the controller reroutes nothing: its detours end. A time that is over ends the pause.
    void pause(Time until);
    /// The controller's own.
    int detours() const;
    /// A host's agent or its plane is gone: nothing is led over it or to it any more.
    void lose_host(HostId host, bool stopped = false);
    void lose_relay(HostId relay, RestoreReason reason);
    /// A host has a new agent, which knows nothing of what was agreed with the one before.
    void replace_host(HostId host);
    /// This host's plane is gone: who has a detour over or to it shall not wait for what does not come.
    void lose_plane();
    /// The run ends: the pair returns, and is not rerouted any more.
    void stop(HostId destination);

    /// What is due by the time.
    void advance();
    /// What searches wait for may have come.
    void progress();
    Time next_due() const;

  private:
    /// A manual reroute whose detour is tried first.
    struct ManualTrial {
        PathProof proof;
        Time deadline = 0.0;
    };
    /// This host's traffic to one destination.
    struct Destination {
        Destination(const Settings& settings, bool learns)
            : pause(settings), hold(settings, learns), account(settings.detour), route(settings.detour) {}

        SearchPause pause;
        RouteHold hold;
        DetourAccount account;
        RouteSwitch route;
        AvoidedRelays avoided;  ///< relays and ways
        GiveWay way_given;
        std::optional<Search> search;
        std::optional<Detour> detour;
        Time looked_ahead = -1e9;
        HostId interrupted = kNoHost;  ///< by a pause: the relay or way of a detour that will be taken again
        std::optional<ManualTrial> trial;
        std::optional<HostId>
            manual_request;  ///< reroute (or, kNoHost, restoration) asked for manually while something was pending

        bool automatic_detour() const { return detour && !detour->manual(); }
        /// Whether the traffic is led over this relay or way, or about to be.
        bool uses(HostId relay) const { return (detour && detour->relay() == relay) || route.moves_over(relay); }
    };

    /// Calls `act` for every host with which something is under way, by number; also for those with which it begins
    /// meanwhile, if they come later.
    template <typename Act>
    void each_awake(Act act);
    bool rests(HostId host) const;
    void note_congestion(HostId host);

    // reroute_searches.cpp: from a sign to a question to a relay, or to a reason to stay
    bool decides() const { return parts_.job.automatic && !stopping_ && now_ >= paused_until_; }
    void suspect(HostId host, Suspicion why);
    std::optional<Time> ahead_of_use(HostId host) const;
    void look_ahead(HostId host);
    bool relooks(HostId host) const;
    void relook(HostId host);
    void start_search(HostId host, Suspicion why);
    void progress(HostId host);
    std::size_t turn(HostId host) const;
    void decide(HostId host);
    void decide_detour(HostId host);
    void doubt(HostId host);
    void decide_unseen(HostId host);
    void congested(HostId host);
    void tell_siblings(HostId host);
    bool gives_way(HostId host);
    void take_or_keep(HostId host);
    void take(HostId host);
    void refused(HostId host);
    void keep(HostId host, KeepReason reason, const Choice& choice = {}, const std::string& detail = {});
    void clear(HostId host);
    Time next_search(HostId host) const;

    // reroutes.cpp: the life of a route
    void interrupt(HostId host);
    void resume(HostId host);
    void reroute(HostId host, Rerouted decision);
    void rerouted(HostId host, const Rerouted& decision);
    void start_restore(HostId host, RestoreReason reason);
    void restored(HostId host, RestoreReason reason);
    void settle(HostId host);
    void release(HostId relay, HostId host);
    double rate_over_relay_bps(HostId host) const;
    HostId reserved(HostId host) const;
    void beat();
    bool relays_for_us(HostId relay) const;
    void watch_detour(HostId host);
    void judge_legs(HostId host);
    void judge_way(HostId host);
    bool only_delayed(HostId host) const;
    void book(const SocketSample& sample);
    double dwell_s(HostId host) const;
    bool echoes_wanted(const Destination& destination) const;
    Time next_echo(HostId host) const;
    void watch_echoes(HostId host);
    void lose_detour(HostId host);
    void watch_sockets(HostId host);
    Time next_due(HostId host) const;

    // manual_reroutes.cpp
    std::optional<std::string> complaint(HostId destination, HostId relay) const;
    void try_manually(HostId host);
    void reroute_manually(HostId host, HostId relay);

    SearchParts parts_;
    Traffic& traffic_;
    Peers& peers_;
    Notices& notices_;
    const Learning& learning_;
    Random& random_;
    Outbox& out_;
    std::vector<Destination> destinations_;
    /// Those with which something is under way, and some with which nothing is any more: of the hosts of a large job
    /// most rest, and no event shall make the controller look at them.
    std::set<HostId> awake_;
    bool stopping_ = false;
    bool spare_ = true;
    Time paused_until_ = -1e9;
    Time now_ = 0.0;
};

}  // namespace fairlead::core
