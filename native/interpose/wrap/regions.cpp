// SPDX-License-Identifier: Apache-2.0
#include "wrap/regions.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "boundary.hpp"
#include "record/regions.hpp"
#include "wrap/fortran.hpp"

namespace fairlead {

namespace {

bool are_wanted() {
    static const bool wanted = std::getenv(kRegionsVariable) != nullptr;
    return wanted;
}

record::Regions& regions_of(record::Thread& thread) {
    thread_local std::unique_ptr<record::Regions> regions;
    if (regions == nullptr || !regions->are_of(thread)) {  // the latter after a fork
        regions = std::make_unique<record::Regions>(thread);
    }
    return *regions;
}

// The system copies: where a program gave no name after all, the address is anything.
std::string copied(const char* name) {
    std::array<char, record::kName_B> text{};
    const auto page_B = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(name);
    const std::size_t in_page_B = std::min<std::uintptr_t>(text.size() - 1, page_B - address % page_B);
    const iovec into{text.data(), text.size() - 1};
    const std::array<iovec, 2> from{iovec{const_cast<char*>(name), in_page_B},
                                    iovec{const_cast<char*>(name) + in_page_B, text.size() - 1 - in_page_B}};
    process_vm_readv(getpid(), &into, 1, from.data(), from.size(), 0);
    return text.data();
}

bool is_name(const std::string& text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7f; });
}

void say_once(const char* what, const std::string& name) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true)) {
        std::fprintf(stderr, "fairlead: MPI_Pcontrol %s%s: ignored\n", what, name.c_str());
    }
}

// The name that a call gives at this level; empty: none.
std::string name_at(int wanted_level, const Call& call, int level, const char* name, const void* caller) {
    if (level != wanted_level || !call.outermost() || !are_wanted() || is_binding_of(call.function(), caller)) {
        return {};
    }
    std::string text = copied(name);
    if (!is_name(text)) {
        say_once("without a name", "");
        return {};
    }
    return text;
}

}  // namespace

void begin_region(Call& call, int level, const char* name, const void* caller) {
    if (const std::string text = name_at(1, call, level, name, caller); !text.empty()) {
        regions_of(call.thread()).enter(text, call.end_ticks());
    }
}

void end_region(Call& call, int level, const char* name, const void* caller) {
    const std::string text = name_at(-1, call, level, name, caller);
    if (!text.empty() && !regions_of(call.thread()).leave(text, call.begin_ticks())) {
        say_once("ends a region that was not begun: ", text);
    }
}

void end_regions(Call& call) {
    if (are_wanted() && call.outermost()) {
        regions_of(call.thread()).leave_all(call.begin_ticks());
    }
}

}  // namespace fairlead
