// SPDX-License-Identifier: Apache-2.0
#include "wrap/call_sites.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "boundary.hpp"
#include "record/call_sites.hpp"

namespace fairlead {

const bool call_sites = std::getenv(kCallSitesVariable) != nullptr;

namespace {

struct ThreadSites {
    explicit ThreadSites(record::Thread& thread) : sites(thread) {}

    record::CallSites sites;
    std::unordered_map<std::uintptr_t, bool> between;  // by address: whether it is between the program and MPI
};

ThreadSites& sites_of(record::Thread& thread) {
    thread_local std::unique_ptr<ThreadSites> sites;
    if (sites == nullptr || !sites->sites.are_of(thread)) {  // the latter after a fork
        sites = std::make_unique<ThreadSites>(thread);
    }
    return *sites;
}

bool is_binding(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    for (const char* each : {"libmpi_mpifh.so", "libmpi_usempi", "libmpifort.so", "libmpichfort.so"}) {
        if (std::strncmp(name, each, std::strlen(each)) == 0) {
            return true;
        }
    }
    return false;
}

bool is_between(ThreadSites& sites, std::uintptr_t address) {
    const auto [found, is_new] = sites.between.try_emplace(address, false);
    if (is_new) {
        static const void* const own = [] {
            Dl_info info{};
            return dladdr(reinterpret_cast<const void*>(&is_binding), &info) != 0 ? info.dli_fbase : nullptr;
        }();
        Dl_info info{};
        found->second = dladdr(reinterpret_cast<const void*>(address), &info) != 0 &&
                        (info.dli_fbase == own || is_binding(info.dli_fname));
    }
    return found->second;
}

struct Walk {
    ThreadSites& sites;
    std::uintptr_t found;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* walk) {
    auto& [sites, found] = *static_cast<Walk*>(walk);
    found = _Unwind_GetIP(context);
    return is_between(sites, found) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void count_at_site(record::Thread& thread, Function function, const void* caller, std::uint64_t ticks,
                   std::uint64_t sent_B) {
    ThreadSites& sites = sites_of(thread);
    auto address = reinterpret_cast<std::uintptr_t>(caller);
    if (is_between(sites, address)) {
        Walk walk{sites, address};
        _Unwind_Backtrace(look, &walk);
        address = walk.found;
    }
    record::CallSite& site = sites.sites.site(static_cast<std::uint16_t>(function), address);
    ++site.calls;
    site.ticks += ticks;
    site.sent_B += sent_B;
}

}  // namespace fairlead
