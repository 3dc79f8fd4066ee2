// SPDX-License-Identifier: Apache-2.0
// What a network may bring: raw datagrams to the opener, and the same bytes under a good seal (a peer gone mad).
#include <sodium.h>

#include <algorithm>
#include <cstdlib>

#include "peers/seal.hpp"
#include "peers/session.hpp"

using namespace fairlead::agent;

namespace {

SecretKey key() {
    SecretKey result;
    std::fill(result.bytes().begin(), result.bytes().end(), std::uint8_t{1});
    return result;
}

void open_sealed(Opener& opener, std::span<const std::uint8_t> plain) {
    static std::uint64_t counter = 0;
    Datagram datagram{};
    if (plain.size() > datagram.size() - kSealOverhead_B) return;
    datagram[0] = kSealVersion;
    datagram[4] = 1;
    ++counter;
    for (std::size_t i = 0; i < 8; ++i) datagram[16 + i] = static_cast<std::uint8_t>(counter >> (8 * i));
    unsigned long long size_B = 0;
    crypto_aead_xchacha20poly1305_ietf_encrypt(datagram.data() + kSealHeader_B, &size_B, plain.data(), plain.size(),
                                               datagram.data(), kSealHeader_B, nullptr, datagram.data(),
                                               key().bytes().data());
    const auto opened = opener.open(std::span(datagram).first(kSealHeader_B + static_cast<std::size_t>(size_B)));
    const auto* refusal = std::get_if<Refusal>(&opened);
    if (refusal != nullptr && *refusal != Refusal::malformed) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool ready = sodium_init() >= 0;
    if (!ready) std::abort();
    static Opener opener(key(), 1, 16);
    const std::span input(data, size);
    if (std::holds_alternative<Opened>(opener.open(input))) std::abort();
    open_sealed(opener, input);
    RequestBytes request{};
    std::copy_n(data, std::min(size, request.size()), request.begin());
    if (const auto decoded = decode_request(request)) {
        if (encode_request(decoded->ends, Nonce{}, decoded->request).size() != kRequest_B) std::abort();
    }
    return 0;
}
