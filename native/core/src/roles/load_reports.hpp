// SPDX-License-Identifier: Apache-2.0
// Load queries, of peers and of this host's own searches: each is answered once the sockets were sampled for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job.hpp"
#include "outbox.hpp"

namespace fairlead::core {

class LoadReports {
  public:
    explicit LoadReports(const Job& job) : job_(job) {}

    /// `from`: this host for a search of its own.
    void ask(HostId from, std::uint32_t token, Time now, Outbox& out);
    bool any() const { return !waiting_.empty(); }
    /// Answers all queries once the sockets were sampled, else those that waited too long. Returns the tokens of this
    /// host's own that are answered by these entries.
    std::vector<std::uint32_t> answer(bool sampled, const std::vector<wire::LoadEntry>& entries, Time now, Outbox& out);
    Time next_deadline() const;

  private:
    struct Waiting {
        HostId from = kNoHost;
        std::uint32_t token = 0;
        Time deadline = 0.0;
    };
    const Job& job_;
    std::vector<Waiting> waiting_;
};

}  // namespace fairlead::core
