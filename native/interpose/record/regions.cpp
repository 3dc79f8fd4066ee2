// SPDX-License-Identifier: Apache-2.0
#include "record/regions.hpp"

#include <algorithm>
#include <cstring>

namespace fairlead::record {

namespace {

constexpr std::size_t kBlock_B = 2 * kPage_B;  // 78 regions

}  // namespace

Regions::Sums Regions::sums() const {
    Sums sums;
    for (std::size_t function = 0; function < functions(); ++function) {
        const Row& row = thread_->row(function);
        sums.mpi_ticks += row.ticks;
        sums.calls += row.calls;
        sums.sent_B += row.sent_B;
        sums.received_B += row.received_B;
    }
    sums.mpi_ticks += thread_->counters().polled_ticks;
    return sums;
}

Regions::Entry* Regions::find(std::string_view name) {
    const auto found = std::ranges::find(entries_, name, [](const Entry& entry) { return entry.region->name.data(); });
    return found != entries_.end() ? &*found : nullptr;
}

void Regions::enter(std::string_view name, std::uint64_t begin_ticks) {
    name = name.substr(0, kName_B - 1);
    Entry* entry = find(name);
    if (entry == nullptr) {
        if (next_ == end_) {
            auto* const block = thread_->add_block(Kind::regions, kBlock_B);
            next_ = reinterpret_cast<Region*>(block + 1);
            end_ = next_ + (kBlock_B - sizeof(Block)) / sizeof(Region);
        }
        std::memcpy(next_->name.data(), name.data(), name.size());
        entry = &entries_.emplace_back(next_++);
    }
    if (entry->region->open++ == 0) {
        entry->begin_ticks = begin_ticks;
        entry->begin = sums();
        ++entry->region->entered;
    }
}

bool Regions::leave(std::string_view name, std::uint64_t end_ticks) {
    Entry* const entry = find(name.substr(0, kName_B - 1));
    if (entry == nullptr || entry->region->open == 0) {
        return false;
    }
    if (--entry->region->open == 0) {
        close(*entry, end_ticks);
    }
    return true;
}

void Regions::leave_all(std::uint64_t end_ticks) {
    for (Entry& entry : entries_) {
        if (entry.region->open != 0) {
            entry.region->open = 0;
            close(entry, end_ticks);
        }
    }
}

void Regions::close(Entry& entry, std::uint64_t end_ticks) {
    const Sums now = sums();
    Region& region = *entry.region;
    region.ticks += end_ticks - entry.begin_ticks;
    region.mpi_ticks += now.mpi_ticks - entry.begin.mpi_ticks;
    region.calls += now.calls - entry.begin.calls;
    region.sent_B += now.sent_B - entry.begin.sent_B;
    region.received_B += now.received_B - entry.begin.received_B;
}

}  // namespace fairlead::record
