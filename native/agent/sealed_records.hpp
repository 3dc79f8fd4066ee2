// SPDX-License-Identifier: Apache-2.0
// Frames on a stream between two agents, each sealed under the connection's own key (ChaCha20-Poly1305, IETF):
//
//   0  length of what is sealed, u32      4  sealed: destination u16, source u16, the frame      then the tag
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

#include "fairlead/core/types.hpp"
#include "fairlead/relay/wire.hpp"
#include "secret.hpp"

namespace fairlead::agent {

/// The hosts that a frame travels between, whatever way it takes.
struct Journey {
    core::HostId destination = core::kNoHost;
    core::HostId source = core::kNoHost;
    friend bool operator==(const Journey&, const Journey&) = default;
};

inline constexpr std::size_t kRecordLength_B = 4;
inline constexpr std::size_t kJourney_B = 4;
inline constexpr std::size_t kTag_B = crypto_aead_chacha20poly1305_ietf_ABYTES;
inline constexpr std::size_t kMaxSealed_B = kJourney_B + relay::wire::kMaxFrame_B;
/// What a record adds to its frame.
inline constexpr std::size_t kRecordOverhead_B = kRecordLength_B + kJourney_B + kTag_B;

struct Record {
    Journey journey;
    std::span<const std::uint8_t> frame;
};

class RecordSealer {
  public:
    explicit RecordSealer(SecretKey key) : key_(std::move(key)) {}
    /// Appends a record. The frame may be no longer than relay::wire::kMaxFrame_B.
    void seal(const Journey& journey, std::span<const std::uint8_t> frame, std::vector<std::uint8_t>& out);

  private:
    SecretKey key_;
    std::uint64_t number_ = 0;
};

class RecordOpener {
  public:
    /// The stream is lost for good.
    enum class Fault : std::uint8_t {
        bad_length,  ///< of no record
        not_sealed,  ///< not made with the connection's key, or changed under way
    };
    struct Incomplete {};

    explicit RecordOpener(SecretKey key);

    /// Where the next bytes of the stream go: never empty.
    std::span<std::uint8_t> space();
    void filled(std::size_t size_B) { end_ += size_B; }

    /// The stream's next record, the same one until pop(); its frame is valid until pop() or space().
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
