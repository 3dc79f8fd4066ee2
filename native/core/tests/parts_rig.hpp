// SPDX-License-Identifier: Apache-2.0
// What the controller's parts need of each other, for tests of one part alone.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "search/search_parts.hpp"

namespace fairlead::core {

inline constexpr HostId kRigHosts = 5;

/// Host 0 of a job that knows its network: 150 us and 200 Mbit/s everywhere, and no pair shares anything with another.
/// What is watched for a while first is taken as known.
inline Job rig_job() {
    Job job;
    job.hosts = kRigHosts;
    job.proves = true;
    job.settings.suspicion.watched_s = 0.0;
    return job;
}

inline BaseTable rig_base() {
    BaseTable base(kRigHosts);
    for (HostId a = 0; a < kRigHosts; ++a) {
        for (HostId b = 0; b < kRigHosts; ++b) {
            if (a == b) continue;
            base.set_latency({a, b}, 64, 150e-6, -1.0);
            base.set_latency({a, b}, 65536, 2.8e-3, -1.0);
            base.set_throughput({a, b}, 200e6, -1.0);
        }
    }
    return base;
}

inline SharingRelation rig_sharing() {
    SharingRelation sharing(kRigHosts);
    for (HostId a = 0; a < kRigHosts; ++a) {
        for (HostId b = 0; b < kRigHosts; ++b) {
            if (a != b) sharing.set_hurts({a, b}, {a, b});
        }
    }
    return sharing;
}

/// The actions of one kind.
template <typename T>
std::vector<T> only(const std::vector<Action>& actions) {
    std::vector<T> found;
    for (const Action& action : actions) {
        if (const T* match = std::get_if<T>(&action)) found.push_back(*match);
    }
    return found;
}

/// The messages of one kind, with their receivers.
template <typename M>
std::vector<std::pair<HostId, M>> messages(const std::vector<Action>& actions) {
    std::vector<std::pair<HostId, M>> found;
    for (const Send& send : only<Send>(actions)) {
        if (const M* match = std::get_if<M>(&send.message)) found.emplace_back(send.to, *match);
    }
    return found;
}

struct PartsRig {
    explicit PartsRig(Job of = rig_job(), BaseTable base = rig_base(), SharingRelation sharing = rig_sharing())
        : job(std::move(of)), paths(job, std::move(base), std::move(sharing)) {}

    /// Everybody was heard, and may relay.
    void greet() {
        for (HostId host = 1; host < kRigHosts; ++host) peers.on_hello(host, {kRigHosts, true}, true, out);
        out.take();
    }
    /// Three probes to the peer meet this queue, 3 ms apart; `burst`: that they belong to.
    std::optional<Burst> probe(HostId peer, double queue_s, std::uint32_t burst = 0) {
        std::optional<Burst> done;
        for (int i = 0; i < 3; ++i) {
            const ProbeResult result{peer, burst, now + 0.003 * i, false, 300e-6 + queue_s, queue_s, 0.0, 0.0};
            if (const auto ended = paths.probes().on_result(result, now + 0.003 * i)) done = ended;
        }
        now += 0.009;
        return done;
    }
    /// The sockets to a peer have delivered so much since the last sample, 40 ms before.
    Suspicion sample(HostId peer, std::uint64_t size_B, double srtt_s = 300e-6) {
        now += 0.04;
        delivered_B[peer] += size_B;
        return traffic.on_sample({peer, srtt_s, 300e-6, 20000, delivered_B[peer], 0, 0, false, 0.0, 0.0}, now);
    }

    Job job;
    Time now = 100.0;
    Outbox out;
    Paths paths;
    Traffic traffic{job, paths, 0.0};
    Peers peers{job};
    RelayRole relay_role{job, paths, 100e6, true};
    LoadReports load_reports{job};
    SearchParts parts{job, paths, traffic, peers, relay_role, load_reports};
    std::uint64_t delivered_B[kRigHosts] = {};
};

}  // namespace fairlead::core
