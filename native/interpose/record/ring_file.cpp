// SPDX-License-Identifier: Apache-2.0
#include "record/ring_file.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "record/file_names.hpp"
#include "record/new_file.hpp"
#include "record/pid_namespace.hpp"
#include "record/reserve.hpp"

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
    ring->pid_namespace = pid_namespace();
    return ring;
}

// MPI libraries and programs share the place, and may have memory there that they have not touched yet: they would end
// when there is none any more. So others are left as much as this many rings take. A place without a limit has 0
// blocks.
constexpr std::uint64_t kRingsLeft = 64;

bool leaves_room(int fd) {
    struct statvfs place {};
    return fstatvfs(fd, &place) != 0 || place.f_blocks == 0 ||
           place.f_bavail >= (kRingsLeft + 1) * kRing_B / place.f_frsize;
}

// Null: errno says why.
void* reserve_and_map(int fd) {
    const int error = leaves_room(fd) ? reserve(fd, 0, kRing_B) : ENOSPC;
    if (error != 0) {
        errno = error;
        return nullptr;
    }
    return map(fd);
}

// Under a name that agents do not look for until it is complete. Null: errno says why.
Ring* in_file(const std::string& stem, std::int32_t rank, std::uint32_t thread) {
    const std::string unfinished = stem + ".new";
    const int fd = open_new(unfinished.c_str());
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

// Whether no process of this host has said it of this directory, as far as those still live: what one has no ring for,
// hundreds beside it have none for either. A name of an abstract socket is taken until its process ends, and leaves
// nothing behind.
bool is_first_to_say(const char* directory) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "fairlead no %s", directory);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof address.sun_path - 1) return true;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return true;
    const auto size_B = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size_B) != 0) {
        const bool taken = errno == EADDRINUSE;
        close(fd);
        return !taken;
    }
    return true;
}

}  // namespace

Ring* unread_ring(std::int32_t rank, std::uint32_t thread) {
    alignas(kPage_B) static char shared[kRing_B];
    void* const memory = map(-1);
    return begin(memory != nullptr ? memory : shared, rank, thread);
}

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
    const int error = errno;
    if (is_first_to_say(directory)) {
        std::fprintf(stderr,
                     "fairlead: cannot create a ring in %s: %s; messages of ranks without one are not watched\n",
                     directory, std::strerror(error));
    }
    return unread_ring(rank, thread);
}

}  // namespace fairlead::record
