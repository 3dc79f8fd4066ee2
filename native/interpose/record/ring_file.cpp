// SPDX-License-Identifier: Apache-2.0
#include "record/ring_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "record/file_names.hpp"

namespace fairlead::record {

namespace {

void* map(int fd) {
    const int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    void* const memory = mmap(nullptr, kRing_B, PROT_READ | PROT_WRITE, flags, fd, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

Ring* begin(void* memory, std::int32_t rank, std::uint32_t thread) {
    Ring* const ring = new (memory) Ring{};
    ring->magic = kRingMagic;
    ring->version = kRingVersion;
    ring->pid = static_cast<std::uint32_t>(getpid());
    ring->rank = rank;
    ring->thread = thread;
    return ring;
}

// Reserved, so that touching it cannot fail later. Null: errno says why.
void* reserve_and_map(int fd) {
    const int error = posix_fallocate(fd, 0, static_cast<off_t>(kRing_B));
    if (error != 0) {
        errno = error;
        return nullptr;
    }
    return map(fd);
}

// Under a name that agents do not look for until it is complete. Null: errno says why.
Ring* in_file(const std::string& stem, std::int32_t rank, std::uint32_t thread) {
    const std::string unfinished = stem + ".new";
    const int fd = open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return nullptr;
    }
    void* const memory = reserve_and_map(fd);
    Ring* ring = memory != nullptr ? begin(memory, rank, thread) : nullptr;
    if (ring != nullptr && rename(unfinished.c_str(), (stem + ".ring").c_str()) != 0) {
        ring = nullptr;
    }
    const int error = errno;
    if (ring == nullptr) {
        unlink(unfinished.c_str());
    }
    close(fd);
    errno = error;
    return ring;
}

}  // namespace

Ring* make_ring(const char* directory, std::int32_t rank, std::uint32_t thread) {
    const std::string begin_of_name = std::string(directory) + "/" + std::to_string(getpid()) + "-";
    for (int attempt = 0; attempt < kMostNames; ++attempt) {
        const std::string stem = begin_of_name + std::to_string(attempt);
        if (access((stem + ".ring").c_str(), F_OK) == 0) {
            continue;
        }
        if (Ring* const ring = in_file(stem, rank, thread)) {
            return ring;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    std::fprintf(stderr, "fairlead: cannot create a ring in %s: %s; the messages of this process are not monitored\n",
                 directory, std::strerror(errno));
    void* const memory = map(-1);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return begin(memory, rank, thread);
}

}  // namespace fairlead::record
