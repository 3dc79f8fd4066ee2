// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/congestion.hpp"

#include <algorithm>

namespace fairlead::sim {

namespace {

constexpr double kApart_s = 1e-3;  // at most, between the beginnings of streams that begin together
constexpr double kSocketBlocks = 4.0;
constexpr double kClocked_B =
    2 * kPacket_B;  // what an acknowledgement lets a busy sender send: a queue is full to that

}  // namespace

void Congestion::streams(EndId from, EndId to, int count, double start_s, double stop_s) {
    for (int i = 0; i < count; ++i) {
        Connection& stream = tcp_.open(from, to, kForeign);
        stream.segment_B = std::min(stream.segment_B, kClocked_B);
        events_.at(start_s + kApart_s * random_.uniform(), [this, &stream, stop_s] {
            if (events_.now() >= stop_s) return;  // else it would never end
            stream.unlimited = true;
            tcp_.push(stream);
        });
        events_.at(stop_s, [&stream] { stream.unlimited = false; });
    }
}

void Congestion::paced(EndId from, EndId to, int count, double rate_bps, double block_B, double start_s,
                       double stop_s) {
    const double period_s = 8.0 * block_B / rate_bps;
    for (int i = 0; i < count; ++i) {
        Connection& stream = tcp_.open(from, to, kForeign);
        stream.segment_B = std::min(stream.segment_B, kClocked_B);
        write_block(stream, block_B, start_s + period_s * random_.uniform(), period_s, stop_s);
    }
}

/// One at `when`, which sees to the next: all events of a long period at once would fill the memory.
void Congestion::write_block(Connection& stream, double block_B, double when, double period_s, double stop_s) {
    if (when >= stop_s) return;
    events_.at(when, [this, &stream, block_B, when, period_s, stop_s] {
        stream.wanted_B = std::min(stream.wanted_B + block_B, kSocketBlocks * block_B);
        tcp_.push(stream);
        write_block(stream, block_B, when + period_s, period_s, stop_s);
    });
}

void Congestion::messages(EndId a, EndId b, double message_B, double start_s, double stop_s) {
    const std::tuple<EndId, EndId, double> program{std::min(a, b), std::max(a, b), message_B};
    RankPair& pair = rank_pairs_.try_emplace(program, events_, tcp_, a, b).first->second;
    events_.at(start_s, [&pair, message_B, stop_s] { pair.exchange(message_B, stop_s); });
}

void Congestion::delay(LinkId link, double added_s, double start_s, double stop_s) {
    events_.at(start_s, [this, link, added_s] { network_.link(link).added_delay_s += added_s; });
    events_.at(stop_s, [this, link, added_s] { network_.link(link).added_delay_s -= added_s; });
}

}  // namespace fairlead::sim
