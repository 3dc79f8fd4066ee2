// SPDX-License-Identifier: Apache-2.0
#include "peers/frame_assembly.hpp"

#include "peers/stream.hpp"

namespace fairlead::agent {

std::optional<std::span<const std::uint8_t>> FrameAssembly::add(const Record& record) {
    const core::HostId source = record.journey.source;
    if (record.begins) {
        const auto earlier = partials_.find(source);
        if (earlier != partials_.end() && !earlier->second.whole) partials_.erase(earlier);  // its rest was lost
        if (record.ends) return record.part;
        partials_.try_emplace(source);
    }
    const auto found = partials_.find(source);
    if (found == partials_.end()) return std::nullopt;
    Partial& partial = found->second;
    if (!partial.whole) {
        if (partial.bytes.size() + record.part.size() > relay::wire::kMaxFrame_B) {
            throw StreamError("a frame exceeds the maximum length");
        }
        partial.bytes.insert(partial.bytes.end(), record.part.begin(), record.part.end());
        partial.whole = record.ends;
    }
    if (!partial.whole) return std::nullopt;
    return partial.bytes;
}

void FrameAssembly::done(core::HostId source) {
    partials_.erase(source);
}

}  // namespace fairlead::agent
