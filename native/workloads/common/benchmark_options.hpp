// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/usage.hpp"

namespace fairlead {

// A program that solves problems of given classes, as its --help shows it.
struct Benchmark {
    const char* name;
    const char* description;
    const char* iterations;  // what --iterations counts; null where there are none
    // The standard number of iterations where all classes have the same; else 0.
    int standard_iterations = 0;
    const char* perturb;  // what --perturb does
    // --perturb takes whole numbers up to this one; 0: any number.
    int largest_perturbation = 0;
};

struct BenchmarkOptions {
    std::string class_name = "S";
    int iterations = 0;  // 0: the class's own number
    double perturbation = 0.0;
    std::string json;

    int iterations_or(int standard) const { return iterations > 0 ? iterations : standard; }
};

// Reads the command line; `classes` are the names of the classes for --help. Throws UsageError or HelpRequest.
BenchmarkOptions parse_benchmark_options(const Benchmark& benchmark, const std::string& classes, int argc, char** argv);

}  // namespace fairlead
