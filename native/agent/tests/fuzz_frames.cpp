// SPDX-License-Identifier: Apache-2.0
// The relay plane's parsers: any bytes as a stream of records, the same bytes under a good seal (an agent gone mad),
// and as the ring of a rank gone mad.
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "relay/frame_ring.hpp"
#include "sealed_records.hpp"

using namespace fairlead::agent;
namespace relay = fairlead::relay;

namespace {

constexpr std::size_t kRing_B = 4096;

SecretKey key() {
    SecretKey result;
    std::fill(result.bytes().begin(), result.bytes().end(), std::uint8_t{1});
    return result;
}

/// Frames that come out of a stream cut into pieces; what ends it, if something does.
std::size_t open(std::span<const std::uint8_t> stream, std::size_t piece_B, std::span<const std::uint8_t> expected,
                 bool& faulty) {
    RecordOpener opener(key());
    std::size_t frames = 0;
    while (!stream.empty()) {
        const auto space = opener.space();
        if (space.empty() || space.size() > 2 * kMaxSealed_B) std::abort();
        const std::size_t size_B = std::min({piece_B, space.size(), stream.size()});
        std::copy_n(stream.begin(), size_B, space.begin());
        stream = stream.subspan(size_B);
        opener.filled(size_B);
        for (;;) {
            const auto next = opener.front();
            if (std::holds_alternative<RecordOpener::Incomplete>(next)) break;
            faulty = std::holds_alternative<RecordOpener::Fault>(next);
            if (faulty) return frames;
            const auto frame = std::get<Record>(next).frame;
            if (!std::equal(frame.begin(), frame.end(), expected.begin(), expected.end())) std::abort();
            (void)relay::wire::ends_of(frame, 8);
            ++frames;
            opener.pop();
        }
    }
    return frames;
}

/// Whatever the other side wrote: frames within the ring, or CorruptRing.
void read_ring(std::span<const std::uint8_t> input) {
    relay::RingCounters counters{};
    std::uint64_t written_B = 0;
    if (input.size() < sizeof written_B) return;
    std::memcpy(&written_B, input.data(), sizeof written_B);
    counters.written_B = written_B % (2 * kRing_B);
    std::vector<std::uint8_t> memory(2 * kRing_B);
    const auto rest = input.subspan(sizeof written_B);
    std::copy_n(rest.begin(), std::min(rest.size(), kRing_B), memory.begin());
    std::copy_n(memory.begin(), kRing_B, memory.begin() + kRing_B);
    relay::FrameReader reader({&counters, memory.data(), kRing_B});
    try {
        while (const auto frame = reader.front()) {
            if (frame->data() < memory.data() || frame->data() + frame->size() > memory.data() + memory.size()) {
                std::abort();
            }
            (void)relay::wire::ends_of(*frame, 8);
            reader.pop();
        }
    } catch (const relay::CorruptRing&) {
        return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool ready = sodium_init() >= 0;
    if (!ready || size == 0) return 0;
    const std::span input(data, size);
    bool faulty = false;
    if (open(input, 1 + data[0], {}, faulty) != 0) std::abort();

    const auto frame = input.first(std::min(size, relay::wire::kMaxFrame_B));
    std::vector<std::uint8_t> stream;
    RecordSealer sealer(key());
    for (int i = 0; i < 3; ++i) sealer.seal({1, 2}, frame, stream);
    if (open(stream, 1 + 16 * std::size_t{data[0]}, frame, faulty) != 3 || faulty) std::abort();
    stream[(size * 31 + data[0]) % stream.size()] ^= 1;
    if (open(stream, stream.size(), frame, faulty) > 2) std::abort();

    read_ring(input);
    return 0;
}
