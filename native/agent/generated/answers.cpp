// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#include "generated/answers.hpp"

#include <nlohmann/json.hpp>

namespace fairlead::agent {
namespace {

using nlohmann::json;

}  // namespace

void to_json(json& line, const PingpongResult& said) {
    line["size_B"] = said.size_B;
    line["round_trip_s"] = said.round_trip_s;
    line["forward_s"] = said.forward_s;
}

void to_json(json& line, const ProbeResult& said) {
    line["peer"] = said.peer;
    line["sent"] = said.sent;
    line["round_trip_s"] = said.round_trip_s;
    line["forward_s"] = said.forward_s;
    line["backward_s"] = said.backward_s;
    line["clock_error_s"] = said.clock_error_s ? json(*said.clock_error_s) : json(nullptr);
}

void to_json(json& line, const ReadyAnswer& said) {
    line["type"] = "ready";
    line["pid"] = said.pid;
    line["version"] = said.version;
    line["interface"] = said.interface;
    line["plane"] = said.plane;
    line["plane_reason"] = said.plane_reason;
    line["low_port"] = said.low_port;
    line["scheduling"] = name(said.scheduling);
}

void to_json(json& line, const ErrorAnswer& said) {
    line["type"] = "error";
    line["reason"] = said.reason;
}

void to_json(json& line, const FailedAnswer& said) {
    line["type"] = "failed";
    line["id"] = said.id;
    line["reason"] = said.reason;
}

void to_json(json& line, const DoneAnswer& said) {
    line["type"] = "done";
    line["id"] = said.id;
}

void to_json(json& line, const StoppedAnswer&) {
    line["type"] = "stopped";
}

void to_json(json& line, const PingpongAnswer& said) {
    line["type"] = "pingpong";
    line["id"] = said.id;
    line["peer"] = said.peer;
    line["results"] = said.results;
    line["clock_error_s"] = said.clock_error_s;
}

void to_json(json& line, const BulkAnswer& said) {
    line["type"] = "bulk";
    line["id"] = said.id;
    line["peer"] = said.peer;
    line["bytes"] = said.bytes;
    line["duration_s"] = said.duration_s;
    line["rate_bps"] = said.rate_bps;
}

void to_json(json& line, const ProbeAnswer& said) {
    line["type"] = "probe";
    line["id"] = said.id;
    line["results"] = said.results;
}

void to_json(json& line, const ProgressAnswer& said) {
    line["type"] = "progress";
    line["id"] = said.id;
    line["delivered_B"] = said.delivered_B;
    line["detours"] = said.detours;
}

json line_of(const Answer& said) {
    return std::visit([](const auto& each) { return json(each); }, said);
}

}  // namespace fairlead::agent
