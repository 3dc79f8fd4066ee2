// SPDX-License-Identifier: Apache-2.0
// Datagrams between agents: a 24 byte header in the clear, then the message under XChaCha20-Poly1305 (IETF).
//
//   0  version   u8    2  sender    u16   8   boot id  u64
//   1  reserved  u8    4  receiver  u16   16  counter  u64     all little-endian
//                      6  reserved  u16
//
// The header is the nonce as well as the associated data: sender, boot id and counter never come together twice, and
// no datagram can be handed to another host than the one it was made for. What was seen before is refused by
// core::ReplayWindow.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "control/secret.hpp"
#include "fairlead/core/replay_window.hpp"
#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"
#include "generated/enums.hpp"

namespace fairlead::agent {

inline constexpr std::uint8_t kSealVersion = 1;
inline constexpr std::size_t kSealHeader_B = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
inline constexpr std::size_t kSealOverhead_B = kSealHeader_B + crypto_aead_xchacha20poly1305_ietf_ABYTES;
inline constexpr std::size_t kMaxDatagram_B = core::wire::kMaxMessage_B + kSealOverhead_B;
static_assert(kSealHeader_B == 24);

inline constexpr std::size_t kRefusalCount = static_cast<std::size_t>(Refusal::too_many) + 1;

using Datagram = std::array<std::uint8_t, kMaxDatagram_B>;

class Sealer {
  public:
    /// boot_id must grow from start to start of an agent (wall clock in nanoseconds).
    Sealer(SecretKey key, core::HostId self, std::uint64_t boot_id);

    /// Writes a sealed message for `receiver` and returns its length; 0 if the message breaks the wire format's limits.
    std::size_t seal(core::HostId receiver, const core::wire::Message& message, Datagram& out);

  private:
    SecretKey key_;
    core::HostId self_;
    std::uint64_t boot_id_;
    std::uint64_t counter_ = 0;
};

struct Opened {
    core::HostId sender = core::kNoHost;
    std::uint64_t boot_id = 0;
    core::wire::Message message;
};

class Opener {
  public:
    Opener(SecretKey key, core::HostId self, core::HostId host_count);

    /// The sender that a datagram claims, for checks that cost less than opening it.
    static std::variant<core::HostId, Refusal> claimed_sender(std::span<const std::uint8_t> datagram);

    std::variant<Opened, Refusal> open(std::span<const std::uint8_t> datagram);

  private:
    SecretKey key_;
    core::HostId self_;
    core::HostId host_count_;
    core::ReplayWindow replay_;
};

}  // namespace fairlead::agent
