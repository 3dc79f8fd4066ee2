// SPDX-License-Identifier: Apache-2.0
// The first call of an MPI function: finds the libmpi, the wrappers for its binary interface, and where calls go.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "boundary.hpp"
#include "generated/functions.hpp"
#include "shim/fortran.hpp"
#include "shim/loaded.hpp"
#include "shim/shim.hpp"

namespace fairlead::shim {

void say(const char* format, ...) {
    // One write, so that the lines of many ranks stay whole.
    char line[1024] = "fairlead: ";
    const std::size_t prefix = std::strlen(line);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    std::strcat(line, "\n");
    std::fputs(line, stderr);
}

namespace {

pthread_once_t once = PTHREAD_ONCE_INIT;
std::atomic<bool> finding{false};
void* next[kFunctions];

[[noreturn]] void not_there() {
    say("the program called a function that its MPI library does not have; without fairlead it would not have started");
    std::abort();
}

// What comes after the shim: another tool's wrapper, or the MPI library, which this library does not depend on and may
// have been opened for one caller only.
void find_next(const Object& mpi) {
    for (std::size_t function = 0; function < kFunctions; ++function) {
        void* const own = mpi.symbol(kFunctionNames[function]);
        void* const other = own != nullptr ? dlsym(RTLD_NEXT, kFunctionNames[function]) : nullptr;
        next[function] = other != nullptr ? other : own;
    }
}

const char* binary_interface(const Object& mpi) {
    if (std::strncmp(mpi.soname(), "libmpi_abi.so.1", 15) == 0) {
        return "standard";
    }
    if (mpi.symbol("ompi_mpi_comm_world") != nullptr) {
        return "openmpi";
    }
    const bool mpich =
        std::strncmp(mpi.soname(), "libmpi.so.12", 12) == 0 || std::strncmp(mpi.soname(), "libmpich.so.12", 14) == 0;
    return mpich ? "mpich" : nullptr;
}

// How many ends of messages the user wants to be kept one by one. A value that is no number is none, and is told.
std::size_t most_messages() {
    const char* const value = std::getenv(kMessagesVariable);
    if (value == nullptr) {
        return 0;
    }
    char* end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || errno != 0) {
        say("%s=%s is not a number: no messages are kept one by one", kMessagesVariable, value);
        return 0;
    }
    return number;
}

// What calls of the program, and of the MPI library's Fortran bindings, shall go to. Null: there are no wrappers, which
// was said.
struct Wrappers {
    void* const* c = nullptr;
    void* const* fortran = nullptr;
};

Wrappers wrappers(const Object& mpi, const char* directory, const char* rings) {
    const char* const abi = binary_interface(mpi);
    if (abi == nullptr) {
        say("there is no build of libfairlead for the MPI library %s (%s), only for libmpi.so.40, libmpi.so.12 and "
            "libmpi_abi.so.1: the program runs without a profile",
            mpi.path, mpi.soname());
        return {};
    }
    // The wrappers are bound to the libmpi by name, so it must be visible for more than who opened it.
    Dl_info info{};
    if (dlopen(mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr || dladdr(fairlead_entries, &info) == 0) {
        say("%s cannot be used: %s; the program runs without a profile", mpi.path, dlerror());
        return {};
    }
    const char* const slash = std::strrchr(info.dli_fname, '/');
    const int length = slash != nullptr ? static_cast<int>(slash - info.dli_fname) : 1;
    char path[4096];
    std::snprintf(path, sizeof path, "%.*s/libfairlead-%s.so", length, slash != nullptr ? info.dli_fname : ".", abi);
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* const start = library != nullptr ? dlsym(library, kStartSymbol) : nullptr;
    void* const fortran = library != nullptr ? dlsym(library, kFromFortranSymbol) : nullptr;
    if (start == nullptr || fortran == nullptr) {
        say("%s; the program runs without a profile", dlerror());
        return {};
    }
    return {reinterpret_cast<Start*>(start)(next, directory, most_messages(), rings),
            static_cast<void* const*>(fortran)};
}

void find_targets() {
    finding = true;
    const Object mpi = mapped_mpi();
    if (mpi) {
        find_next(mpi);
    }
    const char* const directory = std::getenv(kDirectoryVariable);
    const char* const rings = std::getenv(kRingsVariable);
    const bool relays = std::getenv(kChaosVariable) != nullptr || std::getenv(kRelayVariable) != nullptr;
    const bool wanted = directory != nullptr || rings != nullptr || relays;
    const Wrappers wrapped = mpi && wanted ? wrappers(mpi, directory, rings) : Wrappers{};
    for (std::size_t function = 0; function < kFunctions; ++function) {
        void* const missing = reinterpret_cast<void*>(&not_there);
        void* const target = wrapped.c != nullptr ? wrapped.c[function] : next[function];
        __atomic_store_n(&fairlead_targets[function], next[function] != nullptr ? target : missing, __ATOMIC_RELEASE);
    }
    if (wrapped.fortran != nullptr) {
        lead_fortran(wrapped.fortran);
    }
    finding = false;
}

}  // namespace

bool finding_targets() {
    return finding;
}

extern "C" void* fairlead_target_of(std::size_t function) {
    pthread_once(&once, find_targets);
    return fairlead_targets[function];
}

}  // namespace fairlead::shim
