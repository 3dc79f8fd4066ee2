// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/envelopes.hpp"

namespace fairlead {

using record::kNoNumber;
using record::kNumbers;

namespace {

// Modulo kNumbers, without a division: this is in every call that sends or receives.
std::uint32_t after(std::uint32_t number) {
    return number + 1 < kNumbers ? number + 1 : 0;
}

}  // namespace

std::uint32_t Envelopes::begin(const Envelope& envelope) {
    if (envelope.end == record::End::send) {
        std::uint32_t* const count = count_of(envelope);
        return count != nullptr ? next(*count) : kNoNumber;
    }
    receives_ = after(receives_);
    if (envelope.is_wildcard()) {
        return open_wildcards_++ == 0 ? receives_ : kNoNumber;  // for end_wildcard
    }
    std::uint32_t* const count = count_of(envelope);
    const std::uint32_t number = count != nullptr ? next(*count) : kNoNumber;
    return open_wildcards_ == 0 ? number : kNoNumber;  // one of them may get what was meant for this one
}

void Envelopes::end_wildcard(record::Message& message) {
    --open_wildcards_;
    std::uint32_t* const count = count_of(envelope_of(message));
    const std::uint32_t number = count != nullptr ? next(*count) : kNoNumber;
    set_number(message, number_of(message) == receives_ ? number : kNoNumber);
}

void Envelopes::cancel(const record::Message& message) {
    const Envelope envelope = envelope_of(message);
    if (envelope.is_wildcard()) {
        --open_wildcards_;
    } else if (std::uint32_t* const count = count_of(envelope)) {
        *count = kNoNumber;
    }
}

std::uint32_t* Envelopes::count_of(const Envelope& envelope) {
    std::uint64_t key = envelope.communicator;
    key ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(envelope.peer)) << 32 |
           static_cast<std::uint32_t>(envelope.tag);
    // The two ends of a message to oneself are in one process.
    key += envelope.end == record::End::send ? 0x9E3779B97F4A7C15U : 0;
    key ^= key >> 32;  // the table spreads the lower bits best, and ranks may have a stride
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
