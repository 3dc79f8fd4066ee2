// SPDX-License-Identifier: Apache-2.0
// This host as a relay of others: it measures legs for them, grants rates, answers heartbeats and hands on echoes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job.hpp"
#include "outbox.hpp"
#include "paths/paths.hpp"
#include "roles/relay_desk.hpp"

namespace fairlead::core {

class RelayRole {
  public:
    /// `able`: this host's data plane is up.
    RelayRole(const Job& job, Paths& paths, double budget_bps, bool able)
        : job_(job), paths_(paths), desk_(job.hosts, budget_bps, job.settings.relay), able_(able) {}

    void answer(HostId from, const wire::PathQuery& query, Time now, Outbox& out);
    void answer(HostId from, const wire::RelayRequest& request, Time now, Outbox& out);
    void answer(HostId from, const wire::RelayRelease& release);
    /// Of a source whose detours lead over this host.
    void answer_beat(HostId from, std::span<const wire::RelayUse> uses, Time now, Outbox& out);
    /// As the relay it is handed on once, as the destination answered on both ways.
    void answer(HostId from, const wire::Echo& echo, Outbox& out) const;
    /// Hands on the answer to an echo that came over this host; false: it came over another.
    bool hand_on(HostId from, const wire::EchoReply& reply, Outbox& out) const;

    /// A leg that was asked for is measured.
    void on_burst(const Burst& burst, Outbox& out);
    void on_interface(double rate_bps) { desk_.on_interface(rate_bps); }
    /// What was granted to this source is over.
    void forget(HostId source) { desk_.forget(source); }
    void expire(Time now) { desk_.expire(now); }
    /// The data plane is gone.
    void disable() { able_ = false; }
    /// All that was granted is revoked, and nothing more is.
    void stop(Outbox& out);

    bool able() const { return able_; }
    std::vector<Pair> granted() const { return desk_.granted(); }
    Time next_deadline() const { return desk_.next_deadline(); }

  private:
    /// A leg that another host asked this one to measure.
    struct LegQuery {
        HostId from = kNoHost;
        std::uint32_t token = 0;
        HostId destination = kNoHost;
        std::uint32_t burst = 0;
    };
    void report(const LegQuery& query, const Burst& burst, Outbox& out) const;

    const Job& job_;
    Paths& paths_;
    RelayDesk desk_;
    bool able_;
    bool stopping_ = false;
    std::vector<LegQuery> leg_queries_;
};

}  // namespace fairlead::core
