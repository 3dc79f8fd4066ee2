// SPDX-License-Identifier: Apache-2.0
#include "watch/socket_monitor.hpp"

#include <algorithm>
#include <system_error>

#include "fairlead/core/look_period.hpp"

namespace fairlead::agent {
namespace {

/// Between searches for new connections while some are made: at first, and doubled up to the most while none is the
/// job's. A search walks the kernel's table of all connections, which costs as much as some hundred looks at a known
/// one.
constexpr double kSearch_s = 0.25;
constexpr double kSearchMost_s = 2.0;
/// The same where the job's bytes are counted: those of a connection that is not known yet would pass for others'.
constexpr double kSearchComplete_s = 0.010;
/// Between questions whether some were made, while bytes move.
constexpr double kAsk_s = 0.25;
/// One is searched for all the same, where no counter says that one was made: what is overlooked is found in the end.
constexpr double kSearchAnyway_s = 30.0;
/// A connection is counted when it is begun and when it is established, where another may end at the same moment: it
/// is looked for once more after the counters changed.
constexpr int kSearchesAfterChange = 2;
/// From here on asking for each connection costs about as much as the search.
constexpr std::size_t kFew = 256;

std::vector<Address> others(const Config& config) {
    std::vector<Address> addresses;
    for (core::HostId host = 0; host < config.host_count(); ++host) {
        if (host != config.self) addresses.push_back(config.hosts[host].address);
    }
    return addresses;
}

}  // namespace

SocketMonitor::SocketMonitor(const Config& config, const core::LookSettings& settings, double now)
    : settings_(settings), remotes_(others(config)), diag_(std::in_place, remotes_), flows_(config), begun_s_(now) {}

std::vector<core::SocketSample> SocketMonitor::sample(double now, bool complete, std::span<const Carried> carried) {
    std::vector<core::SocketSample> samples = of_sockets(now, complete);
    carried_.add_to(samples, carried, now);
    return samples;
}

std::vector<core::SocketSample> SocketMonitor::of_sockets(double now, bool complete) {
    // While bytes move the counters tell nothing but of new connections.
    const bool resting = quiet();
    if (resting || complete || now - counted_s_ >= kAsk_s) {
        heed(counter_file_.read());
        counted_s_ = now;
    }
    const bool search = search_due(now, complete);
    if (resting && !moved_ && !search) return flows_.update(sockets_, now);  // as they were
    moved_ = false;
    const std::size_t before = sockets_.size();
    if (!diag_) diag_.emplace(remotes_);
    try {
        look(now, search);
    } catch (const std::system_error&) {
        diag_.reset();  // late answers with it
        moved_ = true;  // and a search counts only once it is done
        last_search_s_ = kNever_s;
        throw;
    }
    if (sockets_.size() != before) search_s_ = kSearch_s;  // where one came or went, others will
    last_look_s_ = now;
    return flows_.update(sockets_, now);
}

/// Whether nothing moved and nothing was in flight at the last look.
bool SocketMonitor::quiet() const {
    return flows_.last_active_s() < last_look_s_;
}

void SocketMonitor::heed(const std::optional<TcpCounters>& counters) {
    moved_ = moved_ || !counters || !counted_ || counters->segments != counted_->segments;
    if (!counters || !counted_ || !counters->same_connections(*counted_)) searches_wanted_ = kSearchesAfterChange;
    counted_ = counters;
}

bool SocketMonitor::search_due(double now, bool complete) const {
    const double since_s = now - last_search_s_;
    if (sockets_.size() > kFew || since_s >= kSearchAnyway_s) return true;
    return searches_wanted_ > 0 && since_s >= (complete ? kSearchComplete_s : search_s_);
}

void SocketMonitor::look(double now, bool search) {
    if (!search) {
        sockets_ = diag_->refresh(sockets_);
        return;
    }
    last_search_s_ = now;
    search_s_ = std::clamp(2 * search_s_, kSearch_s, kSearchMost_s);
    searches_wanted_ = std::max(0, searches_wanted_ - 1);
    sockets_ = diag_->established();
    std::erase_if(sockets_, [this](const TcpSocket& socket) { return flows_.peer_of(socket) == core::kNoHost; });
}

double SocketMonitor::period_s(double now) const {
    return core::look_period_s(now - std::max(begun_s_, last_active_s()), settings_);
}

}  // namespace fairlead::agent
