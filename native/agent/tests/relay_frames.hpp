// SPDX-License-Identifier: Apache-2.0
// Frames of any length between two processes, for tests of what carries them: numbered, with bytes that follow from
// number and length.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "fairlead/relay/wire.hpp"

namespace fairlead::agent {

inline constexpr relay::WorldId kWorld = 0x5eed;
inline constexpr relay::WorldId kNextWorld = 0x5eed5eed;

inline std::vector<std::uint8_t> payload_of(std::uint64_t number, std::size_t size_B) {
    std::vector<std::uint8_t> bytes(size_B);
    for (std::size_t i = 0; i < size_B; ++i) bytes[i] = static_cast<std::uint8_t>(number * 31 + i);
    return bytes;
}

inline std::vector<std::uint8_t> make_frame(relay::Process from, relay::Process to, std::uint64_t number,
                                            std::size_t size_B, relay::WorldId world = kWorld) {
    relay::Frame frame{from, to, number, {}, relay::Envelope{number, 1, 0, 0, 0, size_B, false, true}, world};
    std::vector<std::uint8_t> bytes(relay::wire::kHeader_B + relay::wire::kMaxBody_B + size_B);
    bytes.resize(relay::wire::encode(frame, payload_of(number, size_B), bytes));
    if (bytes.empty()) throw std::logic_error("a test's frame that cannot be");
    return bytes;
}

/// The frame's number, if its payload is the one that belongs to it; else 0.
inline std::uint64_t number_of(std::span<const std::uint8_t> bytes, relay::Process processes) {
    const auto decoded = relay::wire::decode(bytes, processes);
    const auto* const whole = std::get_if<relay::wire::Decoded>(&decoded);
    if (whole == nullptr) return 0;
    const auto expected = payload_of(whole->frame.sequence, whole->payload.size());
    return std::equal(expected.begin(), expected.end(), whole->payload.begin()) ? whole->frame.sequence : 0;
}

}  // namespace fairlead::agent
