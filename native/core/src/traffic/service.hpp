// SPDX-License-Identifier: Apache-2.0
// What a pair gets of the network while it has something to send, and whether a change of its route improved that.
#pragma once

#include <cstdint>
#include <optional>

#include "fairlead/core/events.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// Of samples with bytes under way: the program's own pauses do not count.
struct Service {
    double rate_bps = 0.0;
    double round_trip_s = 0.0;  ///< 0: unknown
};

class ServiceMeter {
  public:
    explicit ServiceMeter(int samples) : wanted_(samples) {}

    /// The service since the last answer, once there are enough samples.
    std::optional<Service> add(const SocketSample& sample, Time now);
    void restart();

  private:
    int wanted_;
    int samples_ = 0;
    bool any_ = false;
    std::uint64_t last_B_ = 0;
    Time last_at_ = 0.0;
    double sum_B_ = 0.0;
    double busy_s_ = 0.0;
    double sum_round_trip_s_ = 0.0;
    bool round_trips_known_ = true;
};

/// Judges each change of one pair's route by the service before and after it.
class ChangeJudge {
  public:
    explicit ChangeJudge(const ServiceSettings& settings) : settings_(settings), meter_(settings.samples) {}

    enum class Verdict : std::uint8_t {
        none,     ///< nothing new
        in_vain,  ///< the last change improved nothing: the next would hardly do so either
        lost,     ///< the last change, a trial, took away more than it may
        worse     ///< the service has become much worse since: what was learnt is out of date
    };
    Verdict add(const SocketSample& sample, Time now);
    /// The route changed; chosen: because another looked better, not because this one was gone or free again. It is
    /// on trial where the pair should get a share of what it got before, at least. `free_bps`: the throughput of a free
    /// path, of which it should get lost_share in the long run; 0: whatever it gets.
    void changed(bool chosen, Time now, double least_share = 0.0, double free_bps = 0.0);
    /// Measures anew what the pair gets, and whether that is done.
    void restart();
    /// Since the change the pair got less than lost_share of the free path's throughput, in the mean.
    bool gets_little() const;
    bool ready() const { return latest_.has_value(); }

  private:
    bool improved(const Service& before, const Service& after) const;
    void note(const Service& got);

    const ServiceSettings& settings_;
    ServiceMeter meter_;
    Time deaf_until_ = -1e9;  ///< packets of the route before are still on their way
    std::optional<Service> latest_;
    double free_bps_ = 0.0;
    double mean_bps_ = 0.0;          ///< since the last change, of times in which it sent much
    int windows_ = 0;                ///< of these
    std::optional<Service> before_;  ///< of a change that is not judged yet
    bool chosen_ = false;
    double least_share_ = 0.0;
    double trial_bps_ = 0.0;  ///< sum over the trial's windows
    int trial_windows_ = 0;
    std::optional<Service> reference_;  ///< when a change was found to be in vain
};

}  // namespace fairlead::core
