// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#include "generated/events.hpp"

#include <nlohmann/json.hpp>

namespace fairlead::agent {
namespace {

using nlohmann::json;

json host_or_null(core::HostId host) {
    return host == core::kNoHost ? json(nullptr) : json(host);
}

}  // namespace

void to_json(json& line, const Flow& said) {
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["relay"] = host_or_null(said.relay);
    line["rate_bps"] = said.rate_bps;
}

void to_json(json& line, const RankPair& said) {
    line["source"] = said.source;
    line["source_rank"] = said.source_rank;
    line["rank"] = said.rank;
    line["messages"] = said.messages;
    line["size_B"] = said.size_B;
    line["waited_s"] = said.waited_s;
    line["known_s"] = said.known_s;
    line["transmission_s"] = said.transmission_s;
    line["processing_s"] = said.processing_s;
}

void to_json(json& line, const PeerClock& said) {
    line["peer"] = said.peer;
    line["offset_s"] = said.offset_s;
    line["drift"] = said.drift;
    line["error_s"] = said.error_s;
}

void to_json(json& line, const RankCounts& said) {
    line["direct"] = said.direct;
    line["relayed"] = said.relayed;
    line["takeovers"] = said.takeovers;
    line["cancelled"] = said.cancelled;
    line["cancel_failed"] = said.cancel_failed;
    line["pulled"] = said.pulled;
    line["held"] = said.held;
    line["waited"] = said.waited;
    line["retransmitted"] = said.retransmitted;
    line["duplicates"] = said.duplicates;
}

void to_json(json& line, const RelayCounts& said) {
    line["ranks"] = said.ranks;
    line["sent"] = said.sent;
    line["sent_B"] = said.sent_B;
    line["passed"] = said.passed;
    line["passed_B"] = said.passed_B;
    line["arrived"] = said.arrived;
    line["arrived_B"] = said.arrived_B;
    line["unplaced"] = said.unplaced;
    line["unreachable"] = said.unreachable;
    line["absent"] = said.absent;
}

void to_json(json& line, const LevelChangedEvent& said) {
    line["type"] = "level_changed";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["from"] = name(said.from);
    line["congestion_level"] = name(said.congestion_level);
    line["queue_delay_s"] = said.queue_delay_s;
}

void to_json(json& line, const ReroutedEvent& said) {
    line["type"] = "rerouted";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["relay"] = said.relay;
    line["before"] = host_or_null(said.before);
    line["manual"] = said.manual;
    line["ahead"] = said.ahead;
    line["again"] = said.again;
    line["reason"] = said.reason;
    line["queue_delay_s"] = said.queue_delay_s;
    line["foreign_share"] = said.foreign_share;
    line["present_latency_s"] = said.present_latency_s;
    line["detour_latency_s"] = said.detour_latency_s;
    line["suspected_t_s"] = said.suspected_t_s;
    line["confirmed_t_s"] = said.confirmed_t_s;
    line["decided_t_s"] = said.decided_t_s;
    line["flows"] = said.flows;
}

void to_json(json& line, const RestoredEvent& said) {
    line["type"] = "restored";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["relay"] = host_or_null(said.relay);
    line["reason"] = name(said.reason);
    line["queue_delay_s"] = said.queue_delay_s;
    line["away_s"] = said.away_s;
}

void to_json(json& line, const KeptEvent& said) {
    line["type"] = "kept";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["relay"] = host_or_null(said.relay);
    line["reason"] = said.reason;
    line["queue_delay_s"] = said.queue_delay_s;
    line["foreign_share"] = said.foreign_share;
    line["present_latency_s"] = said.present_latency_s;
    line["best"] = host_or_null(said.best);
    line["best_latency_s"] = said.best_latency_s;
    line["flows"] = said.flows;
}

void to_json(json& line, const NoticeEvent& said) {
    line["type"] = "notice";
    line["from"] = said.from;
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["congestion_level"] = name(said.congestion_level);
    line["queue_delay_s"] = said.queue_delay_s;
}

void to_json(json& line, const BaseShiftedEvent& said) {
    line["type"] = "base_shifted";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["from_s"] = said.from_s;
    line["to_s"] = said.to_s;
}

void to_json(json& line, const BaseLearntEvent& said) {
    line["type"] = "base_learnt";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["latency_s"] = said.latency_s;
    line["hidden_s"] = said.hidden_s;
    line["link_bps"] = said.link_bps ? json(*said.link_bps) : json(nullptr);
}

void to_json(json& line, const PathLatencyEvent& said) {
    line["type"] = "path_latency";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["relay"] = host_or_null(said.relay);
    line["latency_s"] = said.latency_s;
    line["queue_delay_s"] = said.queue_delay_s;
    line["rate_bps"] = said.rate_bps;
    line["congestion_level"] = name(said.congestion_level);
}

void to_json(json& line, const CommunicationEvent& said) {
    line["type"] = "communication";
    line["source"] = said.source;
    line["destination"] = said.destination;
    line["messages"] = said.messages;
    line["size_B"] = said.size_B;
    line["waits"] = said.waits;
    line["waited_s"] = said.waited_s;
    line["known_s"] = said.known_s;
    line["network_s"] = said.network_s;
    line["late_sender_s"] = said.late_sender_s;
    line["joined"] = said.joined;
    if (said.latency_median_s) line["latency_median_s"] = *said.latency_median_s;
    if (said.latency_max_s) line["latency_max_s"] = *said.latency_max_s;
    if (said.clock_error_s) line["clock_error_s"] = *said.clock_error_s;
    line["dropped"] = said.dropped;
    line["mismatches"] = said.mismatches;
}

void to_json(json& line, const RankPairsEvent& said) {
    line["type"] = "rank_pairs";
    line["destination"] = said.destination;
    line["span_s"] = said.span_s;
    line["pairs"] = said.pairs;
}

void to_json(json& line, const ClockEvent& said) {
    line["type"] = "clock";
    line["peers"] = said.peers;
}

void to_json(json& line, const StatsEvent& said) {
    line["type"] = "stats";
    line["cpu_s"] = said.cpu_s;
    line["rss_B"] = said.rss_B;
    line["packets_sent"] = said.packets_sent;
    line["bytes_sent"] = said.bytes_sent;
    line["send_failures"] = said.send_failures;
    line["probes_sent"] = said.probes_sent;
    line["pairs_in_use"] = said.pairs_in_use;
    line["events_dropped"] = said.events_dropped;
    if (said.relay) line["relay"] = *said.relay;
}

void to_json(json& line, const RejectedEvent& said) {
    line["type"] = "rejected";
    line["count"] = said.count;
    line["datagrams"] = said.datagrams;
    line["connections"] = said.connections;
    line["reasons"] = said.reasons;
}

void to_json(json& line, const PlaneLostEvent& said) {
    line["type"] = "plane_lost";
    line["reason"] = said.reason;
}

void to_json(json& line, const LogEvent& said) {
    line["type"] = "log";
    line["level"] = name(said.level);
    line["text"] = said.text;
}

json line_of(const Event& said) {
    return std::visit([](const auto& each) { return json(each); }, said);
}

}  // namespace fairlead::agent
