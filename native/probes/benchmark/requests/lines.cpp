// SPDX-License-Identifier: Apache-2.0
#include "benchmark/requests/lines.hpp"

#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/options.hpp"

namespace fairlead::benchmark {

using Json = nlohmann::ordered_json;

std::string whereabouts() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) {
        throw std::runtime_error("gethostname failed");
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        throw std::runtime_error("sched_getaffinity failed");
    }
    std::vector<int> allowed;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
            allowed.push_back(cpu);
        }
    }
    return Json{{"host", host.data()}, {"cpu", sched_getcpu()}, {"allowed_cpus", allowed}}.dump();
}

std::string introduction(const std::string& program, const std::string& library, double clock_step_s,
                         const std::vector<std::string>& ranks) {
    Json line{{"program", program}, {"library", library}, {"clock_step_s", clock_step_s}, {"ranks", Json::array()}};
    for (const std::string& rank : ranks) {
        line["ranks"].push_back(Json::parse(rank));
    }
    return line.dump();
}

std::string answer(const std::vector<std::vector<double>>& samples_s) {
    return Json{{"samples_s", samples_s}}.dump();
}

std::string failure(const std::string& reason) {
    return Json{{"failed", reason}}.dump();
}

void parse_command_line(const std::string& program, int argc, char** argv) {
    CLI::App app(
        "Answers each request read from stdin, one JSON object per line, with the samples "
        "(docs/reference/benchmarks.md)",
        program);
    parse_options(app, argc, argv);
}

}  // namespace fairlead::benchmark
