// SPDX-License-Identifier: Apache-2.0
#include "peers/sealed_records.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "process/bytes.hpp"

namespace fairlead::agent {
namespace {

constexpr std::size_t kStreamBuffer_B = 256 * 1024;
constexpr std::size_t kRead_B = 64 * 1024;
constexpr std::uint8_t kBegins = 1;
constexpr std::uint8_t kEnds = 2;
using RecordNonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

RecordNonce nonce_of(std::uint64_t number) {
    RecordNonce nonce{};
    store(nonce.data() + 4, number);
    return nonce;
}

}  // namespace

std::string_view name(RecordOpener::Fault fault) {
    switch (fault) {
        case RecordOpener::Fault::bad_length:
            return "a record of invalid length";
        case RecordOpener::Fault::bad_place:
            return "a record without a part of a frame";
        case RecordOpener::Fault::not_sealed:
            return "a record that fails authentication";
    }
    return "an unknown fault";
}

void RecordSealer::seal(const Record& record, std::vector<std::uint8_t>& out) {
    if (record.part.size() > kMaxPart_B) throw std::length_error("a part of a frame exceeds the maximum length");
    const std::size_t begin = out.size();
    const std::size_t plain_B = kHeading_B + record.part.size();
    out.resize(begin + kRecordLength_B + plain_B + kTag_B);
    std::uint8_t* const length = out.data() + begin;
    std::uint8_t* const plain = length + kRecordLength_B;
    store(length, static_cast<std::uint32_t>(plain_B));
    store(plain, record.journey.destination);
    store(plain + 2, record.journey.source);
    plain[4] = static_cast<std::uint8_t>((record.begins ? kBegins : 0) | (record.ends ? kEnds : 0));
    std::copy(record.part.begin(), record.part.end(), plain + kHeading_B);
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(plain, plain + plain_B, nullptr, plain, plain_B, length,
                                                       kRecordLength_B, nullptr, nonce_of(number_++).data(),
                                                       key_.bytes().data());
}

RecordOpener::RecordOpener(SecretKey key) : key_(std::move(key)), buffer_(kStreamBuffer_B) {}

std::variant<std::size_t, RecordOpener::Incomplete, RecordOpener::Fault> RecordOpener::length() {
    if (end_ - begin_ < kRecordLength_B) return Incomplete{};
    const std::size_t plain_B = load<std::uint32_t>(buffer_.data() + begin_);
    if (plain_B < kHeading_B || plain_B > kMaxSealed_B) return Fault::bad_length;
    return plain_B;
}

std::span<std::uint8_t> RecordOpener::space() {
    if (end_ + kRead_B > buffer_.size()) {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        end_ -= begin_;
        begin_ = 0;
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
    const std::uint8_t place = plain[4];
    if (place > (kBegins | kEnds)) return Fault::bad_place;
    return Record{{load<std::uint16_t>(plain), load<std::uint16_t>(plain + 2)},
                  (place & kBegins) != 0,
                  (place & kEnds) != 0,
                  std::span<const std::uint8_t>(plain + kHeading_B, plain_B - kHeading_B)};
}

void RecordOpener::pop() {
    begin_ += kRecordLength_B + std::get<std::size_t>(length()) + kTag_B;
    ++number_;
    opened_ = false;
    if (begin_ == end_) begin_ = end_ = 0;
}

}  // namespace fairlead::agent
