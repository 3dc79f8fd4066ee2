// SPDX-License-Identifier: Apache-2.0
#include "measure/pingpong.hpp"

#include <algorithm>

#include "process/bytes.hpp"

namespace fairlead::agent {
namespace {

std::vector<std::uint8_t> buffer_for(const SessionRequest& request) {
    return std::vector<std::uint8_t>(*std::max_element(request.sizes_B.begin(), request.sizes_B.end()));
}

/// The timed loop: warm-up, clocks and transfer, nothing else.
PingPongSamples exchange(Stream& stream, std::span<std::uint8_t> message, const SessionRequest& request,
                         const Clock& clock) {
    PingPongSamples samples;
    for (std::uint32_t i = 0; i < request.exchanges; ++i) {
        stream.check();
        const std::int64_t sent_ns = clock.now_ns();
        const std::int64_t start_ns = read_clock_ns(CLOCK_MONOTONIC);
        stream.write_all(message);
        stream.read_exact(message);
        const std::int64_t end_ns = read_clock_ns(CLOCK_MONOTONIC);
        if (i < request.warmup) continue;
        samples.sent_ns.push_back(sent_ns);
        samples.round_trip_s.push_back(static_cast<double>(end_ns - start_ns) * 1e-9);
    }
    return samples;
}

}  // namespace

std::vector<PingPongSamples> ping(Session& session, const SessionRequest& request, const Clock& clock) {
    std::vector<std::uint8_t> buffer = buffer_for(request);
    std::vector<PingPongSamples> all;
    for (const std::uint64_t size_B : request.sizes_B) {
        PingPongSamples samples = exchange(session.stream(), std::span(buffer).first(size_B), request, clock);
        samples.size_B = size_B;
        std::vector<std::uint8_t> stamps(8 * samples.sent_ns.size());
        session.receive_result(stamps);
        for (std::size_t i = 0; i < samples.sent_ns.size(); ++i) {
            samples.received_ns.push_back(static_cast<std::int64_t>(load<std::uint64_t>(&stamps[8 * i])));
        }
        all.push_back(std::move(samples));
    }
    return all;
}

void pong(Session& session, const SessionRequest& request, const Clock& clock) {
    std::vector<std::uint8_t> buffer = buffer_for(request);
    std::vector<std::uint8_t> stamps(8 * (request.exchanges - request.warmup));
    for (const std::uint64_t size_B : request.sizes_B) {
        const std::span message = std::span(buffer).first(size_B);
        for (std::uint32_t i = 0; i < request.exchanges; ++i) {
            session.stream().check();
            session.stream().read_exact(message);
            const std::int64_t received_ns = clock.now_ns();
            session.stream().write_all(message);
            if (i >= request.warmup) store(&stamps[8 * (i - request.warmup)], static_cast<std::uint64_t>(received_ns));
        }
        session.send_result(stamps);
    }
}

}  // namespace fairlead::agent
