// SPDX-License-Identifier: Apache-2.0
#include "record/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>

#include "record/clock.hpp"
#include "record/file_names.hpp"
#include "record/new_file.hpp"
#include "record/reserve.hpp"

namespace fairlead::record {

namespace {

// MAP_FAILED and null both become null.
void* mapped(void* memory) {
    return memory == MAP_FAILED ? nullptr : memory;
}

void* private_memory(std::size_t size_B) {
    void* memory = mapped(mmap(nullptr, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

// A part of a file. The system's pages may be larger than the file's, up to 64 KiB on AArch64: then what stands before
// it is mapped once more.
void* part(int fd, std::size_t begin_B, std::size_t size_B) {
    const std::size_t before_B = begin_B % static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const memory = mapped(mmap(nullptr, before_B + size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                                     static_cast<off_t>(begin_B - before_B)));
    return memory != nullptr ? static_cast<char*>(memory) + before_B : nullptr;
}

void read_program(std::array<char, 1024>& program) {
    const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    const ssize_t got = ::read(fd, program.data(), program.size() - 1);
    ::close(fd);
    if (got > 1) {
        std::replace(program.begin(), program.begin() + got - 1, '\0', ' ');
    }
}

}  // namespace

File::File(const std::string& directory) {
    void* page = !directory.empty() && open(directory) ? extend(kPage_B) : nullptr;
    header_ = new (page != nullptr ? page : private_memory(kPage_B)) Header{};
    header_->version = kVersion;
    header_->pid = static_cast<std::uint32_t>(getpid());
    header_->rank = -1;
    header_->opened = now();
    header_->opened_realtime_ns = clock_ns(CLOCK_REALTIME);
    gethostname(header_->host.data(), header_->host.size() - 1);
    read_program(header_->program);
    header_->magic = kMagic;  // last: before it the file is no record
}

bool File::open(const std::string& directory) {
    for (int attempt = 0; attempt < kMostNames; ++attempt) {
        path_ = directory + "/" + std::to_string(getpid()) + "-" + std::to_string(attempt) + ".record";
        fd_ = open_new(path_.c_str());
        if (fd_ >= 0) {
            return true;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    give_up("cannot be created", errno);
    return false;
}

void* File::extend(std::size_t size_B) {
    if (fd_ < 0) {
        return nullptr;
    }
    const int error = reserve(fd_, length_B_, size_B);
    if (error != 0) {
        std::ignore = ::ftruncate(fd_, static_cast<off_t>(length_B_));  // others may want what room there was
        give_up("cannot grow", error);
        return nullptr;
    }
    void* memory = part(fd_, length_B_, size_B);
    if (memory == nullptr) {
        give_up("cannot be mapped", errno);
        return nullptr;
    }
    length_B_ += size_B;
    return memory;
}

void File::give_up(const char* what, int error) {
    std::fprintf(stderr, "fairlead: %s %s: %s; the profile of this process is incomplete\n", path_.c_str(), what,
                 std::strerror(error));
    if (fd_ >= 0) {
        ::close(fd_);
        if (header_ == nullptr || header_->blocks == 0) {
            ::unlink(path_.c_str());  // nobody can read it
        }
    }
    fd_ = -1;
}

void* File::add(Kind kind, std::uint32_t thread, std::size_t size_B) {
    const std::size_t whole_B = (size_B + kPage_B - 1) / kPage_B * kPage_B;
    void* memory = extend(whole_B);
    if (memory == nullptr) {
        return private_memory(whole_B);
    }
    new (memory) Block{static_cast<std::uint32_t>(kind), thread, whole_B};
    ++header_->blocks;
    return memory;
}

}  // namespace fairlead::record
