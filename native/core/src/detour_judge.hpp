// SPDX-License-Identifier: Apache-2.0
// Whether a detour gives one pair more than its congested direct path would: by what the pair got before and after it
// left, and where that does not tell, by going back once to compare.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fairlead/core/events.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"
#include "service.hpp"

namespace fairlead::core {

class DetourJudge {
  public:
    explicit DetourJudge(const ServiceSettings& settings) : settings_(settings), meter_(settings.samples) {}

    enum class Verdict : std::uint8_t {
        none,         ///< nothing new
        doubtful,     ///< the detour may give less than the direct path would: a trial tells
        detour_pays,  ///< the trial's end: back to a detour
        direct_pays,  ///< the trial's end: the direct path gives as much, congested or not
        worse         ///< the direct path gives much less than at the trial's end
    };
    Verdict add(const SocketSample& sample, Time now);

    /// The pair left its direct path, which has looked congested since `since`.
    void left_direct(Time since, Time now);
    /// It took another detour in place of the first.
    void changed_detour(Time now);
    /// It is back on the direct path.
    void returned(bool for_trial, Time now);
    /// The trial ends without a verdict.
    void give_up() { compared_.reset(); }
    bool on_trial() const { return compared_.has_value(); }

  private:
    static constexpr std::size_t kHistory = 16;
    struct Point {
        Time at = -1e9;
        std::uint64_t delivered_B = 0;
        double busy_s = 0.0;
    };
    Verdict on_direct(const Service& got);
    Verdict on_detour(const Service& got);
    std::optional<Service> service_since(Time since) const;
    void restart(bool away, Time now);

    const ServiceSettings& settings_;
    ServiceMeter meter_;
    std::array<Point, kHistory> history_{};
    std::size_t next_ = 0;
    bool away_ = false;
    bool judged_ = false;               ///< the present detour was
    Time deaf_until_ = -1e9;            ///< packets of the route before are still on their way
    std::optional<Service> direct_;     ///< the latest on the direct path
    std::optional<Service> congested_;  ///< the same from the first sign of congestion to the move
    std::optional<Service> detour_;     ///< of the detour that is doubted
    std::optional<Service> compared_;   ///< the same while a trial goes on
    std::optional<Service> reference_;  ///< of the direct path when a trial ended for it
};

}  // namespace fairlead::core
