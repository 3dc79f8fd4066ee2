// SPDX-License-Identifier: Apache-2.0
#include "search/relay_ask.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr int kTries = 2;  // echoes without an answer, before a detour is taken for broken
}  // namespace

double requested_bps(const RelaySettings& settings, double peak_rate_bps) {
    return std::max(settings.request_min_bps, settings.request_factor * peak_rate_bps);
}

RelayAsk::RelayAsk(const Job& job, HostId destination, HostId relay, double peak_rate_bps, double least_bps, Time now,
                   Outbox& out)
    : job_(&job),
      trial_(job.path_to(destination), relay),
      token_(out.token()),
      deadline_(now + job.settings.choice.ask_timeout_s) {
    granted_ = is_way(relay);
    const double rate_bps = requested_bps(job.settings.relay, peak_rate_bps);
    if (!granted_) out.send(relay, wire::RelayRequest{token_, destination, rate_bps, least_bps});
    advance(now, out);
}

void RelayAsk::advance(Time now, Outbox& out) {
    if (job_->proves) trial_.advance(job_->settings.echo, now, out);
}

void RelayAsk::grant(Time now) {
    granted_ = true;
    deadline_ = now + job_->settings.choice.ask_timeout_s;  // for the echo
}

bool RelayAsk::broken() const {
    return job_->proves && granted_ && !trial_.carries() && trial_.echoes() >= kTries;
}

Time RelayAsk::next_due() const {
    return job_->proves && !trial_.carries() ? std::min(deadline_, trial_.next_echo()) : deadline_;
}

}  // namespace fairlead::core
