// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes, decoding returns; and what it accepts is in range and is encoded to the same bytes again.
#include <cstdlib>
#include <cstring>

#include "protocol/protocol.hpp"

using namespace fairlead::guardian;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

bool same(const Packet& packet, std::span<const std::byte> bytes) {
    return packet.size() == bytes.size() && std::memcmp(packet.data(), bytes.data(), bytes.size()) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_B);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_B) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size_B);
    const auto decoded = decode_request(bytes);
    if (const auto* request = std::get_if<Request>(&decoded)) {
        require(same(encode(*request), bytes));
        if (const auto* setup = std::get_if<Setup>(&request->body)) {
            require(!check(*setup));
            require(setup->self < setup->hosts.size() && setup->hosts.size() <= kMaxHosts);
        }
    } else {
        require(std::get<Refusal>(decoded).error != 0 && !std::get<Refusal>(decoded).reason.empty());
    }
    if (const auto reply = decode_reply(bytes)) require(same(encode(*reply), bytes));
    return 0;
}
