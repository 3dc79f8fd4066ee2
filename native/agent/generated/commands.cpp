// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#include "generated/commands.hpp"

#include <limits>

#include "json/shares.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxId = std::numeric_limits<std::int64_t>::max();

/// Any host but the agent's own.
core::HostId peer_in(const json& value, const std::string& what, Receiver receiver) {
    const auto peer = static_cast<core::HostId>(whole_in(value, what, 0, receiver.host_count - 1));
    if (peer == receiver.self) throw ProtocolError(what + " must be another host than the agent's own");
    return peer;
}

ManagedHost read_managed_host(const json& object, const std::string& what) {
    const JsonFields fields(object, what, {"name", "address", "port"});
    ManagedHost read;
    read.name = fields.text("name", 1, 255);
    read.address = fields.text("address", 2, 45);
    read.port = fields.whole<std::uint32_t>("port", ManagedHost::port_limits);
    return read;
}

Base read_base(const json& object, const std::string& what) {
    const JsonFields fields(object, what, {"age_s", "sizes_B", "latency_s", "rate_bps", "groups", "own_latency_s",
                                           "own_rate_bps"});
    Base read;
    read.age_s = fields.number("age_s", Base::age_s_limits);
    for (const json& each : fields.list("sizes_B", 0, 64)) {
        read.sizes_B.push_back(whole_in<std::uint64_t>(each, fields.entry("sizes_B"), Base::sizes_B_limits));
    }
    read.latency_s = fields.any("latency_s");
    read.rate_bps = fields.any("rate_bps");
    if (fields.has("groups")) {
        read.groups.emplace();
        for (const json& each : fields.list("groups", 0, 1024)) {
            read.groups->push_back(whole_in<std::uint64_t>(each, fields.entry("groups"), Base::groups_limits));
        }
    }
    if (fields.has("own_latency_s")) read.own_latency_s = fields.any("own_latency_s");
    if (fields.has("own_rate_bps")) read.own_rate_bps = fields.any("own_rate_bps");
    return read;
}

Learn read_learn(const json& object, const std::string& what) {
    const JsonFields fields(object, what, {"link_bps"});
    Learn read;
    if (!fields.any("link_bps").is_null()) read.link_bps = fields.number("link_bps", Learn::link_bps_limits);
    return read;
}

RelayOptions read_relay_options(const json& object, const std::string& what) {
    const JsonFields fields(object, what, {"directory", "capacity_B"});
    RelayOptions read;
    read.directory = fields.text("directory", 1, 4096);
    if (fields.has("capacity_B")) {
        read.capacity_B = fields.whole<std::uint32_t>("capacity_B", RelayOptions::capacity_B_limits);
    }
    return read;
}

ClockError read_clock_error(const json& object, const std::string& what) {
    const JsonFields fields(object, what, {"offset_s", "drift", "origin_s"});
    ClockError read;
    read.offset_s = fields.number("offset_s", ClockError::offset_s_limits);
    read.drift = fields.number("drift", ClockError::drift_limits);
    if (fields.has("origin_s")) read.origin_s = fields.number("origin_s", ClockError::origin_s_limits);
    return read;
}

PingpongCommand read_pingpong(const json& object, Receiver receiver) {
    const JsonFields fields(object, "pingpong", {"type", "id", "peer", "sizes_B", "exchanges", "warmup", "timeout_s"});
    PingpongCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.peer = peer_in(fields.any("peer"), fields.name("peer"), receiver);
    for (const json& each : fields.list("sizes_B", 1, 32)) {
        read.sizes_B.push_back(whole_in<std::uint64_t>(each, fields.entry("sizes_B"), PingpongCommand::sizes_B_limits));
    }
    read.exchanges = fields.whole<std::uint32_t>("exchanges", PingpongCommand::exchanges_limits);
    read.warmup = fields.whole<std::uint32_t>("warmup", PingpongCommand::warmup_limits);
    if (fields.has("timeout_s")) read.timeout_s = fields.number("timeout_s", PingpongCommand::timeout_s_limits);
    return read;
}

BulkCommand read_bulk(const json& object, Receiver receiver) {
    const JsonFields fields(object, "bulk", {"type", "id", "peer", "duration_s", "streams", "timeout_s"});
    BulkCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.peer = peer_in(fields.any("peer"), fields.name("peer"), receiver);
    read.duration_s = fields.number("duration_s", BulkCommand::duration_s_limits);
    read.streams = fields.whole<std::uint32_t>("streams", BulkCommand::streams_limits);
    if (fields.has("timeout_s")) read.timeout_s = fields.number("timeout_s", BulkCommand::timeout_s_limits);
    return read;
}

ProbeCommand read_probe(const json& object, Receiver receiver) {
    const JsonFields fields(object, "probe", {"type", "id", "peers", "count", "interval_s"});
    ProbeCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    for (const json& each : fields.list("peers", 1, 1024)) {
        read.peers.push_back(peer_in(each, fields.entry("peers"), receiver));
    }
    read.count = fields.whole<std::uint32_t>("count", ProbeCommand::count_limits);
    read.interval_s = fields.number("interval_s", ProbeCommand::interval_s_limits);
    return read;
}

RerouteCommand read_reroute(const json& object, Receiver receiver) {
    const JsonFields fields(object, "reroute", {"type", "id", "peer", "relay"});
    RerouteCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.peer = peer_in(fields.any("peer"), fields.name("peer"), receiver);
    read.relay = peer_in(fields.any("relay"), fields.name("relay"), receiver);
    if (read.relay == read.peer) fields.fail("relay", "another host than 'peer'");
    return read;
}

RerouteByWayCommand read_reroute_by_way(const json& object, Receiver receiver) {
    const JsonFields fields(object, "reroute_by_way", {"type", "id", "peer", "way"});
    RerouteByWayCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.peer = peer_in(fields.any("peer"), fields.name("peer"), receiver);
    read.way = fields.whole<std::uint32_t>("way", RerouteByWayCommand::way_limits);
    return read;
}

RestoreCommand read_restore(const json& object, Receiver receiver) {
    const JsonFields fields(object, "restore", {"type", "id", "peer"});
    RestoreCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.peer = peer_in(fields.any("peer"), fields.name("peer"), receiver);
    return read;
}

PauseCommand read_pause(const json& object) {
    const JsonFields fields(object, "pause", {"type", "id", "for_s"});
    PauseCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.for_s = fields.number("for_s", PauseCommand::for_s_limits);
    return read;
}

ProgressCommand read_progress(const json& object) {
    const JsonFields fields(object, "progress", {"type", "id"});
    ProgressCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    return read;
}

SharesCommand read_shares(const json& object, Receiver receiver) {
    const JsonFields fields(object, "shares", {"type", "id", "shares"});
    SharesCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.shares = parse_shares(fields.any("shares"), receiver.host_count, fields.name("shares"));
    return read;
}

StepClockCommand read_step_clock(const json& object) {
    const JsonFields fields(object, "step_clock", {"type", "id", "offset_s"});
    StepClockCommand read;
    read.id = fields.whole("id", 0, kMaxId);
    read.offset_s = fields.number("offset_s", StepClockCommand::offset_s_limits);
    return read;
}

}  // namespace

Manage read_manage(const json& object, const std::string& what, Receiver receiver) {
    const JsonFields fields(object, what, {"base", "shares", "settings", "learn", "mix", "automatic", "seed"});
    Manage read;
    read.base = read_base(fields.any("base"), fields.within("base"));
    read.shares = parse_shares(fields.any("shares"), receiver.host_count, fields.name("shares"));
    if (fields.has("settings")) read.settings = fields.any("settings");
    if (fields.given("learn")) read.learn = read_learn(fields.any("learn"), fields.within("learn"));
    if (fields.has("mix")) read.mix = fields.any("mix");
    if (fields.has("automatic")) read.automatic = fields.flag("automatic");
    if (fields.has("seed")) read.seed = fields.whole<std::uint64_t>("seed", Manage::seed_limits);
    return read;
}

ConfigCommand read_config(const json& object) {
    const JsonFields fields(object, "config", {"type", "job", "secret", "self", "hosts", "guardian", "uid", "manage",
                                               "relay", "rings", "acknowledge", "lease_s", "boot_id", "clock_test"});
    ConfigCommand read;
    read.job = fields.text("job", 1, 12);
    read.self = fields.whole<std::uint32_t>("self", ConfigCommand::self_limits);
    for (const json& each : fields.list("hosts", 2, 1024)) {
        read.hosts.push_back(read_managed_host(each, fields.at("hosts", read.hosts.size())));
    }
    if (!fields.any("guardian").is_null()) {
        read.guardian.emplace();
        for (const json& each : fields.list("guardian", 1, 64)) {
            read.guardian->push_back(text_in(each, fields.entry("guardian")));
        }
    }
    if (!fields.any("uid").is_null()) read.uid = fields.whole<std::uint32_t>("uid", ConfigCommand::uid_limits);
    read.manage = fields.any("manage");
    if (!read.manage.is_null() && !read.manage.is_object()) fields.fail("manage", "null or an object");
    if (fields.given("relay")) read.relay = read_relay_options(fields.any("relay"), fields.within("relay"));
    if (fields.given("rings")) read.rings = fields.text("rings", 1, 4096);
    if (fields.has("acknowledge")) read.acknowledge = fields.text("acknowledge", 1, 16);
    if (fields.given("lease_s")) read.lease_s = fields.number("lease_s", ConfigCommand::lease_s_limits);
    if (fields.given("boot_id")) read.boot_id = fields.whole<std::uint64_t>("boot_id", ConfigCommand::boot_id_limits);
    if (fields.given("clock_test")) {
        read.clock_test = read_clock_error(fields.any("clock_test"), fields.within("clock_test"));
    }
    return read;
}

Command read_command(const std::string& type, const json& object, Receiver receiver) {
    if (type == "pingpong") return read_pingpong(object, receiver);
    if (type == "bulk") return read_bulk(object, receiver);
    if (type == "probe") return read_probe(object, receiver);
    if (type == "reroute") return read_reroute(object, receiver);
    if (type == "reroute_by_way") return read_reroute_by_way(object, receiver);
    if (type == "restore") return read_restore(object, receiver);
    if (type == "pause") return read_pause(object);
    if (type == "progress") return read_progress(object);
    if (type == "shares") return read_shares(object, receiver);
    if (type == "step_clock") return read_step_clock(object);
    if (type == "lease") return LeaseCommand{};
    if (type == "stop") return StopCommand{};
    throw ProtocolError("the command '" + type + "' is unknown");
}

}  // namespace fairlead::agent
