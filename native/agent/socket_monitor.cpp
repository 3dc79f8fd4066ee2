// SPDX-License-Identifier: Apache-2.0
#include "socket_monitor.hpp"

namespace fairlead::agent {
namespace {

/// Between looks at the connections: while bytes move, from a second after they stopped, and while there are none.
constexpr double kActive_s = 0.040;
constexpr double kQuiet_s = 0.100;
constexpr double kIdle_s = 0.250;
constexpr double kQuietAfter_s = 1.0;
/// Between searches for new connections, which cost more than looks at a few known ones.
constexpr double kSearch_s = 0.5;
/// The same where the job's bytes are counted: those of a connection that is not known yet would pass for others'.
constexpr double kSearchComplete_s = 0.010;
/// From here on asking for each connection costs about as much as the search.
constexpr std::size_t kFew = 64;

}  // namespace

std::vector<core::SocketSample> SocketMonitor::sample(double now, bool complete) {
    if (sockets_.size() > kFew || now - last_search_s_ >= (complete ? kSearchComplete_s : kSearch_s)) {
        last_search_s_ = now;
        sockets_ = diag_.established();
        std::erase_if(sockets_, [this](const TcpSocket& socket) { return flows_.peer_of(socket) == core::kNoHost; });
    } else {
        sockets_ = diag_.refresh(sockets_);
    }
    return flows_.update(sockets_, now);
}

double SocketMonitor::period_s(double now) const {
    if (sockets_.empty()) return kIdle_s;
    return now - flows_.last_active_s() > kQuietAfter_s ? kQuiet_s : kActive_s;
}

}  // namespace fairlead::agent
