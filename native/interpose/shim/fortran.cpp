// SPDX-License-Identifier: Apache-2.0
// Fortran's calls of MPI are seen where its bindings call C.
//
// The bindings (libmpi_mpifh and libmpi_usempif08 of Open MPI, libmpifort of MPICH) convert the arguments and call the
// C function: MPICH's mpif.h and choice buffers by its own name, which the preloaded library offers; all others by that
// of the profiling interface, past it. For these, the wrapper's address is put where the bindings keep the function's,
// a slot of their global offset table. So handles, logicals, strings, array descriptors, optional arguments and
// constants such as MPI_IN_PLACE stay the bindings' affair, and nothing is added to a call from C.
#include "shim/fortran.hpp"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>

#include "boundary.hpp"
#include "generated/functions.hpp"
#include "shim/loaded.hpp"
#include "shim/processor.hpp"
#include "shim/shim.hpp"

namespace fairlead::shim {

namespace {

// Tools of the profiling interface that have Fortran functions define no pmpi_: what they call is their affair.
bool is_fortran_binding(const Object& object) {
    return object.dynamic != nullptr &&
           (object.symbol("pmpi_init_") != nullptr || object.symbol("pmpi_init_f08_") != nullptr) &&
           object.symbol("PMPI_Init_thread") == nullptr;
}

constexpr bool in_order() {
    return std::is_sorted(std::begin(kFunctionNames), std::end(kFunctionNames),
                          [](std::string_view one, std::string_view other) { return one < other; });
}
static_assert(in_order(), "they are searched by halving");

// Where calls of the function that `symbol` names shall go; null: they stay as they are.
void* target_of(const char* symbol, void* const* targets) {
    const bool past = *symbol == 'P';  // PMPI_Send: past the preloaded library
    const char* const name = past ? symbol + 1 : symbol;
    const auto* const found =
        std::lower_bound(std::begin(kFunctionNames), std::end(kFunctionNames), name,
                         [](const char* one, const char* other) { return std::strcmp(one, other) < 0; });
    if (found == std::end(kFunctionNames) || std::strcmp(*found, name) != 0) {
        return nullptr;
    }
    // Calls by the function's own name come to the preloaded library anyway; but some are not the program's.
    const auto function = static_cast<std::size_t>(found - std::begin(kFunctionNames));
    return past || targets[function] != fairlead_targets[function] ? targets[function] : nullptr;
}

// The relocations of an object that ask for addresses of functions.
struct Relocations {
    const ElfW(Sym) * symbols = nullptr;
    const char* strings = nullptr;
    const ElfW(Rela) * tables[2] = {};  // of the procedure linkage table, and the others
    std::size_t sizes_B[2] = {};
};

Relocations relocations_of(const Object& object) {
    Relocations found;
    for (const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry->d_tag != DT_NULL; ++entry) {
        const void* const address = object.at(entry->d_un.d_ptr);
        switch (entry->d_tag) {
            case DT_SYMTAB:
                found.symbols = static_cast<const ElfW(Sym)*>(address);
                break;
            case DT_STRTAB:
                found.strings = static_cast<const char*>(address);
                break;
            case DT_JMPREL:
                found.tables[0] = static_cast<const ElfW(Rela)*>(address);
                break;
            case DT_PLTRELSZ:
                found.sizes_B[0] = entry->d_un.d_val;
                break;
            case DT_RELA:
                found.tables[1] = static_cast<const ElfW(Rela)*>(address);
                break;
            case DT_RELASZ:
                found.sizes_B[1] = entry->d_un.d_val;
                break;
            default:
                break;
        }
    }
    return found;
}

// What the dynamic linker made read-only, which are whole pages.
bool protect(const Object& object, int protection) {
    const auto page_B = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = object.relro / page_B * page_B;
    const std::uintptr_t end = (object.relro + object.relro_B) / page_B * page_B;
    return begin >= end || mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
}

void lead(const Object& object, void* const* targets) {
    if (!protect(object, PROT_READ | PROT_WRITE)) {
        say("%s cannot be changed: calls from Fortran are not recorded", object.path);
        return;
    }
    const Relocations relocations = relocations_of(object);
    for (const int table : {0, 1}) {
        const ElfW(Rela)* const first = relocations.tables[table];
        for (const ElfW(Rela) & each : std::span(first, relocations.sizes_B[table] / sizeof *first)) {
            const auto type = ELF64_R_TYPE(each.r_info);
            const ElfW(Sym)& symbol = relocations.symbols[ELF64_R_SYM(each.r_info)];
            void* const target = type == kJumpSlot || type == kGlobalData
                                     ? target_of(relocations.strings + symbol.st_name, targets)
                                     : nullptr;
            if (target != nullptr) {
                __atomic_store_n(reinterpret_cast<void**>(object.base + each.r_offset), target, __ATOMIC_RELEASE);
            }
        }
    }
    protect(object, PROT_READ);
}

// Leads the calls of all bindings that are mapped; whether there are any.
bool lead_all(void* const* targets) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // what one writes, another must not make read-only
    bool found = false;
    pthread_mutex_lock(&mutex);
    find_object([&found, targets](const Object& object) {
        if (is_fortran_binding(object)) {
            found = true;
            if (targets != nullptr) {
                lead(object, targets);
            }
        }
        return false;
    });
    pthread_mutex_unlock(&mutex);
    return found;
}

// How many objects were mapped so far.
unsigned long long mapped_objects() {
    unsigned long long number = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* result) {
            *static_cast<unsigned long long*>(result) = info->dlpi_adds;
            return 1;
        },
        &number);
    return number;
}

std::atomic<void* const*> known_targets{nullptr};

// As the process began: its first call of MPI may change its environment.
bool wanted = false;

// Before the program's first call, which from Fortran would pass by.
[[gnu::constructor]] void start_with_fortran() {
    wanted = std::getenv(kDirectoryVariable) != nullptr || std::getenv(kRingsVariable) != nullptr ||
             std::getenv(kChaosVariable) != nullptr || std::getenv(kRelayVariable) != nullptr;
    follow_fortran();
}

}  // namespace

void lead_fortran(void* const* targets) {
    known_targets = targets;
    lead_all(targets);
}

void follow_fortran() {
    static std::atomic<unsigned long long> seen{0};
    if (!wanted || finding_targets()) {
        return;
    }
    const unsigned long long mapped = mapped_objects();
    if (seen.exchange(mapped) != mapped && lead_all(known_targets) && known_targets == nullptr) {
        fairlead_target_of(0);
    }
}

}  // namespace fairlead::shim
