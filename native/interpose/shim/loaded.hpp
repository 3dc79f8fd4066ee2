// SPDX-License-Identifier: Apache-2.0
// Which MPI library is mapped into this process, however it came there.
//
// dlsym(3) sees only what was loaded for everyone, and opens or locks things that must be left alone while the dynamic
// linker works; therefore the tables of the mapped objects are read here.
#pragma once

#include <link.h>

#include <cstddef>

namespace fairlead::shim {

// A mapped shared object. Valid as long as it is mapped.
struct Object {
    const char* path = nullptr;  // null: there is none
    unsigned long base = 0;
    const void* dynamic = nullptr;  // its dynamic section
    unsigned long relro = 0;        // what is read-only once it is relocated: begins here,
    unsigned long relro_B = 0;      // and is so long

    explicit operator bool() const { return path != nullptr; }
    // What an entry of the dynamic section points to. The dynamic linker has made addresses of the offsets there,
    // except in objects whose section is read-only.
    const void* at(ElfW(Addr) value) const {
        return reinterpret_cast<const void*>(value < base ? value + base : value);
    }
    void* symbol(const char* name) const;  // address of a function or variable that it defines, or null
    const char* soname() const;            // or ""
};

Object object_of(const dl_phdr_info& info);

// Calls `visit` with one mapped object after the other until it returns true.
template <class Visit>
void find_object(Visit visit) {
    dl_iterate_phdr([](dl_phdr_info* info, std::size_t,
                       void* visitor) -> int { return (*static_cast<Visit*>(visitor))(object_of(*info)); },
                    &visit);
}

// The first mapped object that defines PMPI_Init_thread.
Object mapped_mpi();

}  // namespace fairlead::shim
