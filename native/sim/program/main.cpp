// SPDX-License-Identifier: Apache-2.0
// fairlead-sim: runs scenarios on a simulated network (docs/guides/simulate.md).
#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fairlead/core/settings.hpp"
#include "fairlead/sim/patterns.hpp"
#include "scenario_json.hpp"

namespace {

using namespace fairlead::sim;

constexpr int kFailed = 1;
constexpr int kWrongInput = 2;

struct Options {
    std::string scenario;
    std::optional<std::uint64_t> seed;
    bool unmanaged = false;
    bool diary = false;
    int budget = 200;
    std::string pattern;
    Pattern shape;
};

Scenario scenario_of(const Options& options) {
    Scenario scenario = read_scenario(options.scenario, options.seed);
    if (options.unmanaged) scenario.managed = false;
    return scenario;
}

void run_scenario(const Options& options) {
    const Scenario scenario = scenario_of(options);
    const Outcome outcome = run(scenario);
    nlohmann::ordered_json told = outcome_json(scenario, outcome);
    if (options.diary) told["diary"] = diary_json(scenario, outcome);
    std::cout << told.dump(1) << '\n';
}

void ask_oracle(const Options& options) {
    const Scenario scenario = scenario_of(options);
    std::cout << comparison_json(scenario, compare(scenario, options.budget)).dump(1) << '\n';
}

void rank_contenders(const Options& options) {
    const Scenario scenario = scenario_of(options);
    std::cout << contenders_json(scenario, compare_contenders(scenario)).dump(1) << '\n';
}

void write_pattern(const Options& options) {
    const std::optional<Trace> trace = make(options.pattern, options.shape);
    if (!trace) throw std::invalid_argument("there is no pattern '" + options.pattern + "': ring, halo, alltoall, cg");
    write_trace(*trace, std::cout);
}

void list_settings(std::ostream& out) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    const fairlead::core::Settings defaults;
    for (const fairlead::core::SettingInfo& info : fairlead::core::setting_table()) {
        all.push_back({{"name", info.name},
                       {"default", *fairlead::core::get(defaults, info.name)},
                       {"unit", info.unit},
                       {"min", info.min},
                       {"max", info.max},
                       {"whole", info.whole != nullptr}});
    }
    out << all.dump(1) << '\n';
}

void add_commands(CLI::App& app, Options& options) {
    auto* run = app.add_subcommand("run", "run a scenario; its outcome as JSON");
    auto* oracle = app.add_subcommand("oracle", "compare management with the best routes that can be found; as JSON");
    auto* contenders = app.add_subcommand(
        "contenders", "compare management with load balancing by switches, all over equal-cost paths; as JSON");
    for (CLI::App* command : {run, oracle, contenders}) {
        command->add_option("SCENARIO", options.scenario, "JSON file")->required();
        command->add_option("--seed", options.seed, "seed instead of the scenario's");
    }
    run->add_flag("--unmanaged", options.unmanaged, "without agents, even if the scenario has them");
    run->add_flag("--diary", options.diary,
                  "what agents reported, too: levels of paths, reasons to reroute or to stay");
    run->callback([&options] { run_scenario(options); });
    oracle->add_option("--budget", options.budget, "largest number of choices tried, of each kind")
        ->check(CLI::PositiveNumber);
    oracle->callback([&options] { ask_oracle(options); });
    contenders->callback([&options] { rank_contenders(options); });
    app.add_subcommand("settings", "list the agents' settings; as JSON")->callback([] { list_settings(std::cout); });
    auto* trace = app.add_subcommand("trace", "write the trace of a pattern of communication");
    trace->add_option("PATTERN", options.pattern, "ring, halo, alltoall or cg")->required();
    trace->add_option("--ranks", options.shape.ranks)->required();
    trace->add_option("--message", options.shape.message_B, "bytes of a message, or of a block")->required();
    trace->add_option("--iterations", options.shape.iterations)->required();
    trace->add_option("--compute", options.shape.compute_s,
                      "seconds that each rank computes before an iteration's messages");
    trace->add_option("--spread", options.shape.spread, "share by which these vary at random, up and down")
        ->check(CLI::Range(0.0, 1.0));
    trace->add_option("--seed", options.shape.seed, "seed of this variation");
    trace->callback([&options] { write_pattern(options); });
}

int fail(int code, const std::exception& error) {
    std::cerr << "fairlead-sim: " << error.what() << '\n';
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Programs on a simulated network, managed or not.");
    app.set_version_flag("--version", "fairlead-sim " FAIRLEAD_VERSION);
    app.require_subcommand(1);
    Options options;
    add_commands(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kWrongInput;
    } catch (const ScenarioError& error) {
        return fail(kWrongInput, error);
    } catch (const TraceError& error) {
        return fail(kWrongInput, error);
    } catch (const MessageError& error) {  // a trace's receive that is too small
        return fail(kWrongInput, error);
    } catch (const std::invalid_argument& error) {
        return fail(kWrongInput, error);
    } catch (const std::exception& error) {  // the program hangs, or does not end in time
        return fail(kFailed, error);
    }
    return 0;
}
