// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/sent_messages.hpp"

#include <utility>

#include "fairlead/core/random.hpp"

namespace fairlead::core {

namespace {

/// 64 bits for a key; that two of the few thousand kept have the same ones does not happen.
std::uint64_t fingerprint_of(const wire::MessageKey& key) {
    std::uint64_t value = key.communicator;
    for (const std::uint64_t part : {std::uint64_t{key.source} << 32 | key.destination,
                                     std::uint64_t{static_cast<std::uint32_t>(key.tag)} << 32 | key.number}) {
        value = Random(value ^ part).next();
    }
    return value | 1;
}

}  // namespace

SentMessages::Slot* SentMessages::find(std::uint64_t fingerprint) {
    Slot* const first = &slots_[(fingerprint >> 1) % kSlots / kWays * kWays];
    Slot* oldest = first;
    for (Slot* slot = first; slot != first + kWays; ++slot) {
        if (slot->fingerprint == fingerprint) return slot;
        if (slot->age < oldest->age) oldest = slot;
    }
    return oldest;
}

void SentMessages::add(const wire::MessageKey& key, const wire::ToldSend& told) {
    const std::uint64_t fingerprint = fingerprint_of(key);
    if (!open_.empty()) {
        if (const auto question = open_.extract(fingerprint)) {
            answers_.push_back({question.mapped().from, told});
            answers_.back().told.token = question.mapped().token;
            return;
        }
    }
    *find(fingerprint) = {fingerprint, ++sends_, told};
}

void SentMessages::ask(HostId from, const wire::AskedSend& asked, Time deadline) {
    const std::uint64_t fingerprint = fingerprint_of(asked.key);
    const Slot* const slot = find(fingerprint);
    if (slot->fingerprint == fingerprint) {
        answers_.push_back({from, slot->told});
        answers_.back().told.token = asked.token;
    } else if (open_.size() < kMostQuestions) {
        open_[fingerprint] = {from, asked.token, deadline};
    }
}

std::vector<SentMessages::Answer> SentMessages::take_answers() {
    return std::exchange(answers_, {});
}

void SentMessages::expire(Time now) {
    std::erase_if(open_, [now](const auto& question) { return question.second.deadline <= now; });
}

}  // namespace fairlead::core
