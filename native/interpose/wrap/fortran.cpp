// SPDX-License-Identifier: Apache-2.0
#include "wrap/fortran.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>

namespace fairlead {

namespace {

// Whether the symbol at `caller` is a binding of the function. It has many names, of which any may be found:
// mpi_comm_size_, MPI_COMM_SIZE, ompi_comm_size_f, mpi_comm_size_f08_, pmpir_comm_size_f08_.
bool is_named_after(Function function, const void* caller) {
    Dl_info info{};
    if (dladdr(caller, &info) == 0 || info.dli_sname == nullptr) {
        return false;
    }
    std::string name = kFunctionNames[static_cast<std::size_t>(function)] + std::strlen("MPI");
    if (name.ends_with("_c")) {
        name.resize(name.size() - 2);  // the Fortran function has both
    }
    const char* const found = strcasestr(info.dli_sname, name.c_str());
    return found != nullptr && (found[name.size()] == '_' || found[name.size()] == '\0');
}

}  // namespace

bool is_binding_of(Function function, const void* caller) {
    // Asked once for each place that calls: there are a few dozen. The lowest bit is the answer.
    static std::array<std::atomic<std::uintptr_t>, 256> known{};
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    std::atomic<std::uintptr_t>& slot = known[(address ^ address >> 8) % known.size()];
    std::uintptr_t answer = slot.load(std::memory_order_relaxed);
    if (answer >> 1 != address) {
        answer = address << 1 | (is_named_after(function, caller) ? 1U : 0U);
        slot.store(answer, std::memory_order_relaxed);
    }
    return (answer & 1) != 0;
}

}  // namespace fairlead
