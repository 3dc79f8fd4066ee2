// SPDX-License-Identifier: Apache-2.0
#include "socket_monitor.hpp"

#include <algorithm>
#include <system_error>

namespace fairlead::agent {
namespace {

/// Between looks at the connections: while bytes move, from a second after they stopped, and while there are none.
constexpr double kActive_s = 0.040;
constexpr double kQuiet_s = 0.100;
constexpr double kIdle_s = 0.250;
constexpr double kQuietAfter_s = 1.0;
/// Between searches for new connections: at first, and doubled up to the most while none comes or goes. A search walks
/// the kernel's table of all connections, which costs as much as fifty looks at a few known ones.
constexpr double kSearch_s = 0.25;
constexpr double kSearchMost_s = 2.0;
/// The same where the job's bytes are counted: those of a connection that is not known yet would pass for others'.
constexpr double kSearchComplete_s = 0.010;
/// From here on asking for each connection costs about as much as the search.
constexpr std::size_t kFew = 64;

}  // namespace

std::vector<core::SocketSample> SocketMonitor::sample(double now, bool complete) {
    const std::size_t before = sockets_.size();
    if (!diag_) diag_.emplace();
    try {
        look(now, complete);
    } catch (const std::system_error&) {
        diag_.reset();  // late answers with it
        throw;
    }
    if (sockets_.size() != before) search_s_ = kSearch_s;  // where one came or went, others will
    return flows_.update(sockets_, now);
}

void SocketMonitor::look(double now, bool complete) {
    if (sockets_.size() > kFew || now - last_search_s_ >= (complete ? kSearchComplete_s : search_s_)) {
        last_search_s_ = now;
        search_s_ = std::clamp(2 * search_s_, kSearch_s, kSearchMost_s);
        sockets_ = diag_->established();
        std::erase_if(sockets_, [this](const TcpSocket& socket) { return flows_.peer_of(socket) == core::kNoHost; });
    } else {
        sockets_ = diag_->refresh(sockets_);
    }
}

double SocketMonitor::period_s(double now) const {
    if (sockets_.empty()) return kIdle_s;
    return now - flows_.last_active_s() > kQuietAfter_s ? kQuiet_s : kActive_s;
}

}  // namespace fairlead::agent
