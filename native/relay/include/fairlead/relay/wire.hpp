// SPDX-License-Identifier: Apache-2.0
// Frames as bytes: a fixed little-endian header that begins with the frame's length, the body's fields, then the
// payload that the body speaks of, if any. Made for a stream between agents; agents read the header, ranks the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "fairlead/relay/frame.hpp"

namespace fairlead::relay::wire {

inline constexpr std::uint8_t kVersion = 4;
/// length, version, kind (and whether the receiver was heard), from, to, world, sequence, progress.
inline constexpr std::size_t kHeader_B = 4 + 1 + 1 + 4 + 4 + 8 + 8 + 3 * 8;
/// Longest body: an envelope's.
inline constexpr std::size_t kMaxBody_B = 8 + 8 + 4 + 4 + 8 + 8 + 1;
/// Longest payload of one frame; settings that ask for more are refused by encode().
inline constexpr std::size_t kMaxPayload_B = 1U << 20;
inline constexpr std::size_t kMaxFrame_B = kHeader_B + kMaxBody_B + kMaxPayload_B;
/// No message is longer.
inline constexpr std::uint64_t kMaxMessage_B = std::uint64_t{1} << 62;

enum class DecodeError : std::uint8_t {
    bad_length,    ///< shorter or longer than its fields and its payload, or than a frame can be
    bad_version,   ///< another protocol version
    unknown_kind,  ///< no such body
    bad_process,   ///< from or to a process outside the job, or to itself
    bad_value,     ///< a number, rank, tag or flag outside its range, or one that contradicts another
};
std::string_view name(DecodeError error);

struct Decoded {
    Frame frame;
    std::span<const std::uint8_t> payload;  ///< a part of what was decoded
};

/// Writes a frame and its payload and returns the length in bytes; 0 if `out` is too small or decode() would refuse
/// the frame (its processes aside).
std::size_t encode(const Frame& frame, std::span<const std::uint8_t> payload, std::span<std::uint8_t> out);

/// The length in bytes of the frame that a stream goes on with: nothing while its first four bytes are not all there.
/// A length that no frame has means that the stream is lost.
std::optional<std::variant<std::size_t, DecodeError>> length_of(std::span<const std::uint8_t> stream);

/// What an agent reads of a frame: whose it is. What a carrier reads: whether `from` has heard `to` by the agents.
struct Ends {
    Process from = 0;
    Process to = 0;
    WorldId world = kNoWorld;
    bool heard = false;
};
/// Of one whole frame: its length, version and processes are checked, nothing else.
std::variant<Ends, DecodeError> ends_of(std::span<const std::uint8_t> frame, Process processes);

/// Has an encoded frame say that its sender has heard its receiver by the agents. decode() does not tell.
void say_heard(std::span<std::uint8_t> frame);

/// Reads one whole frame. Trusts nothing.
std::variant<Decoded, DecodeError> decode(std::span<const std::uint8_t> in, Process processes);

}  // namespace fairlead::relay::wire
