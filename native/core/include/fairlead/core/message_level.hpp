// SPDX-License-Identifier: Apache-2.0
// Judges the network times of the messages from one host: a message that took long is noise, several in a row are a
// suspicion. Which of it is the processors' doing, probes have to tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class MessageLevel {
  public:
    MessageLevel() { classes_.fill({}); }

    struct Judgement {
        CongestionLevel congestion_level = CongestionLevel::low;
        double excess_s = 0.0;  ///< the least of the messages judged, above what their sizes take
    };
    /// A message took `latency_s`, give or take the clocks' error. `base_s`: what one of its size takes on the free
    /// path.
    Judgement add(std::uint64_t size_B, double latency_s, double error_s, double base_s, const Settings& settings,
                  Time now);

  private:
    static constexpr std::size_t kMostJudged = 16;
    /// Sizes up to a power of two. What the MPI library and the processors add is in the smallest time seen.
    struct Class {
        int seen = 0;
        double least_s = std::numeric_limits<double>::infinity();
    };
    struct Sample {
        Time at = -1e9;
        double excess_s = 0.0;
    };

    std::array<Class, 65> classes_;
    std::array<Sample, kMostJudged> samples_{};
    std::size_t next_ = 0;
};

}  // namespace fairlead::core
