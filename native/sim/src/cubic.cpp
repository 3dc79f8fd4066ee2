// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/cubic.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::sim {

namespace {

// RFC 9438: C, in packets/s^3, and beta; and how a window of Reno grows that is cut to beta as well.
constexpr double kGrowth = 0.4;
constexpr double kCut = 0.7;
constexpr double kFriendly = 3.0 * (1.0 - kCut) / (1.0 + kCut);
constexpr double kLeastPackets = 2.0;
constexpr double kFirstGrowth = 20.0;  // without a cut yet, a packet for so many acknowledged at least

// HyStart, as Linux's tcp_cubic.c has it.
constexpr double kHyStartPackets = 16.0;
constexpr double kTrain_s = 2e-3;  // acknowledgements closer than this belong to one train
constexpr double kSlack_s = 1e-3;  // a train longer than the round trip by this fills the path
constexpr int kDelaySamples = 8;
constexpr double kDelayLeast_s = 4e-3;
constexpr double kDelayMost_s = 16e-3;

}  // namespace

void Cubic::grow(double acknowledged_B, double max_B, double now) {
    double rest_B = acknowledged_B;
    if (slow_start()) {
        const double grown_B = std::min(window_B_ + rest_B, threshold_B_);
        rest_B -= grown_B - window_B_;
        window_B_ = grown_B;
    }
    if (rest_B > 0.0) window_B_ += packet_B_ * curve(rest_B / packet_B_, now);
    window_B_ = std::min(window_B_, max_B);
}

/// By how many packets the window grows.
double Cubic::curve(double acknowledged, double now) {
    const double window = window_B_ / packet_B_;
    if (epoch_at_ == kNever) {
        epoch_at_ = now;
        friendly_ = window;
        origin_ = std::max(last_most_, window);
        plateau_after_s_ = std::cbrt((origin_ - window) / kGrowth);
    }
    const double since_plateau_s = now - epoch_at_ + least_round_trip_s_ - plateau_after_s_;
    const double target = origin_ + kGrowth * std::pow(since_plateau_s, 3);
    double per_packet = target > window ? window / (target - window) : 100.0 * window;
    if (last_most_ <= 0.0) per_packet = std::min(per_packet, kFirstGrowth);
    friendly_ += kFriendly * acknowledged / window;
    if (friendly_ > window) per_packet = std::min(per_packet, window / (friendly_ - window));
    return acknowledged / std::max(per_packet, 2.0);
}

void Cubic::measured(double round_trip_s, double acknowledged_to_B, double sent_B, double now) {
    if (least_round_trip_s_ <= 0.0 || round_trip_s < least_round_trip_s_) least_round_trip_s_ = round_trip_s;
    if (!slow_start() || found_) return;
    if (acknowledged_to_B > round_end_B_) {
        round_end_B_ = sent_B;
        round_began_ = last_acknowledged_ = now;
        round_samples_ = 0;
    }
    if (window_B_ < kHyStartPackets * packet_B_) return;
    if (now - last_acknowledged_ <= kTrain_s) {
        last_acknowledged_ = now;
        if (now - round_began_ > least_round_trip_s_ + kSlack_s) return end_slow_start();
    }
    round_least_s_ = round_samples_ == 0 ? round_trip_s : std::min(round_least_s_, round_trip_s);
    if (++round_samples_ <= kDelaySamples) return;
    const double grown_s = std::clamp(least_round_trip_s_ / 8.0, kDelayLeast_s, kDelayMost_s);
    if (round_least_s_ > least_round_trip_s_ + grown_s) end_slow_start();
}

void Cubic::end_slow_start() {
    threshold_B_ = window_B_;
    found_ = true;
}

void Cubic::cut() {
    const double window = window_B_ / packet_B_;
    epoch_at_ = kNever;
    // Fast convergence: whoever loses before it had what it had makes room.
    last_most_ = window < last_most_ ? window * (1.0 + kCut) / 2.0 : window;
    threshold_B_ = packet_B_ * std::max(kLeastPackets, kCut * window);
}

void Cubic::start_again(double window_B) {
    epoch_at_ = kNever;
    last_most_ = 0.0;
    round_end_B_ = 0.0;
    found_ = false;
    window_B_ = window_B;
}

void Cubic::undo(double window_B, double threshold_B) {
    window_B_ = std::max(window_B_, window_B);
    threshold_B_ = std::max(threshold_B_, threshold_B);
}

void Cubic::fade(double window_B) {
    threshold_B_ = std::max(threshold_B_, 0.75 * window_B_);
    window_B_ = window_B;
}

void Cubic::paused(double duration_s) {
    if (epoch_at_ != kNever) epoch_at_ += duration_s;
}

}  // namespace fairlead::sim
