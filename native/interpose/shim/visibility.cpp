// SPDX-License-Identifier: Apache-2.0
// Lets the process see only those MPI functions that its MPI library has.
//
// A preloaded library is searched before every other, so all its symbols are found, also those of functions that the
// libmpi does not have. Programs that ask (mpi4py has weak references to every newer function, others call dlsym) would
// take them for real. No file can know which libmpi will be opened; but a symbol of type GNU_IFUNC has no fixed
// address: the dynamic linker calls its resolver at each binding, when the libmpi is mapped already, and null means
// undefined. The linker cannot be told to make such symbols in the file, for their resolvers would run before this
// library is relocated. Therefore they become so here, in memory, when it is: what was bound before belongs to a
// program that was linked with its libmpi, and asked for functions that this has.
//
// For dlsym(3), null from a resolver is a success without a message, on which callers fall; it is answered here.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "generated/functions.hpp"
#include "shim/fortran.hpp"
#include "shim/loaded.hpp"
#include "shim/processor.hpp"
#include "shim/shim.hpp"

namespace fairlead::shim {

namespace {

// This library's own symbols; it is linked with a table of the System V ABI, which tells their number.
struct Symbols {
    ElfW(Sym) * first = nullptr;
    std::size_t count = 0;
    std::uintptr_t entries = 0;  // where the entries begin, as symbols tell it

    // Index of the function whose entry a symbol is; kFunctions if it is none.
    std::size_t function_of(const ElfW(Sym) & symbol) const {
        const std::uintptr_t at = symbol.st_value - entries;
        return symbol.st_shndx != SHN_UNDEF && at / kEntry_B < kFunctions ? at / kEntry_B : kFunctions;
    }
    bool protect(int protection) const {
        const auto page_B = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(first) / page_B * page_B;
        const auto end = reinterpret_cast<std::uintptr_t>(first + count);
        return mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
    }
};

Symbols own_symbols() {
    Dl_info info{};
    link_map* own = nullptr;
    Symbols symbols;
    if (dladdr1(fairlead_entries, &info, reinterpret_cast<void**>(&own), RTLD_DL_LINKMAP) == 0) {
        return symbols;
    }
    for (const ElfW(Dyn)* entry = own->l_ld; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_SYMTAB) {
            symbols.first = reinterpret_cast<ElfW(Sym)*>(entry->d_un.d_ptr);
        } else if (entry->d_tag == DT_HASH) {
            symbols.count = reinterpret_cast<const std::uint32_t*>(entry->d_un.d_ptr)[1];
        }
    }
    symbols.entries = reinterpret_cast<std::uintptr_t>(fairlead_entries) - own->l_addr;
    return symbols;
}

[[gnu::constructor]] void make_indirect() {
    const Symbols symbols = own_symbols();
    if (symbols.first == nullptr || !symbols.protect(PROT_READ | PROT_WRITE)) {
        say("functions that the MPI library does not have cannot be hidden from the program");
        return;
    }
    for (std::size_t index = 0; index < symbols.count; ++index) {
        ElfW(Sym)& symbol = symbols.first[index];
        if (symbols.function_of(symbol) < kFunctions) {
            symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(ELF64_ST_BIND(symbol.st_info), STT_GNU_IFUNC));
            symbol.st_value += kResolverAt_B;
        }
    }
    symbols.protect(PROT_READ);
}

using Dlsym = void*(void*, const char*);

Dlsym* system_dlsym() {
    static Dlsym* found = nullptr;  // threads that come at once find the same
    if (found == nullptr) {
        found = reinterpret_cast<Dlsym*>(dlvsym(RTLD_NEXT, "dlsym", kFirstGlibc));
    }
    return found;
}

// Asks the system while the function's symbol here is undefined, so that the answer and dlerror(3) are what they would
// be without this library.
void* dlsym_without(void* handle, const char* name) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const Symbols symbols = own_symbols();
    pthread_mutex_lock(&mutex);
    ElfW(Sym)* found = nullptr;
    for (std::size_t index = 0; index < symbols.count && found == nullptr; ++index) {
        const std::size_t function = symbols.function_of(symbols.first[index]);
        found =
            function < kFunctions && std::strcmp(kFunctionNames[function], name) == 0 ? &symbols.first[index] : found;
    }
    const ElfW(Section) section = found != nullptr ? found->st_shndx : ElfW(Section){SHN_UNDEF};
    const bool hidden = found != nullptr && symbols.protect(PROT_READ | PROT_WRITE);
    const ElfW(Addr) value = hidden ? found->st_value : 0;
    if (hidden) {
        found->st_shndx = SHN_UNDEF;
        found->st_value = 0;
    }
    void* const answer = system_dlsym()(handle, name);
    if (hidden) {
        found->st_value = value;
        found->st_shndx = section;
        symbols.protect(PROT_READ);
    }
    pthread_mutex_unlock(&mutex);
    return answer;
}

}  // namespace

// What every resolver answers: the function's entry if the mapped libmpi has the function.
extern "C" void* fairlead_resolve(std::size_t function) {
    const Object mpi = mapped_mpi();
    return mpi && mpi.symbol(kFunctionNames[function]) != nullptr ? fairlead_entries + function * kEntry_B : nullptr;
}

// Which function answers a dlsym for `name`: the system's, unless it is for an MPI function that is not to be seen.
extern "C" void* fairlead_dlsym_for(const char* name) {
    follow_fortran();
    if (std::strncmp(name, "MPI", 3) == 0) {
        for (std::size_t function = 0; function < kFunctions; ++function) {
            if (std::strcmp(kFunctionNames[function], name) == 0 && fairlead_resolve(function) == nullptr) {
                return reinterpret_cast<void*>(&dlsym_without);
            }
        }
    }
    return reinterpret_cast<void*>(system_dlsym());
}

}  // namespace fairlead::shim
