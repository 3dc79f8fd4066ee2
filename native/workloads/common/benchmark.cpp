// SPDX-License-Identifier: Apache-2.0
#include "common/benchmark.hpp"

#include <mpi.h>

#include <cstdio>

#include "common/formatted.hpp"

namespace fairlead {

namespace {

void print(const Benchmark& benchmark, char class_name, const Findings& findings, const Timing& timing,
           const Verdict& verdict) {
    const std::string iterations =
        benchmark.iterations == nullptr ? "" : formatted(", %zu iterations", timing.iterations_s().size());
    std::printf("%s class %c, %d ranks%s: %.3f s (set-up %.3f s)\n", benchmark.name, class_name,
                size_of(MPI_COMM_WORLD), iterations.c_str(), timing.total_s(), timing.setup_s());
    for (const std::string& line : findings.lines) {
        std::printf("%s\n", line.c_str());
    }
    std::printf("%s\n", verdict.line().c_str());
    std::fflush(stdout);
}

Fields whole_result(const Benchmark& benchmark, char class_name, const Findings& findings, const Timing& timing,
                    const Verdict& verdict) {
    Fields result = {
        {"program", benchmark.name}, {"class", std::string(1, class_name)}, {"ranks", size_of(MPI_COMM_WORLD)}};
    if (benchmark.iterations != nullptr) {
        result.emplace_back("iterations", timing.iterations_s().size());
    }
    result.emplace_back("seconds", timing.total_s());
    result.emplace_back("setup_s", timing.setup_s());
    result.insert(result.end(), findings.fields.begin(), findings.fields.end());
    result.emplace_back("verified", verdict.verified);
    result.emplace_back("verification", verdict.explanation);
    if (benchmark.iterations != nullptr) {
        result.emplace_back("iteration_s", timing.iterations_s());
    }
    return result;
}

}  // namespace

int conclude(const Benchmark& benchmark, char class_name, const Findings& findings, const Timing& timing,
             const std::string& json) {
    Verdict verdict = findings.verdict;
    verdict.verified = all_agree(verdict.verified);
    if (rank_of(MPI_COMM_WORLD) == 0) {
        print(benchmark, class_name, findings, timing, verdict);
        write_fields(whole_result(benchmark, class_name, findings, timing, verdict), json);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace fairlead
