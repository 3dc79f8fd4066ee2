// SPDX-License-Identifier: Apache-2.0
// Chaos mode's carrier: another one's frames arrive late, out of order, twice or not at all, as drawn (chaos.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "relay/carriers/carrier.hpp"
#include "relay/carriers/chaos.hpp"

namespace fairlead::relay {

class ChaosCarrier final : public Carrier {
  public:
    /// The process that a frame comes from, by its bytes.
    using From = std::function<Process(std::span<const std::uint8_t> frame)>;
    ChaosCarrier(std::unique_ptr<Carrier> carrier, Chaos chaos, Process self, From from)
        : carrier_(std::move(carrier)), chaos_(chaos), self_(self), from_(std::move(from)) {}

    bool ready(Process to) override { return carrier_->ready(to); }
    void send(Process to, std::vector<std::uint8_t> frame) override { carrier_->send(to, std::move(frame)); }
    void poll(const Sink& arrived) override;

  private:
    std::unique_ptr<Carrier> carrier_;
    Chaos chaos_;
    Process self_;
    From from_;
    std::map<Process, std::uint64_t> numbers_;                     ///< of frames that arrived, by source
    std::multimap<std::uint64_t, std::vector<std::uint8_t>> due_;  ///< frames by the poll that lets them through
    std::uint64_t polls_ = 0;
    std::uint64_t stalled_until_ = 0;
};

}  // namespace fairlead::relay
