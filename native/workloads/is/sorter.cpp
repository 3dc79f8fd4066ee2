// SPDX-License-Identifier: Apache-2.0
#include "is/sorter.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "common/collectives.hpp"
#include "common/mpi_count.hpp"

namespace fairlead::is {

namespace {

// The test key that is perturbed. Of the five it is the one with a few keys of nearly every value around it in all
// classes: near the ends of the range, where the others are, a small change passes no other key.
constexpr std::size_t kPerturbed = 2;

// Modulo 2^64: the keys of class E add up to 2^65.
std::uint64_t sum_of(const std::vector<Key>& keys) {
    return std::accumulate(keys.begin(), keys.end(), std::uint64_t{0},
                           [](std::uint64_t sum, Key key) { return sum + static_cast<std::uint64_t>(key); });
}

}  // namespace

Sorter::Sorter(const Problem& problem, int ranks, int rank, Key perturbation)
    : problem_(problem), ranks_(ranks), rank_(rank), first_index_(problem.keys() / ranks * rank) {
    keys_ = draw_keys(problem, first_index_, problem.keys() / ranks);
    const std::int64_t test = problem.test_index[kPerturbed] - first_index_;
    if (test >= 0 && test < std::ssize(keys_)) {
        Key& key = keys_[static_cast<std::size_t>(test)];
        key = static_cast<Key>((std::int64_t{key} + perturbation) % problem.key_range());
    }
    ordered_.resize(keys_.size());
}

std::vector<std::int32_t> Sorter::count_all_ranks(std::vector<std::int32_t> counts) {
    // The test keys travel with the counts: each is known to one rank, the others add 0.
    const std::size_t buckets = counts.size();
    counts.resize(buckets + kTestKeys, 0);
    for (std::size_t test = 0; test < kTestKeys; ++test) {
        const std::int64_t index = problem_.test_index[test] - first_index_;
        if (index >= 0 && index < std::ssize(keys_)) {
            counts[buckets + test] = keys_[static_cast<std::size_t>(index)];
        }
    }
    all_reduce(std::span(counts), MPI_SUM);
    test_keys_.assign(counts.end() - kTestKeys, counts.end());
    counts.resize(buckets);
    return counts;
}

void Sorter::send_to_owners(const std::vector<std::int32_t>& counts) {
    std::vector<int> outgoing(static_cast<std::size_t>(ranks_));
    for (std::size_t owner = 0; owner < outgoing.size(); ++owner) {
        outgoing[owner] = mpi_count(std::accumulate(counts.begin() + first_bucket_[owner],
                                                    counts.begin() + first_bucket_[owner + 1], std::int64_t{0}));
    }
    std::vector<int> incoming(outgoing.size());
    all_to_all(std::span<const int>(outgoing), std::span(incoming));
    const Pieces sent(outgoing);
    const Pieces received(incoming);
    received_.resize(received.total);
    all_to_all(std::span<const Key>(ordered_), sent, std::span(received_), received);
}

int Sorter::rank_keys(int iteration) {
    if (rank_ == 0) {
        change_keys(problem_, iteration, keys_);
    }
    const std::vector<std::int32_t> counts = count_by_bucket(problem_, keys_);
    order_by_bucket(problem_, keys_, counts, ordered_);
    const std::vector<std::int32_t> all_counts = count_all_ranks(counts);
    first_bucket_ = deal_buckets(all_counts, ranks_);
    send_to_owners(counts);

    const auto own = static_cast<std::size_t>(rank_);
    const std::int64_t first = problem_.first_key(first_bucket_[own]);
    const std::int64_t end = problem_.first_key(first_bucket_[own + 1]);
    count_below(received_, first, end, below_);
    const auto with_lower_ranks =
        std::accumulate(all_counts.begin(), all_counts.begin() + first_bucket_[own], std::int64_t{0});
    int right = 0;
    for (std::size_t test = 0; test < kTestKeys; ++test) {
        const Key key = test_keys_[test];
        if (key >= first && key < end) {
            const std::int64_t key_rank = with_lower_ranks + below_[static_cast<std::size_t>(key - first)];
            right += key_rank == problem_.published_rank(test, iteration) ? 1 : 0;
        }
    }
    return right;
}

void Sorter::judge_order(Outcome& outcome) const {
    const std::int64_t first = problem_.first_key(first_bucket_[static_cast<std::size_t>(rank_)]);
    const std::vector<Key> placed = place(received_, first, below_);
    std::uint64_t disorder = 0;
    for (std::size_t i = 1; i < placed.size(); ++i) {
        disorder += placed[i - 1] > placed[i] ? 1 : 0;
    }
    std::array<std::uint64_t, 3> sums = {disorder, placed.size(), sum_of(keys_) - sum_of(placed)};
    all_reduce(std::span<std::uint64_t>(sums), MPI_SUM);

    // Where this rank's keys end and the next one's begin; a rank without keys has no say.
    std::array<Key, 2> ends = {-1, -1};
    if (!placed.empty()) {
        ends = {placed.front(), placed.back()};
    }
    std::vector<Key> all_ends(2 * static_cast<std::size_t>(ranks_));
    all_gather(std::span<const Key>(ends), std::span(all_ends));
    std::erase(all_ends, -1);
    for (std::size_t i = 2; i < all_ends.size(); i += 2) {
        sums[0] += all_ends[i - 1] > all_ends[i] ? 1 : 0;
    }
    outcome.disorder = static_cast<std::int64_t>(sums[0]);
    outcome.keys = static_cast<std::int64_t>(sums[1]);
    outcome.key_sum_error = static_cast<double>(static_cast<std::int64_t>(sums[2]));
}

}  // namespace fairlead::is
