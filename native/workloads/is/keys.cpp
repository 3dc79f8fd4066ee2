// SPDX-License-Identifier: Apache-2.0
#include "is/keys.hpp"

#include <algorithm>
#include <numeric>

#include "common/randlc.hpp"

namespace fairlead::is {

std::vector<Key> draw_keys(const Problem& problem, std::int64_t first, std::int64_t count) {
    Randlc random;
    random.skip(4 * static_cast<std::uint64_t>(first));
    const auto quarter = static_cast<double>(problem.key_range() / 4);
    std::vector<Key> keys(static_cast<std::size_t>(count));
    for (Key& key : keys) {
        double sum = random();
        sum += random();
        sum += random();
        sum += random();
        key = static_cast<Key>(quarter * sum);
    }
    return keys;
}

void change_keys(const Problem& problem, int iteration, std::span<Key> keys) {
    if (iteration > Problem::kIterations) {
        return;
    }
    const auto index = static_cast<std::size_t>(iteration);
    keys[index] = iteration;
    keys[index + Problem::kIterations] = static_cast<Key>(problem.key_range() - iteration);
}

std::vector<std::int32_t> count_by_bucket(const Problem& problem, std::span<const Key> keys) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(problem.buckets()), 0);
    for (const Key key : keys) {
        ++counts[static_cast<std::size_t>(problem.bucket_of(key))];
    }
    return counts;
}

void order_by_bucket(const Problem& problem, std::span<const Key> keys, std::span<const std::int32_t> counts,
                     std::span<Key> ordered) {
    std::vector<std::int32_t> next(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), 0);
    for (const Key key : keys) {
        ordered[static_cast<std::size_t>(next[static_cast<std::size_t>(problem.bucket_of(key))]++)] = key;
    }
}

std::vector<int> deal_buckets(std::span<const std::int32_t> counts, int ranks) {
    const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    std::vector<int> first = {0};
    std::int64_t dealt = 0;
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
        dealt += counts[bucket];
        // A large bucket can fill the shares of several ranks: those after the first get none.
        while (std::ssize(first) < ranks && dealt * ranks >= total * std::ssize(first)) {
            first.push_back(static_cast<int>(bucket) + 1);
        }
    }
    first.push_back(static_cast<int>(counts.size()));
    return first;
}

void count_below(std::span<const Key> keys, std::int64_t first, std::int64_t end, std::vector<std::int32_t>& below) {
    below.assign(static_cast<std::size_t>(end - first) + 1, 0);
    for (const Key key : keys) {
        ++below[static_cast<std::size_t>(key - first) + 1];
    }
    std::partial_sum(below.begin(), below.end(), below.begin());
}

std::vector<Key> place(std::span<const Key> keys, std::int64_t first, std::vector<std::int32_t> below) {
    std::vector<Key> placed(keys.size());
    for (const Key key : keys) {
        placed[static_cast<std::size_t>(below[static_cast<std::size_t>(key - first)]++)] = key;
    }
    return placed;
}

}  // namespace fairlead::is
