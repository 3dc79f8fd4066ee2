// SPDX-License-Identifier: Apache-2.0
#include "relay/library/layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "mpi/pmpi.hpp"
#include "relay/library/counted.hpp"
#include "relay/library/fatal.hpp"

namespace fairlead::relay {

namespace {

constexpr MPI_Count kMostAtOnce_B = std::numeric_limits<int>::max();

// MPICH refuses to describe by int what was made with larger counts.
int ask_combiner(MPI_Datatype datatype, int& combiner) {
    if (PMPI_Type_get_envelope_c != nullptr) {
        MPI_Count integers = 0, addresses = 0, counts = 0, datatypes = 0;
        return PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &counts, &datatypes, &combiner);
    }
    int integers = 0, addresses = 0, datatypes = 0;
    return PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
}

// A duplicate would call the program's functions that copy attributes.
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

std::shared_ptr<const KnownType> ask(MPI_Datatype datatype, bool from_bottom) {
    auto type = std::make_shared<KnownType>();
    MPI_Count lower = 0;
    int combiner = MPI_COMBINER_NAMED;
    const bool exists = PMPI_Type_size_x(datatype, &type->element_B) == MPI_SUCCESS &&
                        PMPI_Type_get_extent_x(datatype, &lower, &type->extent_B) == MPI_SUCCESS &&
                        ask_combiner(datatype, combiner) == MPI_SUCCESS;
    type->derived = combiner != MPI_COMBINER_NAMED;
    type->datatype = datatype;
    if (type->derived && from_bottom) {
        MPI_Count reach = 0;
        PMPI_Type_get_true_extent_x(datatype, &type->begin, &reach);
        type->kept = keep_from(static_cast<MPI_Aint>(type->begin), datatype, type->datatype);
    } else {
        type->kept = type->derived && keep(datatype, type->datatype);
    }
    type->known = exists && type->kept == type->derived;
    return type;
}

// Asked once: to make a datatype of another one takes many times as long as to send a message with it. By handle, apart
// from those that count from MPI_BOTTOM. Not destroyed, since MPI ends before.
using Types = std::unordered_map<std::uintptr_t, std::shared_ptr<const KnownType>>;
struct Known {
    std::mutex mutex;
    std::array<Types, 2> types;
};
Known& known() {
    static auto* const instance = new Known;
    return *instance;
}

std::shared_ptr<const KnownType> type_of(MPI_Datatype datatype, bool from_bottom) {
    Types& types = known().types[from_bottom ? 1 : 0];
    {
        const std::scoped_lock lock(known().mutex);
        if (const auto found = types.find(key_of(datatype)); found != types.end()) {
            return found->second;
        }
    }
    auto type = ask(datatype, from_bottom);
    if (!type->known) {
        return type;  // the library says what is wrong
    }
    const std::scoped_lock lock(known().mutex);
    return types.try_emplace(key_of(datatype), type).first->second;
}

// MPI_Pack and MPI_Unpack take whole elements, and no more bytes than an int counts.
void send_to_self(const void* from, const Counted& sent, void* to, const Counted& received, MPI_Comm self) {
    PMPI_Sendrecv(from, sent.count(), sent.datatype(), 0, 0, to, received.count(), received.datatype(), 0, 0, self,
                  MPI_STATUS_IGNORE);
}

}  // namespace

KnownType::~KnownType() {
    if (kept) PMPI_Type_free(&datatype);
}

// What goes is freed without the lock: callbacks of its attributes may send.
void forget_type(MPI_Datatype datatype) {
    std::array<Types::node_type, 2> gone;
    const std::scoped_lock lock(known().mutex);
    for (std::size_t at = 0; at < gone.size(); ++at) gone[at] = known().types[at].extract(key_of(datatype));
}

void forget_types() {
    std::array<Types, 2> gone;
    const std::scoped_lock lock(known().mutex);
    gone.swap(known().types);
}

Layout::Layout(const void* buffer, MPI_Count count, MPI_Datatype datatype)
    : buffer_(const_cast<void*>(buffer)), count_(count) {
    const bool none = count == 0 && datatype == datatype_null();  // which MPICH and its kin take
    type_ = type_of(none ? datatype_byte() : datatype, buffer == nullptr);
    size_B_ = static_cast<std::uint64_t>(type_->element_B * count);
    // Of a derived type without gaps the order may still be another.
    contiguous_ = !type_->derived && type_->extent_B == type_->element_B;
    if (type_->derived && buffer_ == nullptr) {
        buffer_ = reinterpret_cast<void*>(type_->begin);
    }
}

std::vector<std::uint8_t> Layout::packed(MPI_Comm self) const {
    if (contiguous_) return {bytes().begin(), bytes().end()};
    std::vector<std::uint8_t> packed(size_B_);
    if (packed.empty()) return packed;
    const MPI_Count at_once = kMostAtOnce_B / type_->element_B;
    if (at_once == 0) {
        send_to_self(buffer_, Counted(count_, type_->datatype), packed.data(),
                     Counted(static_cast<MPI_Count>(size_B_), datatype_packed()), self);
        return packed;
    }
    std::uint64_t done_B = 0;
    for (MPI_Count element = 0; element < count_; element += at_once) {
        const auto elements = static_cast<int>(std::min(at_once, count_ - element));
        const MPI_Count size_B = elements * type_->element_B;
        int position = 0;
        PMPI_Pack(at(element), elements, type_->datatype, packed.data() + done_B, static_cast<int>(size_B), &position,
                  comm_world());
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
    const MPI_Count at_once = kMostAtOnce_B / type_->element_B;
    const MPI_Count whole = at_once > 0 ? size_B / type_->element_B : 0;
    for (MPI_Count element = 0; element < whole; element += at_once) {
        const auto elements = static_cast<int>(std::min(at_once, whole - element));
        int position = 0;
        PMPI_Unpack(message.data() + element * type_->element_B, static_cast<int>(elements * type_->element_B),
                    &position, at(element), elements, type_->datatype, comm_world());
    }
    if (const MPI_Count done_B = whole * type_->element_B; done_B < size_B) {
        // A part of an element can only be received.
        send_to_self(message.data() + done_B, Counted(size_B - done_B, datatype_packed()), at(whole),
                     Counted(count_ - whole, type_->datatype), self);
    }
}

}  // namespace fairlead::relay
