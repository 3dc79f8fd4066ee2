// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fairlead::benchmark {

// The least of many times, in ticks, that comes regularly: one in a thousand is no longer. The clock of a virtual
// machine is corrected now and then, and then shows a time that is shorter than any there was; a multiple of it says
// nothing. Times of 0, between readings of a coarse clock that did not differ, are left out.
class RegularLeast {
  public:
    void add(std::uint64_t time) {
        if (time == 0) {
            return;
        }
        ++count_;
        ++of_[std::min<std::uint64_t>(time, kLongest)];
        beyond_ = time >= kLongest ? std::min(beyond_, time) : beyond_;
    }
    // The greatest number there is, if there was no time.
    std::uint64_t value() const {
        std::uint64_t so_far = 0;
        for (std::size_t time = 1; time < kLongest; ++time) {
            so_far += of_[time];
            if (so_far > 0 && so_far * kOneIn >= count_) {
                return time;
            }
        }
        return beyond_;
    }

  private:
    static constexpr std::uint64_t kOneIn = 1000;
    static constexpr std::size_t kLongest = 16384;  // of longer ones only the least is kept

    std::array<std::uint64_t, kLongest + 1> of_{};
    std::uint64_t count_ = 0;
    std::uint64_t beyond_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace fairlead::benchmark
