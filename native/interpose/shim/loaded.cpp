// SPDX-License-Identifier: Apache-2.0
#include "shim/loaded.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace fairlead::shim {

namespace {

// What the dynamic section of an object says of its symbols.
struct Tables {
    const ElfW(Sym) * symbols = nullptr;
    const char* strings = nullptr;
    const std::uint32_t* gnu_hash = nullptr;
    const std::uint32_t* hash = nullptr;
    const char* soname = "";
};

Tables tables_of(const Object& object) {
    Tables tables;
    ElfW(Xword) soname_at = 0;
    const auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic);
    for (; entry->d_tag != DT_NULL; ++entry) {
        const void* const address = object.at(entry->d_un.d_ptr);
        switch (entry->d_tag) {
            case DT_SYMTAB:
                tables.symbols = static_cast<const ElfW(Sym)*>(address);
                break;
            case DT_STRTAB:
                tables.strings = static_cast<const char*>(address);
                break;
            case DT_GNU_HASH:
                tables.gnu_hash = static_cast<const std::uint32_t*>(address);
                break;
            case DT_HASH:
                tables.hash = static_cast<const std::uint32_t*>(address);
                break;
            case DT_SONAME:
                soname_at = entry->d_un.d_val;
                break;
            default:
                break;
        }
    }
    if (soname_at != 0 && tables.strings != nullptr) {
        tables.soname = tables.strings + soname_at;
    }
    return tables;
}

bool defines(const Tables& tables, std::uint32_t index, const char* name) {
    const ElfW(Sym)& symbol = tables.symbols[index];
    return symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
           std::strcmp(tables.strings + symbol.st_name, name) == 0;
}

// Index of a symbol by the GNU hash table: bloom filter, then buckets of runs whose last hash is odd. 0: not there.
std::uint32_t by_gnu_hash(const Tables& tables, const char* name) {
    std::uint32_t hash = 5381;
    for (const char* c = name; *c != '\0'; ++c) {
        hash = hash * 33 + static_cast<unsigned char>(*c);
    }
    const std::uint32_t* head = tables.gnu_hash;
    const std::uint32_t buckets = head[0], first = head[1], bloom_words = head[2], shift = head[3];
    const auto* bloom = reinterpret_cast<const ElfW(Addr)*>(head + 4);
    constexpr std::uint32_t kBits = 8 * sizeof(ElfW(Addr));
    const ElfW(Addr) word = bloom[hash / kBits % bloom_words];
    if ((word >> (hash % kBits) & word >> (hash >> shift) % kBits & 1) == 0) {
        return 0;
    }
    const auto* bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
    const std::uint32_t* chain = bucket + buckets;
    std::uint32_t index = bucket[hash % buckets];
    if (index < first) {
        return 0;
    }
    for (;; ++index) {
        const std::uint32_t other = chain[index - first];
        if ((other | 1) == (hash | 1) && defines(tables, index, name)) {
            return index;
        }
        if ((other & 1) != 0) {
            return 0;
        }
    }
}

// As `by_gnu_hash`, for objects that have only the table of the System V ABI.
std::uint32_t by_hash(const Tables& tables, const char* name) {
    const std::uint32_t symbols = tables.hash[1];
    for (std::uint32_t index = 1; index < symbols; ++index) {
        if (defines(tables, index, name)) {
            return index;
        }
    }
    return 0;
}

}  // namespace

void* Object::symbol(const char* name) const {
    const Tables tables = tables_of(*this);
    if (tables.symbols == nullptr || tables.strings == nullptr) {
        return nullptr;
    }
    const std::uint32_t index = tables.gnu_hash != nullptr ? by_gnu_hash(tables, name)
                                : tables.hash != nullptr   ? by_hash(tables, name)
                                                           : 0;
    return index == 0 ? nullptr : reinterpret_cast<void*>(base + tables.symbols[index].st_value);
}

const char* Object::soname() const {
    return tables_of(*this).soname;
}

Object object_of(const dl_phdr_info& info) {
    Object object{.path = info.dlpi_name, .base = info.dlpi_addr};
    for (unsigned index = 0; index < info.dlpi_phnum; ++index) {
        const ElfW(Phdr)& header = info.dlpi_phdr[index];
        if (header.p_type == PT_DYNAMIC) {
            object.dynamic = reinterpret_cast<const void*>(info.dlpi_addr + header.p_vaddr);
        } else if (header.p_type == PT_GNU_RELRO) {
            object.relro = info.dlpi_addr + header.p_vaddr;
            object.relro_B = header.p_memsz;
        }
    }
    return object;
}

Object mapped_mpi() {
    Object found;
    find_object([&found](const Object& object) {
        if (object.dynamic == nullptr || object.symbol("PMPI_Init_thread") == nullptr) {
            return false;
        }
        found = object;
        return true;
    });
    return found;
}

}  // namespace fairlead::shim
