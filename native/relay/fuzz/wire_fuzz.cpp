// SPDX-License-Identifier: Apache-2.0
// Whatever decodes must encode to the very bytes it came from, and its payload lie within them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "fairlead/relay/wire.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairlead::relay;
    constexpr Process kProcesses = 5;
    const std::span<const std::uint8_t> in(data, size);
    const auto length = wire::length_of(in);
    if (length.has_value() != (size >= 4)) std::abort();
    const auto result = wire::decode(in, kProcesses);
    const auto* decoded = std::get_if<wire::Decoded>(&result);
    const auto ends = wire::ends_of(in, kProcesses);
    const auto* told = std::get_if<wire::Ends>(&ends);
    if (told != nullptr && (told->from >= kProcesses || told->to >= kProcesses)) std::abort();
    if (decoded == nullptr) return 0;
    if (told == nullptr || told->from != decoded->frame.from || told->to != decoded->frame.to) std::abort();
    const auto* stated = std::get_if<std::size_t>(&*length);
    if (stated == nullptr || *stated != size) std::abort();
    if (decoded->frame.from >= kProcesses || decoded->frame.to >= kProcesses) std::abort();
    std::vector<std::uint8_t> out(size);
    const std::size_t written = wire::encode(decoded->frame, decoded->payload, out);
    if (written != size) std::abort();
    if (told->heard) wire::say_heard(out);  // decode() does not tell
    if (!std::equal(in.begin(), in.end(), out.begin())) std::abort();
    return 0;
}
