// SPDX-License-Identifier: Apache-2.0
#include "relay/channel/channel.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fairlead::relay {

namespace {

std::uint64_t head_of(Process processes) {
    return kChannelPage_B + (processes + kChannelPage_B - 1) / kChannelPage_B * kChannelPage_B;
}

void* map(void* where, std::uint64_t length_B, int flags, int fd, std::uint64_t offset_B) {
    const int protection = fd < 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
    void* const memory = mmap(where, length_B, protection, flags, fd, static_cast<off_t>(offset_B));
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap of a relay channel");
    return memory;
}

}  // namespace

std::uint64_t ChannelMemory::size_B(Process processes, std::uint64_t ring_B) {
    return head_of(processes) + 2 * ring_B;
}

/// One reservation for everything, so that one munmap gives it back.
ChannelMemory::ChannelMemory(int fd, Process processes, std::uint64_t ring_B)
    : head_B_(head_of(processes)), ring_B_(ring_B) {
    constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    memory_ = static_cast<std::uint8_t*>(map(nullptr, head_B_ + 4 * ring_B_, kReserve, -1, 0));
    rings_ = {memory_ + head_B_, memory_ + head_B_ + 2 * ring_B_};
    try {
        map(memory_, head_B_, MAP_SHARED | MAP_FIXED, fd, 0);
        for (std::uint64_t ring = 0; ring < rings_.size(); ++ring) {
            const std::uint64_t offset_B = head_B_ + ring * ring_B_;
            map(rings_[ring], ring_B_, MAP_SHARED | MAP_FIXED, fd, offset_B);
            map(rings_[ring] + ring_B_, ring_B_, MAP_SHARED | MAP_FIXED, fd, offset_B);
        }
    } catch (...) {
        munmap(memory_, head_B_ + 4 * ring_B_);
        throw;
    }
}

ChannelMemory::~ChannelMemory() {
    munmap(memory_, head_B_ + 4 * ring_B_);
}

}  // namespace fairlead::relay
