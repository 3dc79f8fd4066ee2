// SPDX-License-Identifier: Apache-2.0
// The supervisor's measurement commands, from their line to their answer.
#pragma once

#include <memory>

#include "control/command.hpp"
#include "control/config.hpp"
#include "control/output.hpp"
#include "measure/measurement_service.hpp"
#include "measure/prober.hpp"

namespace fairlead::agent {

class Measurements {
  public:
    Measurements(const Config& config, MeasurementService& service, Prober& prober, Output& output)
        : config_(config), service_(service), prober_(prober), output_(output) {}

    void start(const PingpongCommand& command);
    void start(const BulkCommand& command);
    void start(const ProbeCommand& command);

    void fail(std::optional<std::int64_t> id, const std::string& reason);

  private:
    struct ProbeRun;
    void synchronise(core::HostId peer, std::function<void()> then);
    void answer(const PingpongCommand& command, const std::vector<PingPongSamples>& samples);
    void answer(const ProbeRun& run);

    const Config& config_;
    MeasurementService& service_;
    Prober& prober_;
    Output& output_;
};

}  // namespace fairlead::agent
