// SPDX-License-Identifier: Apache-2.0
// From one process to another, exactly once and in order, over paths that lose, double and reorder: sequence numbers,
// a cumulative acknowledgement by the receiving process itself, a window, retransmission from the oldest on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "fairlead/relay/frame.hpp"

namespace fairlead::relay {

class LinkSender {
  public:
    /// window: bodies on their way at the same time. timeout_s: without an acknowledgement for so long everything is
    /// sent again; doubles each time, up to 64 times as long.
    LinkSender(std::size_t window, Time timeout_s) : window_(window), timeout_s_(timeout_s), wait_s_(timeout_s) {}

    /// Takes a body to be sent; returns its sequence number (from 1).
    std::uint64_t push(const Body& body);

    struct Transmission {
        std::uint64_t sequence = 0;
        Body body;
        bool again = false;  ///< it was transmitted before
    };
    /// What is to be transmitted now, if anything.
    std::optional<Transmission> next(Time now_s);
    /// The peer has all up to `sequence`. Late ones change nothing. Throws ProtocolError for one never transmitted.
    void acknowledge(std::uint64_t sequence, Time now_s);
    /// The path is lost: all that is not acknowledged is due again at once.
    void resend();

    std::uint64_t acknowledged() const { return acknowledged_; }
    std::uint64_t transmitted() const { return transmitted_; }
    bool idle() const { return unacknowledged_.empty(); }
    /// When everything will be due again unless an acknowledgement comes; nothing if nothing is on its way.
    std::optional<Time> timeout_s() const;

    auto fields() const {
        return std::tie(unacknowledged_, acknowledged_, transmitted_, cursor_, wait_s_, oldest_sent_s_);
    }

  private:
    std::size_t window_;
    Time timeout_s_;
    Time wait_s_;
    Time oldest_sent_s_ = 0.0;  ///< when the oldest unacknowledged one was transmitted last, or became the oldest
    std::deque<Body> unacknowledged_;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t transmitted_ = 0;  ///< highest sequence number ever transmitted
    std::size_t cursor_ = 0;         ///< index of the next one to transmit
};

class LinkReceiver {
  public:
    explicit LinkReceiver(std::size_t window) : window_(window) {}

    enum class Verdict : std::uint8_t { taken, duplicate, beyond_window };
    Verdict receive(std::uint64_t sequence, const Body& body);
    /// The next body in order, once.
    std::optional<Body> next();
    /// Every body up to this sequence number was given out.
    std::uint64_t delivered() const { return delivered_; }

    auto fields() const { return std::tie(early_, delivered_); }

  private:
    std::size_t window_;
    std::map<std::uint64_t, Body> early_;
    std::uint64_t delivered_ = 0;
};

}  // namespace fairlead::relay
