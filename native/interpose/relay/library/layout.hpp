// SPDX-License-Identifier: Apache-2.0
// Where a message's bytes lie in the program's memory: a buffer, a count and a datatype; and how they become a
// sequence of bytes without gaps, and are put back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abi.hpp"

namespace fairlead::relay {

class Layout {
  public:
    Layout() = default;
    /// Keeps the datatype alive: the program may free it while the message is on its way.
    Layout(const void* buffer, MPI_Count count, MPI_Datatype datatype);
    ~Layout();
    Layout(Layout&& other) noexcept;
    Layout& operator=(Layout&& other) noexcept;

    void* buffer() const { return buffer_; }
    MPI_Count count() const { return count_; }
    MPI_Datatype datatype() const { return datatype_; }
    /// Of the whole message, or of the longest one that fits.
    std::uint64_t size_B() const { return size_B_; }
    /// Whether the bytes lie there without gaps in their order; then they are bytes().
    bool contiguous() const { return contiguous_; }
    std::span<std::uint8_t> bytes() const { return {static_cast<std::uint8_t*>(buffer_), size_B_}; }

    std::vector<std::uint8_t> packed() const;
    /// Of a message of at most size_B() bytes, which need not end with a whole element. self: a communicator of this
    /// process alone, on which nothing else is sent.
    void unpack(std::span<const std::uint8_t> message, MPI_Comm self) const;

  private:
    void* at(MPI_Count element) const { return static_cast<std::uint8_t*>(buffer_) + element * extent_B_; }

    void* buffer_ = nullptr;
    MPI_Count count_ = 0;
    MPI_Datatype datatype_{};
    MPI_Count element_B_ = 0;  ///< bytes of data in one element
    MPI_Count extent_B_ = 0;   ///< from one element to the next
    std::uint64_t size_B_ = 0;
    bool contiguous_ = true;
    bool own_datatype_ = false;
};

}  // namespace fairlead::relay
