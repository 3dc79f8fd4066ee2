// SPDX-License-Identifier: Apache-2.0
// Whatever decodes must encode to the very bytes it came from, and every index in it must be one of the job's.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fairlead/core/wire.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairlead::core;
    constexpr HostId kHosts = 5;
    const std::span<const std::uint8_t> in(data, size);
    const wire::Decoded decoded = wire::decode(in, kHosts);
    const auto* message = std::get_if<wire::Message>(&decoded);
    if (message == nullptr) return 0;
    std::array<std::uint8_t, wire::kMaxMessage_B> out{};
    const std::size_t length = wire::encode(*message, out);
    if (length != size || !std::equal(in.begin(), in.end(), out.begin())) std::abort();
    if (const auto* load = std::get_if<wire::LoadReport>(message)) {
        for (const wire::LoadEntry& entry : load->entries) {
            if (entry.destination >= kHosts || (entry.relay >= kHosts && entry.relay != kNoHost)) std::abort();
        }
    }
    return 0;
}
