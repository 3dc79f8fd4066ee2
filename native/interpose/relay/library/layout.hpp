// SPDX-License-Identifier: Apache-2.0
// Where a message's bytes lie in the program's memory: a buffer, a count and a datatype; and how they become a
// sequence of bytes without gaps, and are put back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi.hpp"

namespace fairlead::relay {

/// What is known of a datatype of the program's.
struct KnownType {
    KnownType() = default;
    KnownType(const KnownType&) = delete;
    KnownType& operator=(const KnownType&) = delete;
    ~KnownType();

    MPI_Count element_B = 0;  ///< bytes of data in one element
    MPI_Count extent_B = 0;   ///< from one element to the next
    MPI_Count begin = 0;  ///< of one that counts from MPI_BOTTOM: where its data begin; `datatype` counts from there
    bool derived = false;
    bool known = false;       ///< all of this
    bool kept = false;        ///< `datatype` was made of it
    MPI_Datatype datatype{};  ///< keeps it alive: the program may free it while a message is on its way
};

/// The program frees it: nothing is remembered of it, but by messages that are on their way.
void forget_type(MPI_Datatype datatype);
/// Likewise all, in the end.
void forget_types();

class Layout {
  public:
    Layout() = default;
    Layout(const void* buffer, MPI_Count count, MPI_Datatype datatype);

    void* buffer() const { return buffer_; }
    MPI_Count count() const { return count_; }
    MPI_Datatype datatype() const { return type_->datatype; }
    /// Of the whole message, or of the longest one that fits.
    std::uint64_t size_B() const { return size_B_; }
    /// Whether the bytes lie there without gaps in their order; then they are bytes().
    bool contiguous() const { return contiguous_; }
    std::span<std::uint8_t> bytes() const { return {static_cast<std::uint8_t*>(buffer_), size_B_}; }

    /// self, here and below: a communicator of this process alone, on which nothing else is sent meanwhile.
    std::vector<std::uint8_t> packed(MPI_Comm self) const;
    /// Of a message of at most size_B() bytes, which need not end with a whole element.
    void unpack(std::span<const std::uint8_t> message, MPI_Comm self) const;

  private:
    void* at(MPI_Count element) const { return static_cast<std::uint8_t*>(buffer_) + element * type_->extent_B; }

    void* buffer_ = nullptr;
    MPI_Count count_ = 0;
    std::shared_ptr<const KnownType> type_;
    std::uint64_t size_B_ = 0;
    bool contiguous_ = true;
};

}  // namespace fairlead::relay
