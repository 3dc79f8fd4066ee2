// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmark/requests/request.hpp"

namespace fairlead::benchmark {

// What a rank does for a request: with its peer, as the first of the pair or the second; of a collective operation
// there is no peer (-1). Returns its samples.
using Measure = std::function<std::vector<double>(const Request& request, int peer, bool first)>;

// Serves requests until the end of stdin; collective over all ranks, returns the exit code.
//
// Rank 0 first prints a line that says who is where: {"program", "library", "clock_step_s", "ranks": [{"host", "cpu",
// "allowed_cpus"}, ..]}. Then it reads a request a line and answers each with one line: {"samples_s": [[..], ..]}, a
// row a pair (of a collective operation a row a rank, beside congestors a row a victim), or {"failed": reason}. Ranks
// that a request does not name sleep meanwhile: they leave the cores to those that measure.
int serve(const std::string& program, int argc, char** argv, const Measure& measure, Kind serves = Kind::kPairs);

}  // namespace fairlead::benchmark
