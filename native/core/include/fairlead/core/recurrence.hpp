// SPDX-License-Identifier: Apache-2.0
// A program's pattern as one pair shows it: uses that come again and again at even intervals, and which of them met
// congestion.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class Recurrence {
  public:
    static constexpr std::size_t kMostIntervals = 7;

    /// A use begins: the pair carries traffic, and did not just before.
    void begins(Time now);
    /// Since the last use began, others' traffic was found on the pair's path.
    void congested() { congested_ = count_ > 0; }

    Time begun() const { return count_ > 0 ? ago(0) : -1e9; }
    bool was_congested() const { return congested_; }
    /// Whether the last two uses were congested: it is no accident.
    bool lasting() const { return congested_ && congested_before_; }

    /// The longest of the last intervals between beginnings, where they are alike.
    std::optional<double> period_s(const PatternSettings& settings) const;
    /// When the next use begins at the earliest; nothing where the intervals differ, or where it should have come.
    std::optional<Time> next(Time now, const PatternSettings& settings) const;

  private:
    struct Interval {
        double shortest_s = 0.0;
        double longest_s = 0.0;
    };
    Time ago(std::size_t age) const { return begun_[(next_ + begun_.size() - 1 - age) % begun_.size()]; }
    std::optional<Interval> interval(const PatternSettings& settings) const;

    std::array<Time, kMostIntervals + 1> begun_{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
    bool congested_ = false;
    bool congested_before_ = false;
};

}  // namespace fairlead::core
