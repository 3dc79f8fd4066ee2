// SPDX-License-Identifier: Apache-2.0
// Lets the process see only those MPI functions that its MPI library has.
//
// A preloaded library is searched before every other, so all its symbols are found, also those of functions that the
// libmpi does not have. Programs that ask (mpi4py has weak references to every newer function, others call dlsym) would
// take them for real. No file can know which libmpi will be opened; but a symbol of type GNU_IFUNC has no fixed
// address: the dynamic linker calls its resolver at each binding, when the libmpi is mapped already, and null means
// undefined. The linker cannot be told to make such symbols in the file, for their resolvers would run before this
// library is relocated. Therefore they become so here, in memory, when it is: what was bound before belongs to a program
// that was linked with its libmpi, and asked for functions that this has.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "generated/functions.hpp"
#include "shim/loaded.hpp"
#include "shim/shim.hpp"

namespace fairlead::shim {

namespace {

struct Symbols {
    ElfW(Sym) * first = nullptr;
    std::size_t count = 0;
};

// This library's own; it is linked with a table of the System V ABI, which tells their number.
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
    return symbols;
}

bool set_protection(const Symbols& symbols, int protection) {
    const auto page_B = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(symbols.first) / page_B * page_B;
    const auto end = reinterpret_cast<std::uintptr_t>(symbols.first + symbols.count);
    return mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
}

[[gnu::constructor]] void make_indirect() {
    const Symbols symbols = own_symbols();
    if (symbols.first == nullptr || !set_protection(symbols, PROT_READ | PROT_WRITE)) {
        say("functions that the MPI library does not have cannot be hidden from the program");
        return;
    }
    Dl_info info{};
    dladdr(fairlead_entries, &info);
    const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(fairlead_entries) - base;
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(fairlead_entries_end) - base;
    for (std::size_t index = 0; index < symbols.count; ++index) {
        ElfW(Sym)& symbol = symbols.first[index];
        if (symbol.st_shndx != SHN_UNDEF && symbol.st_value >= begin && symbol.st_value < end) {
            symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(ELF64_ST_BIND(symbol.st_info), STT_GNU_IFUNC));
            symbol.st_value += RESOLVER_AT_B;
        }
    }
    set_protection(symbols, PROT_READ);
}

}  // namespace

// What every resolver answers: the function's entry if the mapped libmpi has the function.
extern "C" void* fairlead_resolve(unsigned function) {
    const Object mpi = mapped_mpi();
    return mpi && mpi.symbol(FUNCTION_NAMES[function]) != nullptr ? fairlead_entries + function * ENTRY_B : nullptr;
}

}  // namespace fairlead::shim
