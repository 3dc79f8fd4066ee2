// SPDX-License-Identifier: Apache-2.0
// Little-endian fields in a row of bytes: what wire formats are written and read with. Neither leaves its span.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fairlead::core {

/// Appends fields; remembers when the space ends.
class ByteWriter {
  public:
    explicit ByteWriter(std::span<std::uint8_t> out) : out_(out) {}

    template <std::unsigned_integral T>
    void put(T value) {
        if (out_.size() - used_ < sizeof(T)) return fail();
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            out_[used_++] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
        }
    }
    void put(std::int32_t value) { put(static_cast<std::uint32_t>(value)); }
    void put(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
    void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
    void put(bool value) { put(static_cast<std::uint8_t>(value ? 1 : 0)); }
    void padding(std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) put(std::uint8_t{0});
    }
    void fail() { failed_ = true; }
    /// Bytes written; 0 after a failure.
    std::size_t length() const { return failed_ ? 0 : used_; }

  private:
    std::span<std::uint8_t> out_;
    std::size_t used_ = 0;
    bool failed_ = false;
};

/// Takes fields in order. After the first that is not all there, every field reads as zero.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::uint8_t> in) : in_(in) {}

    template <std::unsigned_integral T>
    T take() {
        if (in_.size() - used_ < sizeof(T)) {
            short_ = true;
            used_ = in_.size();
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<std::uint64_t>(in_[used_++]) << (8 * i);
        return static_cast<T>(value);
    }
    /// What no field has taken.
    std::span<const std::uint8_t> rest() const { return in_.subspan(used_); }
    bool too_short() const { return short_; }

  private:
    std::span<const std::uint8_t> in_;
    std::size_t used_ = 0;
    bool short_ = false;
};

}  // namespace fairlead::core
