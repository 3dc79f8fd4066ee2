// SPDX-License-Identifier: Apache-2.0
// Offset and drift of a peer's clock, and queueing delay per direction, from four-timestamp exchanges.
//
// Let offset(t) = peer's clock - own clock. A probe gives an upper limit of it, t2 - t1 (the forward delay is not
// negative), and a lower one, t3 - t4. Over time all upper limits lie above, and all lower ones below, the line
// offset(t) = a + drift * t. The estimate is the middle of all lines that fit, the error bound half their spread: it
// holds whatever the asymmetry of the queues, as long as the drift is constant over the span kept.
// The same two envelopes give the queueing delay of each direction, which needs no offset: one-way delay minus its
// running minimum, drift removed (convex hull method; Moon, Skelly and Towsley 1999).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace fairlead::core {

/// The four stamps of a probe and its reply, nanoseconds: t1, t4 of the own clock, t2, t3 of the peer's.
struct Exchange {
    std::int64_t t1_ns = 0;
    std::int64_t t2_ns = 0;
    std::int64_t t3_ns = 0;
    std::int64_t t4_ns = 0;
};

/// What one exchange says about queues.
struct Queueing {
    double forward_s = 0.0;     ///< own host -> peer, above the smallest seen
    double backward_s = 0.0;    ///< peer -> own host
    double round_trip_s = 0.0;  ///< without the peer's holding time t3 - t2
};

/// Peer's clock at one moment of the own clock: peer = own + offset_s, within +- error_s.
struct ClockEstimate {
    double offset_s = 0.0;
    double drift = 0.0;  ///< seconds per second
    double error_s = 0.0;
};

class ClockSync {
  public:
    /// max_drift: largest relative drift taken for possible (1e-3 also covers slewed clocks).
    /// wander: how much the drift itself may change over the span kept; widens the error bound.
    explicit ClockSync(double max_drift = 1e-3, double wander = 2e-8);

    /// Takes an exchange and returns its queueing delays; nothing if the stamps cannot be true (t4 < t1, t3 < t2, or a
    /// holding time longer than the round trip).
    std::optional<Queueing> add(const Exchange& exchange);

    /// Offset at a moment of the own clock; nothing before the first exchange.
    std::optional<ClockEstimate> at(std::int64_t own_ns) const;

    /// Whether a message that left the peer at its time and came at own time could not have, by the clocks as they
    /// were: it would have come before it left, or travelled for an unlikely time. Then a clock has stepped since.
    bool contradicted_by(std::int64_t sent_peer_ns, std::int64_t received_own_ns) const;

    /// One-way time of a message, sent at own time and received at the peer's time.
    std::optional<double> forward_s(std::int64_t sent_own_ns, std::int64_t received_peer_ns) const;

    /// When a message that came at the peer's time would have left here, had it met no queue: as the fastest probe, on
    /// the own clock. What it left earlier is its queueing delay, as of probes.
    std::optional<std::int64_t> free_departure_ns(std::int64_t received_peer_ns) const;

    /// How often a clock was seen to step (or its drift to change), so that older exchanges had to be dropped.
    int steps() const { return steps_; }

  private:
    /// A limit of the offset, y, at own time x; both in seconds from the references.
    struct Limit {
        double x = 0.0;
        double y = 0.0;
    };
    /// The tightest limits within one stretch of time.
    struct Bucket {
        double begin = 0.0;
        Limit upper;
        Limit lower;
    };
    /// For one drift: the range of offsets at x = 0 that fits all limits; empty (negative width) if none does.
    struct Corridor {
        double low = 0.0;
        double high = 0.0;
        double width() const { return high - low; }
    };

    double own_x(std::int64_t own_ns) const;
    double peer_x(std::int64_t peer_ns) const;
    Corridor corridor(double drift) const;
    void begin_at(std::int64_t own_ns, std::int64_t peer_ns);
    void store(Limit upper, Limit lower);
    void merge_buckets();
    void refit(Limit upper, Limit lower);
    bool fit();
    double middle(double x, double* error_s) const;

    double max_drift_;
    double wander_;
    std::int64_t own_reference_ns_ = 0;
    std::int64_t peer_reference_ns_ = 0;
    std::vector<Bucket> buckets_;
    double bucket_width_s_;
    double drift_ = 0.0;      ///< of the widest corridor
    double drift_low_ = 0.0;  ///< smallest and largest drift that fit
    double drift_high_ = 0.0;
    int steps_ = 0;
};

}  // namespace fairlead::core
