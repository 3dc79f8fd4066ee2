// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// The lines that programs print, and their command line: the only places that see the JSON library and the option
// parser, which cost seconds of compile time a file.
namespace fairlead::benchmark {

// Where this process runs, and where it might: {"host", "cpu", "allowed_cpus"}. Throws std::runtime_error.
std::string whereabouts();

// The first line; `ranks` holds the whereabouts of each.
std::string introduction(const std::string& program, const std::string& library, double clock_step_s,
                         const std::vector<std::string>& ranks);

// Answers to a request: samples, a row a pair; or why there are none.
std::string answer(const std::vector<std::vector<double>>& samples_s);
std::string failure(const std::string& reason);

// There are no options but --help. Throws as parse_options of the workloads does.
void parse_command_line(const std::string& program, int argc, char** argv);

}  // namespace fairlead::benchmark
