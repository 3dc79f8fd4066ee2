// SPDX-License-Identifier: Apache-2.0
#include "fairlead/relay/wire.hpp"

#include <algorithm>

#include "fairlead/core/bytes.hpp"

namespace fairlead::relay::wire {

namespace {

using core::ByteReader;
using core::ByteWriter;

enum class Kind : std::uint8_t { progress = 0, envelope, pull, payload, matched, consent };
constexpr std::size_t kKindAt = 4 + 1;  // of a frame's bytes
constexpr std::uint8_t kHeard = 0x80;   // beside the kind
constexpr std::uint8_t kSynchronous = 1;
constexpr std::uint8_t kInlined = 2;

// Three functions a body: its layout can be read off the first two, what it may say and how much payload goes with it
// off the third.

Kind write(ByteWriter& out, const Envelope& body) {
    out.put(body.message);
    out.put(body.communicator);
    out.put(body.source);
    out.put(body.tag);
    out.put(body.native_before);
    out.put(body.size_B);
    out.put(static_cast<std::uint8_t>((body.synchronous ? kSynchronous : 0) | (body.inlined ? kInlined : 0)));
    return Kind::envelope;
}
bool read(ByteReader& in, Envelope& body) {
    body.message = in.take<std::uint64_t>();
    body.communicator = in.take<std::uint64_t>();
    body.source = static_cast<Rank>(in.take<std::uint32_t>());
    body.tag = static_cast<Tag>(in.take<std::uint32_t>());
    body.native_before = in.take<std::uint64_t>();
    body.size_B = in.take<std::uint64_t>();
    const auto flags = in.take<std::uint8_t>();
    body.synchronous = (flags & kSynchronous) != 0;
    body.inlined = (flags & kInlined) != 0;
    return flags <= (kSynchronous | kInlined);
}
std::optional<std::uint64_t> payload_of(const Envelope& body) {
    const bool possible = body.message > 0 && body.source >= 0 && body.tag >= 0 && body.size_B <= kMaxMessage_B;
    // Without payload there is nothing that could wait for a pull.
    if (!possible || (!body.inlined && body.size_B == 0)) return std::nullopt;
    return body.inlined ? body.size_B : 0;
}

Kind write(ByteWriter& out, const Pull& body) {
    out.put(body.message);
    return Kind::pull;
}
bool read(ByteReader& in, Pull& body) {
    body.message = in.take<std::uint64_t>();
    return true;
}
std::optional<std::uint64_t> payload_of(const Pull& body) {
    return body.message > 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
}

Kind write(ByteWriter& out, const Payload& body) {
    out.put(body.message);
    out.put(body.offset_B);
    out.put(body.length_B);
    return Kind::payload;
}
bool read(ByteReader& in, Payload& body) {
    body.message = in.take<std::uint64_t>();
    body.offset_B = in.take<std::uint64_t>();
    body.length_B = in.take<std::uint64_t>();
    return true;
}
std::optional<std::uint64_t> payload_of(const Payload& body) {
    const bool possible = body.message > 0 && body.length_B > 0 && body.length_B <= kMaxMessage_B &&
                          body.offset_B <= kMaxMessage_B - body.length_B;
    return possible ? std::optional(body.length_B) : std::nullopt;
}

Kind write(ByteWriter& out, const Matched& body) {
    out.put(body.message);
    return Kind::matched;
}
bool read(ByteReader& in, Matched& body) {
    body.message = in.take<std::uint64_t>();
    return true;
}
std::optional<std::uint64_t> payload_of(const Matched& body) {
    return body.message > 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
}

Kind write(ByteWriter& out, const Consent& body) {
    out.put(static_cast<std::uint8_t>(body.step));
    return Kind::consent;
}
bool read(ByteReader& in, Consent& body) {
    const auto step = in.take<std::uint8_t>();
    body.step = static_cast<Consent::Step>(step);
    return step <= static_cast<std::uint8_t>(Consent::Step::give_back);
}
std::optional<std::uint64_t> payload_of(const Consent&) {
    return 0;
}

/// Reads a body and holds what follows it against what it says.
template <typename T>
std::optional<DecodeError> read_as(ByteReader& in, Body& body) {
    T content;
    const bool flags_known = read(in, content);
    if (in.too_short()) return DecodeError::bad_length;
    const auto payload_B = payload_of(content);
    if (!flags_known || !payload_B) return DecodeError::bad_value;
    if (*payload_B != in.rest().size()) return DecodeError::bad_length;
    body = content;
    return std::nullopt;
}

std::optional<DecodeError> read_body(Kind kind, ByteReader& in, Frame& frame) {
    switch (kind) {
        case Kind::progress:
            if (frame.sequence != 0) return DecodeError::bad_value;
            if (!in.rest().empty()) return DecodeError::bad_length;
            return std::nullopt;
        case Kind::envelope:
            return read_as<Envelope>(in, frame.body);
        case Kind::pull:
            return read_as<Pull>(in, frame.body);
        case Kind::payload:
            return read_as<Payload>(in, frame.body);
        case Kind::matched:
            return read_as<Matched>(in, frame.body);
        case Kind::consent:
            return read_as<Consent>(in, frame.body);
    }
    return DecodeError::unknown_kind;
}

}  // namespace

std::string_view name(DecodeError error) {
    switch (error) {
        case DecodeError::bad_length:
            return "not as long as its fields";
        case DecodeError::bad_version:
            return "another protocol version";
        case DecodeError::unknown_kind:
            return "unknown kind";
        case DecodeError::bad_process:
            return "process outside the job";
        case DecodeError::bad_value:
            return "value out of range";
    }
    return "unknown";
}

std::size_t encode(const Frame& frame, std::span<const std::uint8_t> payload, std::span<std::uint8_t> out) {
    const bool bare = frame.sequence == 0;
    const auto expected_B = bare ? std::optional<std::uint64_t>(0)
                                 : std::visit([](const auto& body) { return payload_of(body); }, frame.body);
    if (expected_B != payload.size() || payload.size() > kMaxPayload_B || out.size() < kHeader_B) return 0;
    ByteWriter body(out.subspan(kHeader_B));
    const Kind kind =
        bare ? Kind::progress : std::visit([&](const auto& content) { return write(body, content); }, frame.body);
    if (!bare && body.length() == 0) return 0;
    const std::size_t fields_B = kHeader_B + body.length();
    if (out.size() - fields_B < payload.size()) return 0;
    ByteWriter header(out.first(kHeader_B));
    header.put(static_cast<std::uint32_t>(fields_B + payload.size()));
    header.put(kVersion);
    header.put(static_cast<std::uint8_t>(kind));
    header.put(frame.from);
    header.put(frame.to);
    header.put(frame.world);
    header.put(frame.sequence);
    header.put(frame.progress.delivered);
    header.put(frame.progress.released);
    header.put(frame.progress.consumed_B);
    std::copy(payload.begin(), payload.end(), out.begin() + static_cast<std::ptrdiff_t>(fields_B));
    return fields_B + payload.size();
}

std::optional<std::variant<std::size_t, DecodeError>> length_of(std::span<const std::uint8_t> stream) {
    ByteReader in(stream);
    const auto length_B = in.take<std::uint32_t>();
    if (in.too_short()) return std::nullopt;
    if (length_B < kHeader_B || length_B > kMaxFrame_B) return DecodeError::bad_length;
    return std::size_t{length_B};
}

std::variant<Ends, DecodeError> ends_of(std::span<const std::uint8_t> frame, Process processes) {
    ByteReader reader(frame);
    const auto length_B = reader.take<std::uint32_t>();
    const auto version = reader.take<std::uint8_t>();
    const auto kind = reader.take<std::uint8_t>();
    const auto from = reader.take<std::uint32_t>();
    const auto to = reader.take<std::uint32_t>();
    const auto world = reader.take<WorldId>();
    const bool possible = frame.size() >= kHeader_B && frame.size() <= kMaxFrame_B;
    if (!possible || length_B != frame.size()) return DecodeError::bad_length;
    if (version != kVersion) return DecodeError::bad_version;
    if (from >= processes || to >= processes || from == to) return DecodeError::bad_process;
    return Ends{from, to, world, (kind & kHeard) != 0};
}

void say_heard(std::span<std::uint8_t> frame) {
    frame[kKindAt] |= kHeard;
}

std::variant<Decoded, DecodeError> decode(std::span<const std::uint8_t> in, Process processes) {
    ByteReader reader(in);
    const auto length_B = reader.take<std::uint32_t>();
    const auto version = reader.take<std::uint8_t>();
    const auto kind = static_cast<Kind>(reader.take<std::uint8_t>() & ~kHeard);
    Frame frame;
    frame.from = reader.take<std::uint32_t>();
    frame.to = reader.take<std::uint32_t>();
    frame.world = reader.take<WorldId>();
    frame.sequence = reader.take<std::uint64_t>();
    frame.progress.delivered = reader.take<std::uint64_t>();
    frame.progress.released = reader.take<std::uint64_t>();
    frame.progress.consumed_B = reader.take<std::uint64_t>();
    if (reader.too_short() || length_B != in.size() || in.size() > kMaxFrame_B) return DecodeError::bad_length;
    if (version != kVersion) return DecodeError::bad_version;
    if (frame.from >= processes || frame.to >= processes || frame.from == frame.to) return DecodeError::bad_process;
    if (kind != Kind::progress && frame.sequence == 0) return DecodeError::bad_value;
    if (const auto error = read_body(kind, reader, frame)) return *error;
    const std::size_t payload_B =
        frame.sequence == 0 ? 0
                            : static_cast<std::size_t>(
                                  std::visit([](const auto& body) { return payload_of(body); }, frame.body).value());
    if (payload_B > kMaxPayload_B) return DecodeError::bad_length;
    return Decoded{frame, in.last(payload_B)};
}

}  // namespace fairlead::relay::wire
