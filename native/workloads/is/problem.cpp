// SPDX-License-Identifier: Apache-2.0
#include "is/problem.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::is {

namespace {

constexpr std::array kProblems = {
    Problem{.name = 'S',
            .keys_log2 = 16,
            .key_range_log2 = 11,
            .buckets_log2 = 9,
            .test_index = {48427, 17148, 23627, 62548, 4431},
            .test_rank = {0, 18, 346, 64917, 65463},
            .drift = {1, 1, 1, -1, -1},
            .drift_start = {}},
    Problem{.name = 'W',
            .keys_log2 = 20,
            .key_range_log2 = 16,
            .buckets_log2 = 10,
            .test_index = {357773, 934767, 875723, 898999, 404505},
            .test_rank = {1249, 11698, 1039987, 1043896, 1048018},
            .drift = {1, 1, -1, -1, -1},
            .drift_start = {2, 2, 0, 0, 0}},
    Problem{.name = 'A',
            .keys_log2 = 23,
            .key_range_log2 = 19,
            .buckets_log2 = 10,
            .test_index = {2112377, 662041, 5336171, 3642833, 4250760},
            .test_rank = {104, 17523, 123928, 8288932, 8388264},
            .drift = {1, 1, 1, -1, -1},
            .drift_start = {1, 1, 1, 1, 1}},
    Problem{.name = 'B',
            .keys_log2 = 25,
            .key_range_log2 = 21,
            .buckets_log2 = 10,
            .test_index = {41869, 812306, 5102857, 18232239, 26860214},
            .test_rank = {33422937, 10244, 59149, 33135281, 99},
            .drift = {-1, 1, 1, -1, 1},
            .drift_start = {}},
    Problem{.name = 'C',
            .keys_log2 = 27,
            .key_range_log2 = 23,
            .buckets_log2 = 10,
            .test_index = {44172927, 72999161, 74326391, 129606274, 21736814},
            .test_rank = {61147, 882988, 266290, 133997595, 133525895},
            .drift = {1, 1, 1, -1, -1},
            .drift_start = {}},
    Problem{.name = 'D',
            .keys_log2 = 31,
            .key_range_log2 = 27,
            .buckets_log2 = 10,
            .test_index = {1317351170, 995930646, 1157283250, 1503301535, 1453734525},
            .test_rank = {1, 36538729, 1978098519, 2145192618, 2147425337},
            .drift = {1, 1, -1, -1, -1},
            .drift_start = {}},
    Problem{.name = 'E',
            .keys_log2 = 35,
            .key_range_log2 = 31,
            .buckets_log2 = 10,
            .test_index = {21492309536, 24606226181, 12608530949, 4065943607, 3324513396},
            .test_rank = {3, 27580354, 3248475153, 30048754302, 31485259697},
            .drift = {1, 1, 1, -1, -1},
            .drift_start = {2, 2, 2, 2, 2},
            .setbacks = {3, 5}},
};

}  // namespace

std::span<const Problem> problems() {
    return kProblems;
}

std::int64_t Problem::published_rank(std::size_t test, int iteration) const {
    const int changes = std::min(iteration, kIterations);
    std::int64_t rank = test_rank[test] + drift[test] * (changes - drift_start[test]);
    if (test == 2) {
        rank -= std::ranges::count_if(setbacks, [&](int from) { return from > 0 && changes >= from; });
    }
    return rank;
}

Verdict verify(const Problem& problem, const Outcome& outcome) {
    const auto tests = static_cast<std::int64_t>(kTestKeys) * outcome.iterations;
    Verdict verdict;
    verdict.note(std::to_string(tests) + " ranks of test keys compared with the published ones");
    verdict.require("of them wrong", static_cast<double>(tests - outcome.ranks_right), 0.0);
    verdict.require("neighbouring keys out of order at the end", static_cast<double>(outcome.disorder), 0.0);
    verdict.require("keys lost or doubled", std::abs(static_cast<double>(problem.keys() - outcome.keys)), 0.0);
    verdict.require("change of the sum of all keys", std::abs(outcome.key_sum_error), 0.0);
    return verdict;
}

}  // namespace fairlead::is
