// SPDX-License-Identifier: Apache-2.0
// The routes of one host's pairs alone, with the answers that their surroundings would give.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "reroutes/reroutes.hpp"
#include "tests/parts_rig.hpp"

namespace fairlead::core {

class ReroutesRig : public testing::Test {
  protected:
    explicit ReroutesRig(Job job = rig_job(), BaseTable base = rig_base(), SharingRelation sharing = rig_sharing())
        : rig(std::move(job), std::move(base), std::move(sharing)) {
        rig.greet();
        reroutes.at(rig.now);
    }
    void at(Time now) { reroutes.at(rig.now = now); }

    /// A manual detour, over a relay that was proved.
    void reroute_manually(HostId destination, HostId relay) {
        reroutes.request_manually(destination, relay);
        for (const SendEcho& sent : only<SendEcho>(rig.out.take())) {
            reroutes.on_echo({sent.echo.token, 0, sent.echo.destination, sent.echo.relay});
        }
        ASSERT_EQ(only<Reroute>(rig.out.take()).size(), 1U);
        reroutes.on_guardian(RerouteDone{destination, relay});
        ASSERT_EQ(only<Rerouted>(rig.out.take()).size(), 1U);
    }

    /// The sockets to the peer are read: so many more bytes were acknowledged.
    void sample(HostId peer, double srtt_s, std::uint64_t size_B = 2000) {
        rig.delivered_B[peer] += size_B;
        reroutes.on_sample({peer, srtt_s, 300e-6, 20000, rig.delivered_B[peer], 0, 0, false, 0.0, 200e6});
    }
    /// The pair is used without any congestion.
    void use(HostId peer, std::uint64_t size_B = 2000) {
        for (int i = 0; i < 4; ++i) {
            at(rig.now + 0.04);
            sample(peer, 300e-6, size_B);
        }
    }
    /// A pair in use meets a queue, so that its sockets look slow.
    void suspect(HostId peer, std::uint64_t size_B = 2000) {
        use(peer, size_B);
        at(rig.now + 0.04);
        sample(peer, 20e-3, size_B);
    }
    /// The peers to which bursts of probes are sent.
    static std::vector<HostId> looks(const std::vector<Action>& actions) {
        std::vector<HostId> peers;
        for (const SendProbes& probes : only<SendProbes>(actions)) peers.push_back(probes.peer);
        return peers;
    }

    /// What was asked is answered after 6 ms. Returns what was asked.
    std::vector<Action> step() {
        const Time asked = rig.now;
        const std::vector<Action> actions = rig.out.take();
        at(asked + 0.006);
        for (const Action& action : actions) answer(action, asked);
        for (HostId peer = 1; peer < kRigHosts; ++peer) {
            if (step_B[peer] > 0) sample(peer, 300e-6 + queue_s[peer], step_B[peer]);
        }
        const auto entries = rig.traffic.load_entries(rig.now);
        for (const std::uint32_t token : rig.load_reports.answer(true, entries, rig.now, rig.out)) {
            reroutes.on_load(0, token, entries);
        }
        reroutes.advance();
        return actions;
    }
    /// All that is asked and told in so many steps.
    std::vector<Action> steps(int count) {
        std::vector<Action> all;
        for (int i = 0; i < count; ++i) {
            for (Action& action : step()) all.push_back(std::move(action));
        }
        return all;
    }
    /// The same until something of this kind is among it, for 3 s at most.
    template <typename T>
    std::vector<Action> until() {
        std::vector<Action> all;
        for (int i = 0; i < 500 && only<T>(all).empty(); ++i) {
            for (Action& action : step()) all.push_back(std::move(action));
        }
        return all;
    }

    PartsRig rig;
    Notices notices{rig.job, rig.paths, rig.peers};
    Learning learning{rig.job, rig.paths, rig.traffic, rig.peers};
    Random random{1};
    Reroutes reroutes{rig.parts, rig.traffic, rig.peers, notices, learning, random, rig.out};

    double queue_s[kRigHosts] = {};          ///< on the paths from this host
    double leg_s[kRigHosts] = {};            ///< on the paths from these relays on
    std::uint64_t step_B[kRigHosts] = {};    ///< acknowledged in each step; 0: the sockets are not read
    std::uint64_t others_B[kRigHosts] = {};  ///< sent by these hosts to host 1 so far
    bool grants = true;
    bool carries = true;
    HostId silent = kNoHost;  ///< does not tell what it sends

  private:
    void answer(const Action& action, Time asked) {
        if (const auto* probes = std::get_if<SendProbes>(&action)) return probe(*probes, asked);
        if (const auto* echo = std::get_if<SendEcho>(&action)) {
            const wire::Echo& sent = echo->echo;
            if (carries) reroutes.on_echo({sent.token, sent.source, sent.destination, sent.relay});
        } else if (const auto* reroute = std::get_if<Reroute>(&action)) {
            reroutes.on_guardian(RerouteDone{reroute->destination, reroute->relay});
        } else if (const auto* restore = std::get_if<Restore>(&action)) {
            reroutes.on_guardian(RestoreDone{restore->destination});
        } else if (const auto* send = std::get_if<Send>(&action)) {
            answer(*send);
        }
    }
    void probe(const SendProbes& probes, Time asked) {
        const double delay_s = queue_s[probes.peer];
        for (int i = 0; i < probes.count; ++i) {
            const Time sent_at = asked + i * probes.spacing_s;
            const ProbeResult result{probes.peer, probes.burst, sent_at, false, 300e-6 + delay_s, delay_s, 0.0, 0.0};
            if (const auto done = rig.paths.probes().on_result(result, rig.now)) {
                rig.paths.judge(*done, rig.now, rig.out);
                reroutes.on_burst(*done);
            }
        }
        reroutes.progress();
    }
    void answer(const Send& send) {
        if (const auto* query = std::get_if<wire::PathQuery>(&send.message)) {
            reroutes.on_report(send.to, {query->token, query->destination, 3, 3, leg_s[send.to], 150e-6, 0.0});
        } else if (const auto* load = std::get_if<wire::LoadQuery>(&send.message);
                   load != nullptr && send.to != silent) {
            const std::vector<wire::LoadEntry> entries{{1, kNoHost, others_B[send.to], others_B[send.to], 0}};
            reroutes.on_load(send.to, load->token, entries);
        } else if (const auto* request = std::get_if<wire::RelayRequest>(&send.message)) {
            if (grants) {
                reroutes.on_grant(send.to, {request->token, request->destination, 0});
            } else {
                reroutes.on_refusal(send.to, {request->token, request->destination, wire::RefuseReason::budget});
            }
        } else if (std::get_if<wire::Heartbeat>(&send.message) != nullptr) {
            rig.peers.on_beat(send.to, rig.now);
        }
        reroutes.progress();
    }
};

}  // namespace fairlead::core
