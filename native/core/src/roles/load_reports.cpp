// SPDX-License-Identifier: Apache-2.0
#include "roles/load_reports.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead::core {

namespace {
constexpr std::size_t kMostWaiting = 256;
}  // namespace

void LoadReports::ask(HostId from, std::uint32_t token, Time now, Outbox& out) {
    if (waiting_.size() >= kMostWaiting) return;
    waiting_.push_back({from, token, now + job_.settings.own_load.samples_timeout_s});
    out.emit(SampleSockets{});
}

std::vector<std::uint32_t> LoadReports::answer(bool sampled, const std::vector<wire::LoadEntry>& entries, Time now,
                                               Outbox& out) {
    std::vector<std::uint32_t> own;
    for (const Waiting& query : std::exchange(waiting_, {})) {
        if (!sampled && now < query.deadline) {
            waiting_.push_back(query);
        } else if (query.from == job_.self) {
            own.push_back(query.token);
        } else {
            out.send(query.from, wire::LoadReport{query.token, entries});
        }
    }
    return own;
}

Time LoadReports::next_deadline() const {
    Time next = HUGE_VAL;
    for (const Waiting& query : waiting_) next = std::min(next, query.deadline);
    return next;
}

}  // namespace fairlead::core
