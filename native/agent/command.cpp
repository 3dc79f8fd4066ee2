// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <limits>

#include "shares.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxId = std::numeric_limits<std::int64_t>::max();

/// Where a command comes to: indices are checked against this.
struct Place {
    core::HostId self;
    core::HostId host_count;
};

core::HostId parse_peer(const JsonFields& fields, const char* key, Place place) {
    const auto peer = static_cast<core::HostId>(fields.whole(key, 0, place.host_count - 1));
    if (peer == place.self) fields.fail(key, "another host than the agent's own");
    return peer;
}

double parse_timeout(const JsonFields& fields) {
    return fields.has("timeout_s") ? fields.number("timeout_s", 0.1, 86400.0) : kDefaultTimeout_s;
}

Command parse_pingpong(const json& object, Place place) {
    const JsonFields fields(object, "pingpong", {"type", "id", "peer", "sizes_B", "exchanges", "warmup", "timeout_s"});
    PingPongCommand command;
    command.id = fields.whole("id", 0, kMaxId);
    command.peer = parse_peer(fields, "peer", place);
    for (const json& size : fields.list("sizes_B", 1, kMaxPingPongSizes)) {
        command.sizes_B.push_back(static_cast<std::uint64_t>(
            whole_in(size, "pingpong: each of 'sizes_B'", 1, static_cast<std::int64_t>(kMaxPingPong_B))));
    }
    command.exchanges = static_cast<std::uint32_t>(fields.whole("exchanges", 1, kMaxExchanges));
    command.warmup = static_cast<std::uint32_t>(fields.whole("warmup", 0, kMaxExchanges));
    command.timeout_s = parse_timeout(fields);
    return command;
}

Command parse_train(const json& object, Place place) {
    const JsonFields fields(object, "train", {"type", "id", "peer", "duration_s", "streams", "timeout_s"});
    TrainCommand command;
    command.id = fields.whole("id", 0, kMaxId);
    command.peer = parse_peer(fields, "peer", place);
    command.duration_s = fields.number("duration_s", 0.001, kMaxTrain_s);
    command.streams = static_cast<int>(fields.whole("streams", 1, kMaxStreams));
    command.timeout_s = parse_timeout(fields);
    return command;
}

Command parse_probe(const json& object, Place place) {
    const JsonFields fields(object, "probe", {"type", "id", "peers", "count", "interval_s"});
    ProbeCommand command;
    command.id = fields.whole("id", 0, kMaxId);
    for (const json& peer : fields.list("peers", 1, core::kMaxHosts)) {
        command.peers.push_back(
            static_cast<core::HostId>(whole_in(peer, "probe: each of 'peers'", 0, place.host_count - 1)));
        if (command.peers.back() == place.self) fields.fail("peers", "other hosts than the agent's own");
    }
    command.count = static_cast<int>(fields.whole("count", 1, 10'000));
    command.interval_s = fields.number("interval_s", 0.0, 60.0);
    return command;
}

Command parse_move(const json& object, Place place) {
    const JsonFields fields(object, "move", {"type", "id", "peer", "relay"});
    MoveCommand command;
    command.id = fields.whole("id", 0, kMaxId);
    command.peer = parse_peer(fields, "peer", place);
    command.relay = parse_peer(fields, "relay", place);
    if (command.relay == command.peer) fields.fail("relay", "another host than 'peer'");
    return command;
}

Command parse_return(const json& object, Place place) {
    const JsonFields fields(object, "return", {"type", "id", "peer"});
    return ReturnCommand{fields.whole("id", 0, kMaxId), parse_peer(fields, "peer", place)};
}

Command parse_shares_command(const json& object, Place place) {
    const JsonFields fields(object, "shares", {"type", "id", "shares"});
    return SharesCommand{fields.whole("id", 0, kMaxId),
                         parse_shares(fields.any("shares"), place.host_count, "shares: 'shares'")};
}

Command parse_step_clock(const json& object) {
    const JsonFields fields(object, "step_clock", {"type", "id", "offset_s"});
    return StepClockCommand{fields.whole("id", 0, kMaxId),
                            fields.number("offset_s", -kMaxClockStep_s, kMaxClockStep_s)};
}

std::optional<std::int64_t> readable_id(const json& object) {
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find("id");
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
}

Command parse_object(const json& object, Place place) {
    if (!object.is_object()) throw ProtocolError("a command must be a JSON object");
    const auto type = object.find("type");
    if (type == object.end() || !type->is_string()) throw ProtocolError("a command needs a 'type'");
    const auto& name = type->get_ref<const std::string&>();
    if (name == "pingpong") return parse_pingpong(object, place);
    if (name == "train") return parse_train(object, place);
    if (name == "probe") return parse_probe(object, place);
    if (name == "move") return parse_move(object, place);
    if (name == "return") return parse_return(object, place);
    if (name == "shares") return parse_shares_command(object, place);
    if (name == "step_clock") return parse_step_clock(object);
    if (name == "lease") return LeaseCommand{};
    if (name == "stop") return StopCommand{};
    throw ProtocolError("the command '" + name + "' is unknown");
}

}  // namespace

Command parse_command(std::string_view line, core::HostId self, core::HostId host_count) {
    const json object = json::parse(line, nullptr, false);
    if (object.is_discarded()) throw CommandError(std::nullopt, "a command is not JSON");
    try {
        return parse_object(object, {self, host_count});
    } catch (const ProtocolError& error) {
        throw CommandError(readable_id(object), error.what());
    }
}

}  // namespace fairlead::agent
