// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/recurrence.hpp"

#include <algorithm>

namespace fairlead::core {

void Recurrence::begins(Time now) {
    begun_[next_] = now;
    next_ = (next_ + 1) % begun_.size();
    count_ = std::min(count_ + 1, begun_.size());
    congested_before_ = congested_;
    congested_ = false;
}

std::optional<Recurrence::Interval> Recurrence::interval(const PatternSettings& settings) const {
    const auto intervals = static_cast<std::size_t>(settings.intervals);
    if (count_ <= intervals) return std::nullopt;
    Interval found{ago(0) - ago(1), ago(0) - ago(1)};
    for (std::size_t age = 1; age < intervals; ++age) {
        const double interval_s = ago(age) - ago(age + 1);
        found.shortest_s = std::min(found.shortest_s, interval_s);
        found.longest_s = std::max(found.longest_s, interval_s);
    }
    if (found.longest_s > (1.0 + settings.spread) * found.shortest_s) return std::nullopt;
    return found;
}

std::optional<double> Recurrence::period_s(const PatternSettings& settings) const {
    const auto found = interval(settings);
    return found ? std::optional(found->longest_s) : std::nullopt;
}

std::optional<Time> Recurrence::next(Time now, const PatternSettings& settings) const {
    const auto found = interval(settings);
    if (!found || now > begun() + (1.0 + settings.spread) * found->longest_s) return std::nullopt;
    return begun() + found->shortest_s;
}

}  // namespace fairlead::core
