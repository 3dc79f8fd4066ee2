// SPDX-License-Identifier: Apache-2.0
#include "wrap/envelopes.hpp"

namespace fairlead {

using record::kNoNumber;
using record::kNumbers;

namespace {

// Modulo kNumbers, without a division: this is in every call that sends or receives.
std::uint32_t after(std::uint32_t number) {
    return number + 1 < kNumbers ? number + 1 : 0;
}

}  // namespace

void Envelopes::begin(record::Message& message) {
    std::uint32_t number = kNoNumber;
    if (message.end == record::End::send) {
        std::uint32_t* const count = count_of(message);
        number = count != nullptr ? next(*count) : kNoNumber;
    } else {
        receives_ = after(receives_);
        if (is_wildcard(message)) {
            number = open_wildcards_++ == 0 ? receives_ : kNoNumber;  // for end_wildcard
        } else if (std::uint32_t* const count = count_of(message)) {
            number = next(*count);
            number = open_wildcards_ == 0 ? number : kNoNumber;  // one of them may get what was meant for this one
        }
    }
    set_number(message, number);
}

void Envelopes::end_wildcard(record::Message& message) {
    --open_wildcards_;
    std::uint32_t* const count = count_of(message);
    const std::uint32_t number = count != nullptr ? next(*count) : kNoNumber;
    set_number(message, number_of(message) == receives_ ? number : kNoNumber);
}

void Envelopes::cancel(const record::Message& message) {
    if (is_wildcard(message)) {
        --open_wildcards_;
    } else if (std::uint32_t* const count = count_of(message)) {
        *count = kNoNumber;
    }
}

std::uint32_t* Envelopes::count_of(const record::Message& message) {
    std::uint64_t key = message.communicator;
    key ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(message.peer)) << 32 |
           static_cast<std::uint32_t>(message.tag);
    // The two ends of a message to oneself are in one process. Then all bits are spread (the finalizer of SplitMix64).
    key += message.end == record::End::send ? 0x9E3779B97F4A7C15U : 0;
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9U;
    key = (key ^ key >> 27) * 0x94D049BB133111EBU;
    key ^= key >> 31;
    std::uint32_t* count = counts_.find(key);
    if (count == nullptr && counts_.size() < kMostEnvelopes) {
        counts_.insert(key, 0);
        count = counts_.find(key);
    }
    return count;
}

std::uint32_t Envelopes::next(std::uint32_t& count) {
    if (count != kNoNumber) {
        count = after(count);
    }
    return count;
}

}  // namespace fairlead
