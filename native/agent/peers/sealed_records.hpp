// SPDX-License-Identifier: Apache-2.0
// Frames on a stream between two agents, in parts, so that one who relays need not wait for the whole of a long one.
// Each part is sealed under the connection's own key (ChaCha20-Poly1305, IETF):
//
//   0  length of what is sealed, u32      4  sealed: destination u16, source u16, place u8, the part      then the tag
//
// The nonce is the record's number, the length is the associated data: a record that is changed, left out, repeated or
// moved does not open, and the stream ends. Pure: no sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "control/secret.hpp"
#include "fairlead/core/types.hpp"
#include "fairlead/relay/wire.hpp"

namespace fairlead::agent {

/// The hosts that a frame travels between, whatever way it takes.
struct Journey {
    core::HostId destination = core::kNoHost;
    core::HostId source = core::kNoHost;
    friend bool operator==(const Journey&, const Journey&) = default;
};

inline constexpr std::size_t kRecordLength_B = 4;
inline constexpr std::size_t kHeading_B = 5;
inline constexpr std::size_t kTag_B = crypto_aead_chacha20poly1305_ietf_ABYTES;
/// Longest part: 65 us of a link of 1 Gbit/s.
inline constexpr std::size_t kMaxPart_B = 8192;
inline constexpr std::size_t kMaxSealed_B = kHeading_B + kMaxPart_B;
/// What a record adds to its part.
inline constexpr std::size_t kRecordOverhead_B = kRecordLength_B + kHeading_B + kTag_B;

/// A part of a frame. The parts of one follow each other among those of the same source.
struct Record {
    Journey journey;
    bool begins = false;  ///< its frame
    bool ends = false;
    std::span<const std::uint8_t> part;
};

class RecordSealer {
  public:
    explicit RecordSealer(SecretKey key) : key_(std::move(key)) {}
    /// Appends a record. Its part may be no longer than kMaxPart_B.
    void seal(const Record& record, std::vector<std::uint8_t>& out);

  private:
    SecretKey key_;
    std::uint64_t number_ = 0;
};

class RecordOpener {
  public:
    /// The stream is lost for good.
    enum class Fault : std::uint8_t {
        bad_length,  ///< of no record
        bad_place,   ///< of the part in its frame
        not_sealed,  ///< not made with the connection's key, or changed under way
    };
    struct Incomplete {};

    explicit RecordOpener(SecretKey key);

    /// Where the next bytes of the stream go: never empty while front() is Incomplete.
    std::span<std::uint8_t> space();
    void filled(std::size_t size_B) { end_ += size_B; }

    /// The stream's next record, the same one until pop(); its part is valid until pop() or space().
    std::variant<Record, Incomplete, Fault> front();
    void pop();

  private:
    std::span<std::uint8_t> unread() { return std::span(buffer_).subspan(begin_, end_ - begin_); }
    std::variant<std::size_t, Incomplete, Fault> length();

    SecretKey key_;
    std::uint64_t number_ = 0;
    std::vector<std::uint8_t> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool opened_ = false;  ///< the front record, in place
};
std::string_view name(RecordOpener::Fault fault);

}  // namespace fairlead::agent
