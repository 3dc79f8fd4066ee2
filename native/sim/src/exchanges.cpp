// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/exchanges.hpp"

#include <algorithm>
#include <memory>

namespace fairlead::sim {

Connection& Exchanges::open(EndId source, EndId destination, double message_B, int job) {
    Connection& connection = tcp_.open(source, destination, job);
    connection.segment_B = std::min(connection.segment_B, message_B);
    return connection;
}

void Exchanges::send(Connection& connection, double message_B) {
    if (!connection.idle()) return;
    connection.wanted_B = message_B;
    tcp_.push(connection);
}

void Exchanges::always(EndId source, EndId destination, double message_B, double pause_s, int job) {
    Connection& connection = open(source, destination, message_B, job);
    connection.on_drained = [this, &connection, message_B, pause_s] {
        const double pause = pause_s * (0.5 + random_.uniform());
        events_.at(events_.now() + pause, [this, &connection, message_B] { send(connection, message_B); });
    };
    events_.at(events_.now() + 0.01 * random_.uniform(), connection.on_drained);
}

void Exchanges::at_times(EndId source, EndId destination, double message_B, double pause_s,
                         const std::vector<double>& begins_s, double length_s, int job) {
    Connection& connection = open(source, destination, message_B, job);
    const auto until = std::make_shared<double>(0.0);
    connection.on_drained = [this, &connection, until, message_B, pause_s] {
        if (events_.now() + pause_s >= *until) return;
        events_.at(events_.now() + pause_s, [this, &connection, message_B] { send(connection, message_B); });
    };
    for (const double begin : begins_s) {
        events_.at(begin, [this, &connection, until, message_B, length_s] {
            *until = events_.now() + length_s;
            send(connection, message_B);
        });
    }
}

}  // namespace fairlead::sim
