// SPDX-License-Identifier: Apache-2.0
#include "random-traffic/options.hpp"

#include <cmath>
#include <utility>

#include "common/options.hpp"
#include "random-traffic/exchange.hpp"

namespace fairlead::random_traffic {

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Messages between random pairs of ranks, both directions at the same time", "random-traffic");
    app.add_option("--seed", options.seed, "seed of the pairs")->capture_default_str();
    app.add_option("--seconds", options.duration_s, "how long")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--bytes", options.message_B, "length of a message")
        ->check(CLI::Range(static_cast<int>(Exchanger::kMarkBytes), 1 << 30))
        ->capture_default_str();
    app.add_option("--interval", options.interval_s, "seconds after which new pairs are drawn")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the result line to this file");
    parse_options(app, argc, argv);
    for (const auto& [option, value] :
         {std::pair{"--seconds", options.duration_s}, std::pair{"--interval", options.interval_s}}) {
        if (std::isnan(value)) {  // within all limits of CLI11, and no moment is later
            throw UsageError(std::string(option) + " nan: not a number");
        }
    }
    return options;
}

}  // namespace fairlead::random_traffic
