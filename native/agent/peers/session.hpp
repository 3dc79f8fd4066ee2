// SPDX-License-Identifier: Apache-2.0
// The opening of a TCP connection between agents: both ends prove that they know the job's secret. A measurement's
// bytes are raw from then on; what the relay plane sends is sealed under the session's key (sealed_records.hpp).
//
//   server -> client   32 random bytes S
//   client -> server   request (fixed length, with 32 random bytes C), MAC(key, "client", S, request)
//   server -> client   MAC(key, "server", S, C)
//
// MAC is keyed BLAKE2b. A session key made of S and C authenticates the results at the end. What fails is closed
// without an answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "control/secret.hpp"
#include "fairlead/core/types.hpp"
#include "peers/stream.hpp"

namespace fairlead::agent {

enum class SessionKind : std::uint8_t { pingpong = 1, bulk = 2, relay_first = 3, relay_last = 4 };

/// What a client asks of the server.
struct SessionRequest {
    SessionKind kind = SessionKind::pingpong;
    std::uint32_t timeout_ms = 0;  ///< after which the server gives up
    std::uint32_t exchanges = 0;   ///< pingpong: per size, warm-up included
    std::uint32_t warmup = 0;
    std::vector<std::uint64_t> sizes_B;
    bool operator==(const SessionRequest&) const = default;
};

/// Who speaks to whom.
struct Ends {
    core::HostId client = core::kNoHost;
    core::HostId server = core::kNoHost;
};

inline constexpr std::size_t kNonce_B = 32;
inline constexpr std::size_t kRequestSizes = 32;
inline constexpr std::size_t kRequest_B = 8 + kNonce_B + 12 + 8 * kRequestSizes;
using Nonce = std::array<std::uint8_t, kNonce_B>;
using RequestBytes = std::array<std::uint8_t, kRequest_B>;

/// What the client sends: its request and the MAC that proves it.
inline constexpr std::size_t kMac_B = 32;
using ClientProof = std::array<std::uint8_t, kRequest_B + kMac_B>;
Nonce random_nonce();

struct DecodedRequest {
    Ends ends;
    SessionRequest request;
};
RequestBytes encode_request(Ends ends, const Nonce& nonce, const SessionRequest& request);
/// Nothing if a field is out of range. Only for requests whose MAC was right, and yet it trusts none of them.
std::optional<DecodedRequest> decode_request(const RequestBytes& bytes);

/// The peer does not know the secret, is not who it says, or asks for what cannot be.
struct HandshakeError : StreamError {
    using StreamError::StreamError;
};

/// A request whose sender knows the secret, and what both ends' random bytes make.
struct ProvenRequest {
    SessionRequest request;
    Nonce server{};
    Nonce client{};
};
/// The server's judgement of what a client answered its random bytes. Throws HandshakeError.
ProvenRequest verify(const SecretKey& key, Ends ends, const Nonce& server, const ClientProof& proof);

/// An authenticated connection.
class Session {
  public:
    /// Throws StreamError; HandshakeError if the server does not prove that it knows the secret.
    static Session open(Stream stream, const SecretKey& key, Ends ends, const SessionRequest& request);

    /// The server's end, once the client has proven itself: says that this one knows the secret, too. Throws
    /// StreamError.
    static Session answer(Stream stream, const SecretKey& key, const ProvenRequest& request);

    Stream& stream() { return stream_; }
    /// What is left of a session once it is open: the relay plane does without its deadlines.
    std::pair<UniqueFd, SecretKey> release() && { return {std::move(stream_).release(), std::move(key_)}; }

    /// A result, with its MAC. Both ends know its length.
    void send_result(std::span<const std::uint8_t> result);
    /// Throws HandshakeError if the MAC is wrong.
    void receive_result(std::span<std::uint8_t> result);

  private:
    Session(Stream stream, SecretKey key) : stream_(std::move(stream)), key_(std::move(key)) {}

    Stream stream_;
    SecretKey key_;
    std::uint64_t results_ = 0;
};

}  // namespace fairlead::agent
