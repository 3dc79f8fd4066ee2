// SPDX-License-Identifier: Apache-2.0
// Leaves this library out of the programs that a rank starts.
//
// They inherit LD_PRELOAD, and are not always of this host's kind: a helper of another word length says on stderr that
// it cannot load the library, and one in a container with an older C library does not start. Nothing is gained there.
// A process that is started with an MPI library is a rank; any other one may be on its way to become one, as a script
// or a launcher, and keeps it for that. So does a rank that is to have a relay or a record: all that it becomes needs
// these.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "boundary.hpp"
#include "shim/loaded.hpp"
#include "shim/shim.hpp"

namespace fairlead::shim {

namespace {

constexpr const char* kPreloadVariable = "LD_PRELOAD";
constexpr const char* kSeparators = ": ";  // ld.so(8)

bool writes_rings_only() {
    return std::getenv(kRingsVariable) != nullptr && std::getenv(kDirectoryVariable) == nullptr &&
           std::getenv(kRelayVariable) == nullptr && std::getenv(kChaosVariable) == nullptr;
}

// Copies the names of all other libraries.
void copy_others(const char* from, const char* own, char* to) {
    const std::size_t own_length = std::strlen(own);
    char* end = to;
    while (*(from += std::strspn(from, kSeparators)) != '\0') {
        const std::size_t length = std::strcspn(from, kSeparators);
        if (length != own_length || std::strncmp(from, own, length) != 0) {
            if (end != to) {
                *end++ = ':';
            }
            std::memcpy(end, from, length);
            end += length;
        }
        from += length;
    }
    *end = '\0';
}

// When this library is loaded there is one thread, and the program has not looked at its environment yet.
[[gnu::constructor]] void leave_children_alone() {
    const char* const preloaded = std::getenv(kPreloadVariable);
    Dl_info own{};
    if (preloaded == nullptr || !writes_rings_only() || !mapped_mpi() || dladdr(fairlead_entries, &own) == 0) {
        return;
    }
    char* const others = static_cast<char*>(std::malloc(std::strlen(preloaded) + 1));
    if (others == nullptr) {
        return;
    }
    copy_others(preloaded, own.dli_fname, others);
    if (*others != '\0') {
        setenv(kPreloadVariable, others, 1);
    } else {
        unsetenv(kPreloadVariable);
    }
    std::free(others);
}

}  // namespace

}  // namespace fairlead::shim
