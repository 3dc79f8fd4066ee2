// SPDX-License-Identifier: Apache-2.0
// The relay plane's parsers: any bytes as a stream of records, the same bytes under a good seal (an agent gone mad),
// and as the ring of a rank gone mad.
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "keys.hpp"
#include "peers/frame_assembly.hpp"
#include "peers/sealed_records.hpp"
#include "relay/channel/frame_ring.hpp"

using namespace fairlead::agent;
namespace relay = fairlead::relay;

namespace {

constexpr std::size_t kRing_B = 4096;
constexpr std::size_t kMostBuffer_B = 256 * 1024;

/// Parts of any length in any order: whole frames are no longer than frames are, and the same until they are done.
void assemble(std::span<const std::uint8_t> input) {
    FrameAssembly assembly;
    while (input.size() > 2) {
        const std::uint8_t place = input[0];
        const std::size_t size_B = std::min<std::size_t>(input.size() - 2, input[1] * std::size_t{32});
        const auto source = static_cast<fairlead::core::HostId>(place >> 4);
        const Record record{{1, source}, (place & 1) != 0, (place & 2) != 0, input.subspan(2, size_B)};
        const auto whole = assembly.add(record);
        if (whole.has_value() && (place & 2) == 0) std::abort();
        if (whole) {
            if (assembly.add(record)->size() != whole->size()) std::abort();
            assembly.done(source);
        }
        input = input.subspan(2 + size_B);
    }
}

/// Parts that come out of a stream cut into pieces; what ends it, if something does.
std::size_t open(std::span<const std::uint8_t> stream, std::size_t piece_B, std::span<const std::uint8_t> expected,
                 bool& faulty) {
    RecordOpener opener(key_of(1));
    std::size_t parts = 0;
    while (!stream.empty()) {
        const auto space = opener.space();
        if (space.empty() || space.size() > kMostBuffer_B) std::abort();
        const std::size_t size_B = std::min({piece_B, space.size(), stream.size()});
        std::copy_n(stream.begin(), size_B, space.begin());
        stream = stream.subspan(size_B);
        opener.filled(size_B);
        for (;;) {
            const auto next = opener.front();
            if (std::holds_alternative<RecordOpener::Incomplete>(next)) break;
            faulty = std::holds_alternative<RecordOpener::Fault>(next);
            if (faulty) return parts;
            const auto part = std::get<Record>(next).part;
            if (!std::equal(part.begin(), part.end(), expected.begin(), expected.end())) std::abort();
            (void)relay::wire::ends_of(part, 8);
            ++parts;
            opener.pop();
        }
    }
    return parts;
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

    const auto part = input.first(std::min(size, kMaxPart_B));
    std::vector<std::uint8_t> stream;
    RecordSealer sealer(key_of(1));
    for (int i = 0; i < 3; ++i) sealer.seal({{1, 2}, true, true, part}, stream);
    if (open(stream, 1 + 16 * std::size_t{data[0]}, part, faulty) != 3 || faulty) std::abort();
    stream[(size * 31 + data[0]) % stream.size()] ^= 1;
    if (open(stream, stream.size(), part, faulty) > 2) std::abort();
    assemble(input);

    read_ring(input);
    return 0;
}
