// SPDX-License-Identifier: Apache-2.0
// Which MPI library is mapped into this process, however it came there.
//
// dlsym(3) sees only what was loaded for everyone, and opens or locks things that must be left alone while the dynamic
// linker works; therefore the tables of the mapped objects are read here.
#pragma once

namespace fairlead::shim {

// A mapped shared object. Valid as long as it is mapped.
struct Object {
    const char* path = nullptr;  // null: there is none
    unsigned long base = 0;
    const void* dynamic = nullptr;  // its dynamic section

    explicit operator bool() const { return path != nullptr; }
    void* symbol(const char* name) const;  // address of a function or variable that it defines, or null
    const char* soname() const;            // or ""
};

// The first mapped object that defines PMPI_Init_thread.
Object mapped_mpi();

}  // namespace fairlead::shim
