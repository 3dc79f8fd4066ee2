// SPDX-License-Identifier: Apache-2.0
#include "scenario_json.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "fairlead/sim/patterns.hpp"
#include "json/json_fields.hpp"
#include "topology_json.hpp"

namespace fairlead::sim {

using agent::JsonFields;
using agent::ProtocolError;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxEntries = 1 << 20;
constexpr double kMaxTime_s = 1e6;
constexpr std::int64_t kMaxCount = 1 << 30;

bool flag(const JsonFields& fields, const char* key) {
    if (!fields.any(key).is_boolean()) fields.fail(key, "true or false");
    return fields.any(key).get<bool>();
}

void read_agents(const json& value, Scenario& scenario) {
    const JsonFields fields(
        value, "'agents'",
        {"managed", "lead_s", "stall_rate_per_s", "stall_mean_s", "reroute_s", "kernel_stamps", "settings"});
    AgentSettings& agents = scenario.simulation.agents;
    if (fields.has("managed")) scenario.managed = flag(fields, "managed");
    if (fields.has("lead_s")) scenario.lead_s = fields.number("lead_s", 0.0, kMaxTime_s);
    if (fields.has("stall_rate_per_s")) agents.processor.stall_rate_per_s = fields.number("stall_rate_per_s", 0, 1e4);
    if (fields.has("stall_mean_s")) agents.processor.stall_mean_s = fields.number("stall_mean_s", 0.0, 1.0);
    if (fields.has("reroute_s")) agents.reroute_s = fields.number("reroute_s", 0.0, 1.0);
    if (fields.has("kernel_stamps")) agents.kernel_stamps = flag(fields, "kernel_stamps");
    if (!fields.has("settings")) return;
    if (!fields.any("settings").is_object()) fields.fail("settings", "an object");
    for (const auto& [name, number] : fields.any("settings").items()) {
        if (!number.is_number()) throw ProtocolError("setting '" + name + "' must be a number");
        if (const auto mistake = core::set(agents.settings, name, number.get<double>())) throw ProtocolError(*mistake);
    }
    if (const auto mistake = core::validate(agents.settings)) throw ProtocolError(*mistake);
}

LoadBalancing load_balancing_of(const JsonFields& fields) {
    const std::string name = fields.text("load_balancing", 1, 32);
    if (name == "none") return LoadBalancing::none;
    if (name == "ecmp") return LoadBalancing::ecmp;
    if (name == "rehash") return LoadBalancing::rehash;
    if (name == "flowlets") return LoadBalancing::flowlets;
    if (name != "packets") fields.fail("load_balancing", "none, ecmp, rehash, flowlets or packets");
    return LoadBalancing::packets;
}

Trace pattern_of(const json& value, std::uint64_t seed) {
    const JsonFields fields(value, "'pattern'", {"name", "ranks", "message_B", "iterations", "compute_s", "spread"});
    Pattern pattern;
    pattern.ranks = static_cast<int>(fields.whole("ranks", 2, kMaxRanks));
    pattern.message_B = static_cast<std::uint64_t>(fields.whole("message_B", 0, std::int64_t{1} << 40));
    pattern.iterations = static_cast<int>(fields.whole("iterations", 1, kMaxCount));
    pattern.compute_s = fields.number("compute_s", 0.0, kMaxTime_s);
    if (fields.has("spread")) pattern.spread = fields.number("spread", 0.0, 1.0);
    pattern.seed = seed;
    const std::string name = fields.text("name", 1, 32);
    std::optional<Trace> trace = make(name, pattern);
    if (!trace) fields.fail("name", "ring, halo, alltoall or cg");
    return std::move(*trace);
}

/// Of a program's computing times: programs of one scenario do not compute in step.
std::uint64_t seed_of(std::uint64_t seed, std::size_t program) {
    return program == 0 ? seed : relabelled(seed, program);
}

Trace trace_of(const JsonFields& fields, std::uint64_t seed, const std::filesystem::path& folder) {
    if (fields.has("trace") == fields.has("pattern"))
        throw ProtocolError("a program needs either a 'trace' or a 'pattern'");
    if (fields.has("pattern")) return pattern_of(fields.any("pattern"), seed);
    const std::filesystem::path file = folder / fields.text("trace", 1, 4096);
    std::ifstream in(file);
    if (!in) throw ProtocolError("the trace " + file.string() + " cannot be read");
    return read_trace(in, file.string());
}

Algorithms algorithms_of(const JsonFields& fields) {
    Algorithms named;
    const json& value = fields.any("collectives");
    if (!value.is_object()) fields.fail("collectives", "an object");
    for (const auto& [kind, algorithm] : value.items()) {
        const auto found = collective_kind(kind);
        if (!found || !algorithm.is_string()) {
            throw ProtocolError("'collectives': '" + kind + "' must be a collective with an algorithm");
        }
        named[*found] = algorithm.get<std::string>();
        rounds(*found, named[*found], 1, 0, 0, 0);
    }
    return named;
}

Program program_of(const json& value, const Scenario& scenario, const std::filesystem::path& folder) {
    const Topology& topology = scenario.topology;
    const JsonFields fields(value, "a program", {"trace", "pattern", "hosts", "eager_B", "overhead_s", "collectives"});
    const std::uint64_t seed = seed_of(scenario.simulation.seed, scenario.programs.size());
    Program program{trace_of(fields, seed, folder), {}, {}};
    const auto ranks = static_cast<std::size_t>(program.trace.ranks());
    if (fields.has("hosts")) {
        const json& named = fields.list("hosts", 0, kMaxEntries);
        if (named.size() != ranks) fields.fail("hosts", "a host for each of " + std::to_string(ranks) + " ranks");
        for (const json& each : named) {
            program.hosts.push_back(host_of(topology, each, "a program's 'hosts'"));
        }
    } else {
        if (ranks > topology.hosts())
            throw ProtocolError("a program has more ranks than there are hosts: name its 'hosts'");
        for (std::size_t rank = 0; rank < ranks; ++rank) program.hosts.push_back(static_cast<EndId>(rank));
    }
    ReplaySettings& replay = program.replay;
    if (fields.has("eager_B"))
        replay.messages.eager_B = static_cast<std::uint64_t>(fields.whole("eager_B", 0, kMaxCount));
    if (fields.has("overhead_s")) replay.overhead_s = fields.number("overhead_s", 0.0, 1.0);
    if (fields.has("collectives")) replay.algorithms = algorithms_of(fields);
    return program;
}

std::vector<Period> periods_of(const JsonFields& fields, double lead_s) {
    std::vector<Period> periods;
    for (const json& each : fields.list("periods_s", 1, kMaxEntries)) {
        if (!each.is_array() || each.size() != 2) fields.fail("periods_s", "a list of pairs [start, stop]");
        Period period;
        period.start_s = agent::number_in(each[0], "a period's start", -lead_s, kMaxTime_s);
        period.stop_s = agent::number_in(each[1], "a period's stop", period.start_s, kMaxTime_s);
        periods.push_back(period);
    }
    return periods;
}

Disturbance disturbance_of(const json& value, const Topology& topology, double lead_s) {
    const JsonFields fields(
        value, "a congestion",
        {"kind", "from", "to", "streams", "rate_bps", "block_B", "message_B", "added_s", "periods_s"});
    Disturbance found;
    found.periods = periods_of(fields, lead_s);
    const std::string kind = fields.text("kind", 1, 32);
    if (kind == "delay") {
        found.kind = Disturbance::Kind::delay;
        found.from = node_of(topology, fields.any("from"), "a delay's 'from'");
        found.to = node_of(topology, fields.any("to"), "a delay's 'to'");
        if (!topology.link(found.from, found.to)) throw ProtocolError("a delay needs a link from 'from' to 'to'");
        found.added_s = fields.number("added_s", 0.0, kMaxTime_s);
        return found;
    }
    found.from = end_of(topology, fields.any("from"), "a congestion's 'from'");
    found.to = end_of(topology, fields.any("to"), "a congestion's 'to'");
    if (found.from == found.to) throw ProtocolError("congestion must lead from one end to another");
    if (kind == "messages") {
        found.kind = Disturbance::Kind::messages;
        found.message_B = fields.number("message_B", 1.0, 1e9);
        return found;
    }
    found.streams = static_cast<int>(fields.whole("streams", 1, 1024));
    if (kind == "streams") return found;
    if (kind != "paced") fields.fail("kind", "streams, paced, messages or delay");
    found.kind = Disturbance::Kind::paced;
    found.rate_bps = fields.number("rate_bps", 1e3, 1e13);
    found.block_B = fields.number("block_B", 1e3, 1e9);
    return found;
}

RouteChange route_of(const json& value, const Scenario& scenario) {
    const JsonFields fields(value, "a route", {"at_s", "program", "source", "destination", "relay"});
    RouteChange change;
    change.at_s = fields.number("at_s", -scenario.lead_s, kMaxTime_s);
    const auto last = static_cast<std::int64_t>(scenario.programs.size()) - 1;
    if (fields.has("program")) change.program = static_cast<int>(fields.whole("program", 0, last));
    change.source = host_of(scenario.topology, fields.any("source"), "a route's 'source'");
    change.destination = host_of(scenario.topology, fields.any("destination"), "a route's 'destination'");
    if (!fields.any("relay").is_null())
        change.relay = host_of(scenario.topology, fields.any("relay"), "a route's 'relay'");
    if (change.source == change.destination || change.relay == change.source || change.relay == change.destination) {
        throw ProtocolError("the hosts of a route must differ");
    }
    return change;
}

Scenario scenario_of(const json& value, const std::filesystem::path& folder, std::optional<std::uint64_t> seed) {
    const JsonFields fields(value, "the scenario",
                            {"seed", "limit_s", "topology", "load_balancing", "flowlet_gap_s", "agents", "programs",
                             "congestion", "routes"});
    Scenario scenario{topology_of(fields.any("topology")), {}, true, 2.0, 600.0, {}, {}, {}};
    if (fields.has("seed")) scenario.simulation.seed = static_cast<std::uint64_t>(fields.whole("seed", 0, kMaxCount));
    if (seed) scenario.simulation.seed = *seed;
    scenario.simulation.agents.seed = scenario.simulation.seed;
    if (fields.has("limit_s")) scenario.limit_s = fields.number("limit_s", 0.0, kMaxTime_s);
    LoadBalancingSettings& balancing = scenario.simulation.load_balancing;
    if (fields.has("load_balancing")) balancing.kind = load_balancing_of(fields);
    if (fields.has("flowlet_gap_s")) balancing.flowlet_gap_s = fields.number("flowlet_gap_s", 1e-6, 10.0);
    if (fields.has("agents")) read_agents(fields.any("agents"), scenario);
    for (const json& each : fields.list("programs", 1, 64)) {
        scenario.programs.push_back(program_of(each, scenario, folder));
    }
    if (fields.has("congestion")) {
        for (const json& each : fields.list("congestion", 0, kMaxEntries)) {
            scenario.congestion.push_back(disturbance_of(each, scenario.topology, scenario.lead_s));
        }
    }
    if (fields.has("routes")) {
        for (const json& each : fields.list("routes", 0, kMaxEntries)) {
            scenario.routes.push_back(route_of(each, scenario));
        }
    }
    return scenario;
}

/// Of two fields with the same name one would be ignored. json::parse with a callback would find them, too, but takes
/// time with the square of a list's length.
class FieldNames : public json::json_sax_t {
  public:
    bool start_object(std::size_t) override {
        open_.emplace_back();
        return true;
    }
    bool key(std::string& name) override {
        if (!open_.back().insert(name).second) throw ProtocolError("the field '" + name + "' is there twice");
        return true;
    }
    bool end_object() override {
        open_.pop_back();
        return true;
    }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t) override { return true; }
    bool number_unsigned(std::uint64_t) override { return true; }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(json::binary_t&) override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    /// Left to json::parse, which says what is wrong.
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

  private:
    std::vector<std::set<std::string>> open_;  ///< names so far, by object
};

json parsed(std::istream& in) {
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    FieldNames names;
    json::sax_parse(text, &names);
    return json::parse(text);
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file, std::optional<std::uint64_t> seed) {
    std::ifstream in(file);
    if (!in) throw ScenarioError(file.string() + ": cannot be read");
    try {
        return scenario_of(parsed(in), file.parent_path(), seed);
    } catch (const ProtocolError& error) {
        throw ScenarioError(file.string() + ": " + error.what());
    } catch (const json::exception& error) {
        throw ScenarioError(file.string() + ": " + error.what());
    } catch (const std::invalid_argument& error) {
        throw ScenarioError(file.string() + ": " + error.what());
    }
}

}  // namespace fairlead::sim
