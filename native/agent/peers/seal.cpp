// SPDX-License-Identifier: Apache-2.0
#include "peers/seal.hpp"

#include <utility>

#include "process/bytes.hpp"

namespace fairlead::agent {
namespace {

struct Header {
    std::uint16_t sender = 0;
    std::uint16_t receiver = 0;
    std::uint64_t boot_id = 0;
    std::uint64_t counter = 0;
};

void write_header(const Header& header, std::uint8_t* out) {
    out[0] = kSealVersion;
    out[1] = 0;
    store(out + 2, header.sender);
    store(out + 4, header.receiver);
    store(out + 6, std::uint16_t{0});
    store(out + 8, header.boot_id);
    store(out + 16, header.counter);
}

std::variant<Header, Refusal> read_header(std::span<const std::uint8_t> in) {
    if (in.size() < kSealOverhead_B) return Refusal::too_short;
    if (in.size() > kMaxDatagram_B) return Refusal::too_long;
    if (in[0] != kSealVersion || in[1] != 0 || load<std::uint16_t>(&in[6]) != 0) return Refusal::bad_version;
    return Header{load<std::uint16_t>(&in[2]), load<std::uint16_t>(&in[4]), load<std::uint64_t>(&in[8]),
                  load<std::uint64_t>(&in[16])};
}

}  // namespace

Sealer::Sealer(SecretKey key, core::HostId self, std::uint64_t boot_id)
    : key_(std::move(key)), self_(self), boot_id_(boot_id) {}

std::size_t Sealer::seal(core::HostId receiver, const core::wire::Message& message, Datagram& out) {
    std::array<std::uint8_t, core::wire::kMaxMessage_B> plain;
    const std::size_t plain_B = core::wire::encode(message, plain);
    if (plain_B == 0) return 0;
    write_header({self_, receiver, boot_id_, ++counter_}, out.data());
    unsigned long long sealed_B = 0;
    crypto_aead_xchacha20poly1305_ietf_encrypt(out.data() + kSealHeader_B, &sealed_B, plain.data(), plain_B, out.data(),
                                               kSealHeader_B, nullptr, out.data(), key_.bytes().data());
    return kSealHeader_B + static_cast<std::size_t>(sealed_B);
}

Opener::Opener(SecretKey key, core::HostId self, core::HostId host_count)
    : key_(std::move(key)), self_(self), host_count_(host_count), replay_(host_count) {}

std::variant<core::HostId, Refusal> Opener::claimed_sender(std::span<const std::uint8_t> datagram) {
    const auto header = read_header(datagram);
    if (const Refusal* refusal = std::get_if<Refusal>(&header)) return *refusal;
    return std::get<Header>(header).sender;
}

std::variant<Opened, Refusal> Opener::open(std::span<const std::uint8_t> datagram) {
    const auto read = read_header(datagram);
    if (const Refusal* refusal = std::get_if<Refusal>(&read)) return *refusal;
    const Header& header = std::get<Header>(read);
    if (header.sender >= host_count_ || header.sender == self_) return Refusal::bad_sender;
    if (header.receiver != self_) return Refusal::bad_receiver;
    std::array<std::uint8_t, core::wire::kMaxMessage_B> plain;
    unsigned long long plain_B = 0;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data(), &plain_B, nullptr, datagram.data() + kSealHeader_B,
                                                   datagram.size() - kSealHeader_B, datagram.data(), kSealHeader_B,
                                                   datagram.data(), key_.bytes().data()) != 0) {
        return Refusal::not_sealed;
    }
    if (replay_.accept(header.sender, header.boot_id, header.counter) != core::Freshness::fresh) {
        return Refusal::replayed;
    }
    auto decoded = core::wire::decode(std::span(plain).first(static_cast<std::size_t>(plain_B)), host_count_);
    if (std::holds_alternative<core::wire::DecodeError>(decoded)) return Refusal::malformed;
    return Opened{header.sender, header.boot_id, std::get<core::wire::Message>(std::move(decoded))};
}

}  // namespace fairlead::agent
