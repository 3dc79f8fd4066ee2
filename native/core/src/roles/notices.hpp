// SPDX-License-Identifier: Apache-2.0
// Notices that a path is slow: this host as a destination tells the sources of paths that lead to it, and each pair
// that finds others' traffic the pairs that share its bottleneck.
#pragma once

#include <span>
#include <vector>

#include "fairlead/core/message_level.hpp"
#include "fairlead/core/own_load.hpp"
#include "job.hpp"
#include "outbox.hpp"
#include "paths/paths.hpp"
#include "peers/peers.hpp"

namespace fairlead::core {

class Notices {
  public:
    Notices(const Job& job, const Paths& paths, const Peers& peers)
        : job_(job), paths_(paths), peers_(peers), sources_(job.hosts) {}

    /// A burst is done: the answers came by the path from its peer.
    void on_burst(const Burst& burst, Time now, Outbox& out);
    /// A rank of this host waited for a message. Where baselines are learnt it says nothing: what larger messages take
    /// on the free path is not learnt.
    void on_message(const MessageTime& time, Time now, Outbox& out);
    /// A notice about a path of another host is handed on once: only what comes from the path's own destination.
    void hand_on(HostId from, const wire::Notice& notice, Outbox& out) const;
    /// Tells those hosts whose pairs, by what they sent, share the bottleneck of this host's slow path.
    /// `notice`: of that path.
    void tell_sharing(const wire::Notice& notice, std::span<const LoadSnapshot::Source> loads, Time now, Outbox& out);
    /// None are sent any more.
    void stop() { stopping_ = true; }

  private:
    struct OfSource {
        MessageLevel messages;
        Time next_notice = -1e9;
    };
    bool quiet(HostId source, Time now) const {
        return !job_.automatic || stopping_ || now < sources_[source].next_notice;
    }
    void send(const wire::Notice& notice, Time now, Outbox& out);

    const Job& job_;
    const Paths& paths_;
    const Peers& peers_;
    std::vector<OfSource> sources_;
    bool stopping_ = false;
};

}  // namespace fairlead::core
