// SPDX-License-Identifier: Apache-2.0
#include "relay/library/layout.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "relay/library/fatal.hpp"
#include "wrap/pmpi.hpp"

namespace fairlead::relay {

namespace {

constexpr MPI_Count kMostAtOnce_B = std::numeric_limits<int>::max();

// MPICH refuses to describe by int what was made with larger counts.
int combiner_of(MPI_Datatype datatype) {
    int combiner = MPI_COMBINER_NAMED;
    if (PMPI_Type_get_envelope_c != nullptr) {
        MPI_Count integers = 0, addresses = 0, counts = 0, datatypes = 0;
        PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &counts, &datatypes, &combiner);
    } else {
        int integers = 0, addresses = 0, datatypes = 0;
        PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
    }
    return combiner;
}

// The program's own may be freed meanwhile. A duplicate would call the program's functions that copy attributes.
bool keep(MPI_Datatype datatype, MPI_Datatype& kept) {
    return PMPI_Type_contiguous(1, datatype, &kept) == MPI_SUCCESS && PMPI_Type_commit(&kept) == MPI_SUCCESS;
}

// The same with addresses that count from where its data begin. MPICH does not pack what counts from MPI_BOTTOM.
bool keep_from(MPI_Aint begin, MPI_Datatype datatype, MPI_Datatype& kept) {
    const int one = 1;
    const MPI_Aint back = -begin;
    return PMPI_Type_create_hindexed(1, &one, &back, datatype, &kept) == MPI_SUCCESS &&
           PMPI_Type_commit(&kept) == MPI_SUCCESS;
}

}  // namespace

Layout::Layout(const void* buffer, MPI_Count count, MPI_Datatype datatype)
    : buffer_(const_cast<void*>(buffer)), count_(count), datatype_(datatype) {
    const bool derived = combiner_of(datatype) != MPI_COMBINER_NAMED;
    MPI_Count lower = 0;
    PMPI_Type_size_x(datatype, &element_B_);
    PMPI_Type_get_extent_x(datatype, &lower, &extent_B_);
    size_B_ = static_cast<std::uint64_t>(element_B_ * count);
    // Of a derived type without gaps the order may still be another.
    contiguous_ = !derived && extent_B_ == element_B_;
    if (derived && buffer_ == nullptr) {
        MPI_Count begin = 0;
        MPI_Count reach = 0;
        PMPI_Type_get_true_extent_x(datatype, &begin, &reach);
        buffer_ = reinterpret_cast<void*>(begin);
        own_datatype_ = keep_from(static_cast<MPI_Aint>(begin), datatype, datatype_);
    } else {
        own_datatype_ = derived && keep(datatype, datatype_);
    }
}

Layout::~Layout() {
    if (own_datatype_) PMPI_Type_free(&datatype_);
}

Layout::Layout(Layout&& other) noexcept {
    *this = std::move(other);
}

Layout& Layout::operator=(Layout&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(count_, other.count_);
    std::swap(datatype_, other.datatype_);
    std::swap(element_B_, other.element_B_);
    std::swap(extent_B_, other.extent_B_);
    std::swap(size_B_, other.size_B_);
    std::swap(contiguous_, other.contiguous_);
    std::swap(own_datatype_, other.own_datatype_);
    return *this;
}

std::vector<std::uint8_t> Layout::packed() const {
    if (contiguous_) return {bytes().begin(), bytes().end()};
    std::vector<std::uint8_t> packed(size_B_);
    const MPI_Count at_once = std::max<MPI_Count>(1, kMostAtOnce_B / std::max<MPI_Count>(1, element_B_));
    std::uint64_t done_B = 0;
    for (MPI_Count element = 0; element < count_ && size_B_ > 0; element += at_once) {
        const auto elements = static_cast<int>(std::min({at_once, count_ - element, kMostAtOnce_B}));
        const MPI_Count size_B = elements * element_B_;
        int position = 0;
        if (size_B <= kMostAtOnce_B) {
            PMPI_Pack(at(element), elements, datatype_, packed.data() + done_B, static_cast<int>(size_B), &position,
                      comm_world());
        }
        if (position != size_B) {
            fatal("elements of %lld bytes without gaps cannot be packed into as many (%d)", size_B, position);
        }
        done_B += static_cast<std::uint64_t>(size_B);
    }
    return packed;
}

void Layout::unpack(std::span<const std::uint8_t> message, MPI_Comm self) const {
    if (message.empty()) return;
    if (contiguous_) {
        std::memcpy(buffer_, message.data(), message.size());
        return;
    }
    const auto size_B = static_cast<MPI_Count>(message.size());
    const MPI_Count whole = size_B / element_B_;
    const MPI_Count at_once = std::max<MPI_Count>(1, kMostAtOnce_B / element_B_);
    for (MPI_Count element = 0; element < whole; element += at_once) {
        const auto elements = static_cast<int>(std::min({at_once, whole - element, kMostAtOnce_B}));
        if (elements * element_B_ > kMostAtOnce_B) fatal("an element of %lld bytes cannot be unpacked", element_B_);
        int position = 0;
        PMPI_Unpack(message.data() + element * element_B_, static_cast<int>(elements * element_B_), &position,
                    at(element), elements, datatype_, comm_world());
    }
    if (const MPI_Count rest_B = size_B - whole * element_B_; rest_B > 0) {
        // A part of an element can only be received.
        PMPI_Sendrecv(message.data() + whole * element_B_, static_cast<int>(rest_B), datatype_packed(), 0, 0, at(whole),
                      1, datatype_, 0, 0, self, MPI_STATUS_IGNORE);
    }
}

}  // namespace fairlead::relay
