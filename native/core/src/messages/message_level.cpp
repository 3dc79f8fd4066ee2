// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/message_level.hpp"

#include <algorithm>
#include <bit>

#include "fairlead/core/congestion_level.hpp"

namespace fairlead::core {

namespace {

constexpr int kKnown = 8;  // messages of a size, until the fastest of them counts as what such a message takes

}  // namespace

MessageLevel::Judgement MessageLevel::add(std::uint64_t size_B, double latency_s, double error_s, double base_s,
                                          const Settings& settings, Time now) {
    Class& known = classes_[static_cast<std::size_t>(std::bit_width(size_B))];
    known.least_s = std::min(known.least_s, latency_s);
    if (known.seen < kKnown) ++known.seen;
    const double usual_s = known.seen < kKnown ? base_s : std::max(base_s, known.least_s);
    samples_[next_] = {now, latency_s - error_s - usual_s};
    next_ = (next_ + 1) % kMostJudged;
    const auto wanted = static_cast<std::size_t>(settings.messages.judged);
    Judgement judgement{CongestionLevel::low, std::numeric_limits<double>::infinity()};
    for (std::size_t back = 1; back <= wanted; ++back) {
        const Sample& sample = samples_[(next_ + kMostJudged - back) % kMostJudged];
        if (now - sample.at > settings.messages.judged_within_s) return {};
        judgement.excess_s = std::min(judgement.excess_s, sample.excess_s);
    }
    judgement.congestion_level = level_of(judgement.excess_s, base_s, settings.congestion_level);
    return judgement;
}

}  // namespace fairlead::core
