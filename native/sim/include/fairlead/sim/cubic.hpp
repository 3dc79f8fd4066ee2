// SPDX-License-Identifier: Apache-2.0
// A congestion window that grows as Linux's CUBIC lets it: slow start with HyStart, the curve of RFC 9438 with its
// Reno-friendly region, and a cut to 0.7 where something was lost. The phases of a loss are the connection's.
#pragma once

namespace fairlead::sim {

class Cubic {
  public:
    Cubic(double packet_B, double initial_B) : packet_B_(packet_B), window_B_(initial_B) {}

    double window_B() const { return window_B_; }
    double threshold_B() const { return threshold_B_; }
    bool slow_start() const { return window_B_ < threshold_B_; }

    /// Bytes were acknowledged that the window held back others for.
    void grow(double acknowledged_B, double max_B, double now);
    /// A round trip was measured. All before `acknowledged_to_B` is acknowledged, all before `sent_B` was sent.
    void measured(double round_trip_s, double acknowledged_to_B, double sent_B, double now);
    /// A loss was noticed. Only the threshold falls: how the window follows is the connection's.
    void cut();
    /// A time-out: nothing that was learnt holds.
    void start_again(double window_B);
    void set_window(double window_B) { window_B_ = window_B; }
    /// What was taken for lost was only late.
    void undo(double window_B, double threshold_B);
    /// It was not used for a while, and is set to `window_B`; three quarters of it are soon reached again.
    void fade(double window_B);
    /// Nothing was under way for so long: the curve does not go on meanwhile.
    void paused(double duration_s);

  private:
    static constexpr double kNever = -1.0;

    double curve(double acknowledged, double now);
    void end_slow_start();

    double packet_B_;
    double window_B_;
    double threshold_B_ = 1e12;

    // Of the curve; windows in packets.
    double epoch_at_ = kNever;         ///< since the last cut; kNever: it begins with the next acknowledgement
    double last_most_ = 0.0;           ///< window at the last cut; 0: none yet
    double origin_ = 0.0;              ///< the curve's plateau
    double plateau_after_s_ = 0.0;     ///< RFC 9438: K
    double friendly_ = 0.0;            ///< what Reno would have
    double least_round_trip_s_ = 0.0;  ///< 0: none yet

    // Of HyStart: the present round trip's acknowledgements.
    bool found_ = false;  ///< the end of slow start: it is looked for once, and again after a time-out
    double round_end_B_ = 0.0;
    double round_began_ = 0.0;
    double last_acknowledged_ = 0.0;
    double round_least_s_ = 0.0;
    int round_samples_ = 0;
};

}  // namespace fairlead::sim
