// SPDX-License-Identifier: Apache-2.0
#include "sealed_records.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bytes.hpp"

namespace fairlead::agent {
namespace {

constexpr std::size_t kBuffer_B = 256 * 1024;
constexpr std::size_t kRead_B = 64 * 1024;
using Nonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

Nonce nonce_of(std::uint64_t number) {
    Nonce nonce{};
    store(nonce.data() + 4, number);
    return nonce;
}

}  // namespace

std::string_view name(RecordOpener::Fault fault) {
    return fault == RecordOpener::Fault::bad_length ? "a record of impossible length" : "a record that is not sealed";
}

void RecordSealer::seal(const Journey& journey, std::span<const std::uint8_t> frame, std::vector<std::uint8_t>& out) {
    if (frame.size() > relay::wire::kMaxFrame_B) throw std::length_error("a frame that is longer than frames are");
    const std::size_t begin = out.size();
    const std::size_t plain_B = kJourney_B + frame.size();
    out.resize(begin + kRecordLength_B + plain_B + kTag_B);
    std::uint8_t* const record = out.data() + begin;
    std::uint8_t* const plain = record + kRecordLength_B;
    store(record, static_cast<std::uint32_t>(plain_B));
    store(plain, journey.destination);
    store(plain + 2, journey.source);
    std::copy(frame.begin(), frame.end(), plain + kJourney_B);
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(plain, plain + plain_B, nullptr, plain, plain_B, record,
                                                       kRecordLength_B, nullptr, nonce_of(number_++).data(),
                                                       key_.bytes().data());
}

RecordOpener::RecordOpener(SecretKey key) : key_(std::move(key)), buffer_(kBuffer_B) {}

std::variant<std::size_t, RecordOpener::Incomplete, RecordOpener::Fault> RecordOpener::length() {
    if (end_ - begin_ < kRecordLength_B) return Incomplete{};
    const std::size_t plain_B = load<std::uint32_t>(buffer_.data() + begin_);
    if (plain_B < kJourney_B || plain_B > kMaxSealed_B) return Fault::bad_length;
    return plain_B;
}

/// Grows for a long record only, and never beyond the longest.
std::span<std::uint8_t> RecordOpener::space() {
    const auto plain = length();
    const std::size_t* const plain_B = std::get_if<std::size_t>(&plain);
    const std::size_t whole_B = plain_B == nullptr ? 0 : kRecordLength_B + *plain_B + kTag_B;
    const std::size_t unread_B = end_ - begin_;
    const std::size_t wanted_B = std::max(unread_B + kRead_B, whole_B);
    if (begin_ + wanted_B > buffer_.size()) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        begin_ = 0;
        end_ = unread_B;
        if (wanted_B > buffer_.size()) buffer_.resize(wanted_B);
    }
    return std::span(buffer_).subspan(end_);
}

std::variant<Record, RecordOpener::Incomplete, RecordOpener::Fault> RecordOpener::front() {
    const auto found = length();
    if (std::holds_alternative<Incomplete>(found)) return Incomplete{};
    if (const Fault* const fault = std::get_if<Fault>(&found)) return *fault;
    const std::size_t plain_B = std::get<std::size_t>(found);
    if (end_ - begin_ < kRecordLength_B + plain_B + kTag_B) return Incomplete{};
    std::uint8_t* const record = buffer_.data() + begin_;
    std::uint8_t* const plain = record + kRecordLength_B;
    if (!opened_ && crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                        plain, nullptr, plain, plain_B, plain + plain_B, record, kRecordLength_B,
                        nonce_of(number_).data(), key_.bytes().data()) != 0) {
        return Fault::not_sealed;
    }
    opened_ = true;
    return Record{{load<std::uint16_t>(plain), load<std::uint16_t>(plain + 2)},
                  std::span<const std::uint8_t>(plain + kJourney_B, plain_B - kJourney_B)};
}

void RecordOpener::pop() {
    begin_ += kRecordLength_B + std::get<std::size_t>(length()) + kTag_B;
    ++number_;
    opened_ = false;
    if (begin_ == end_) begin_ = end_ = 0;
}

}  // namespace fairlead::agent
