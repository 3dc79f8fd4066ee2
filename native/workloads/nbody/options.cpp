// SPDX-License-Identifier: Apache-2.0
#include "nbody/options.hpp"

#include "common/options.hpp"

namespace fairlead::nbody {

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Gravitating particles round a ring of ranks; verifies its own result", "nbody");
    app.add_option("--particles", options.setup.particles, "number of particles, at least one a rank")
        ->check(CLI::Range(2, 10'000'000))
        ->capture_default_str();
    app.add_option("--steps", options.steps, "time steps")->check(CLI::Range(1, 10'000'000))->capture_default_str();
    app.add_option("--seed", options.setup.seed, "seed of the initial state")->capture_default_str();
    app.add_option("--payload", options.setup.payload_B,
                   "bytes that each particle carries along on top of its 32, to load the network; a multiple of 8")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    app.add_option("--time-step", options.setup.time_step, "time step, in units of the Plummer sphere")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--disturb", options.disturbance,
                   "add this to one acceleration in the end, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    if (options.setup.payload_B % sizeof(double) != 0) {
        throw UsageError("--payload " + std::to_string(options.setup.payload_B) + ": not a multiple of 8");
    }
    return options;
}

}  // namespace fairlead::nbody
