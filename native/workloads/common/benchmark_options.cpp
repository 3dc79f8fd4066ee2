// SPDX-License-Identifier: Apache-2.0
#include "common/benchmark_options.hpp"

#include "common/options.hpp"

namespace fairlead {

namespace {

void add_iterations(CLI::App& app, const Benchmark& benchmark, int& iterations) {
    const std::string help = benchmark.iterations;
    iterations = benchmark.standard_iterations;
    const bool one_number = benchmark.standard_iterations > 0;
    auto* option =
        app.add_option("--iterations", iterations, one_number ? help : help + " (default: the class's own number)")
            ->check(CLI::Range(1, 1'000'000));
    if (one_number) {
        option->capture_default_str();
    }
}

}  // namespace

BenchmarkOptions parse_benchmark_options(const Benchmark& benchmark, const std::string& classes, int argc,
                                         char** argv) {
    BenchmarkOptions options;
    int whole_perturbation = 0;
    const std::string perturb = std::string(benchmark.perturb) + " (default: 0)";
    CLI::App app(benchmark.description, benchmark.name);
    app.add_option("--class", options.class_name, "problem class: " + classes)->capture_default_str();
    if (benchmark.iterations != nullptr) {
        add_iterations(app, benchmark, options.iterations);
    }
    app.add_option("--json", options.json, "also write the result line to this file");
    if (benchmark.largest_perturbation > 0) {
        app.add_option("--perturb", whole_perturbation, perturb)->check(CLI::Range(0, benchmark.largest_perturbation));
    } else {
        app.add_option("--perturb", options.perturbation, perturb);
    }
    parse_options(app, argc, argv);
    if (benchmark.largest_perturbation > 0) {
        options.perturbation = whole_perturbation;
    }
    return options;
}

}  // namespace fairlead
