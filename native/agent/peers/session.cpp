// SPDX-License-Identifier: Apache-2.0
#include "peers/session.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "control/command.hpp"
#include "process/bytes.hpp"

namespace fairlead::agent {
namespace {

constexpr std::uint8_t kVersion = 1;
using Mac = std::array<std::uint8_t, kMac_B>;

/// The label keeps the uses of one key apart, and all other parts have fixed lengths.
Mac mac(const SecretKey& key, std::string_view label, std::initializer_list<std::span<const std::uint8_t>> parts) {
    crypto_generichash_state state;
    crypto_generichash_init(&state, key.bytes().data(), SecretKey::kSize_B, kMac_B);
    crypto_generichash_update(&state, reinterpret_cast<const std::uint8_t*>(label.data()), label.size());
    for (const auto part : parts) crypto_generichash_update(&state, part.data(), part.size());
    Mac result;
    crypto_generichash_final(&state, result.data(), kMac_B);
    return result;
}

bool same(const Mac& a, const Mac& b) {
    return sodium_memcmp(a.data(), b.data(), kMac_B) == 0;
}

SecretKey session_key(const SecretKey& key, const Nonce& server, const Nonce& client) {
    const Mac bytes = mac(key, "session", {server, client});
    SecretKey result;
    std::copy(bytes.begin(), bytes.end(), result.bytes().begin());
    return result;
}

Nonce nonce_of(const RequestBytes& bytes) {
    Nonce nonce;
    std::copy_n(bytes.begin() + 8, kNonce_B, nonce.begin());
    return nonce;
}

bool in_range(const SessionRequest& request) {
    if (request.kind > SessionKind::pingpong && request.kind <= SessionKind::relay_last) return request.sizes_B.empty();
    return request.kind == SessionKind::pingpong && !request.sizes_B.empty() &&
           request.exchanges <= 2 * PingpongCommand::exchanges_limits.max && request.warmup <= request.exchanges &&
           std::all_of(request.sizes_B.begin(), request.sizes_B.end(), [](std::uint64_t size_B) {
               return size_B >= 1 && size_B <= PingpongCommand::sizes_B_limits.max;
           });
}

}  // namespace

Nonce random_nonce() {
    Nonce nonce;
    randombytes_buf(nonce.data(), nonce.size());
    return nonce;
}

RequestBytes encode_request(Ends ends, const Nonce& nonce, const SessionRequest& request) {
    RequestBytes bytes{};
    bytes[0] = kVersion;
    bytes[1] = static_cast<std::uint8_t>(request.kind);
    store(&bytes[2], ends.client);
    store(&bytes[4], ends.server);
    bytes[6] = static_cast<std::uint8_t>(request.sizes_B.size());
    std::copy(nonce.begin(), nonce.end(), bytes.begin() + 8);
    std::uint8_t* fields = bytes.data() + 8 + kNonce_B;
    store(fields, request.timeout_ms);
    store(fields + 4, request.exchanges);
    store(fields + 8, request.warmup);
    for (std::size_t i = 0; i < request.sizes_B.size(); ++i) store(fields + 12 + 8 * i, request.sizes_B.at(i));
    return bytes;
}

std::optional<DecodedRequest> decode_request(const RequestBytes& bytes) {
    const std::size_t count = bytes[6];
    if (bytes[0] != kVersion || count > kRequestSizes) return std::nullopt;
    DecodedRequest decoded;
    decoded.ends = {load<std::uint16_t>(&bytes[2]), load<std::uint16_t>(&bytes[4])};
    SessionRequest& request = decoded.request;
    request.kind = static_cast<SessionKind>(bytes[1]);
    const std::uint8_t* fields = bytes.data() + 8 + kNonce_B;
    request.timeout_ms = load<std::uint32_t>(fields);
    request.exchanges = load<std::uint32_t>(fields + 4);
    request.warmup = load<std::uint32_t>(fields + 8);
    for (std::size_t i = 0; i < count; ++i) request.sizes_B.push_back(load<std::uint64_t>(fields + 12 + 8 * i));
    if (!in_range(request)) return std::nullopt;
    return decoded;
}

Session Session::open(Stream stream, const SecretKey& key, Ends ends, const SessionRequest& request) {
    Nonce server;
    stream.read_exact(server);
    const Nonce client = random_nonce();
    const RequestBytes bytes = encode_request(ends, client, request);
    stream.write_all(bytes);
    stream.write_all(mac(key, "client", {server, bytes}));
    Mac proof;
    stream.read_exact(proof);
    if (!same(proof, mac(key, "server", {server, client}))) {
        throw HandshakeError("the process that listens there does not have this job's secret");
    }
    return Session(std::move(stream), session_key(key, server, client));
}

ProvenRequest verify(const SecretKey& key, Ends ends, const Nonce& server, const ClientProof& proof) {
    RequestBytes bytes;
    Mac client_mac;
    std::copy_n(proof.begin(), bytes.size(), bytes.begin());
    std::copy_n(proof.begin() + kRequest_B, client_mac.size(), client_mac.begin());
    if (!same(client_mac, mac(key, "client", {server, bytes}))) {
        throw HandshakeError("the peer does not have the secret");
    }
    auto decoded = decode_request(bytes);
    if (!decoded) throw HandshakeError("a request out of range");
    if (decoded->ends.client != ends.client || decoded->ends.server != ends.server) {
        throw HandshakeError("a request from or for another host");
    }
    return {std::move(decoded->request), server, nonce_of(bytes)};
}

Session Session::answer(Stream stream, const SecretKey& key, const ProvenRequest& request) {
    stream.write_all(mac(key, "server", {request.server, request.client}));
    return Session(std::move(stream), session_key(key, request.server, request.client));
}

void Session::send_result(std::span<const std::uint8_t> result) {
    std::array<std::uint8_t, 8> number;
    store(number.data(), results_++);
    stream_.write_all(result);
    stream_.write_all(mac(key_, "result", {number, result}));
}

void Session::receive_result(std::span<std::uint8_t> result) {
    std::array<std::uint8_t, 8> number;
    store(number.data(), results_++);
    Mac received;
    stream_.read_exact(result);
    stream_.read_exact(received);
    if (!same(received, mac(key_, "result", {number, result})))
        throw HandshakeError("a result was modified in transit");
}

}  // namespace fairlead::agent
