// SPDX-License-Identifier: Apache-2.0
#include "record/call_sites.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fairlead::record {

namespace {

constexpr std::size_t kBlock_B = 4 * kPage_B;  // 31 places

void set_object(CallSite& site, std::string_view path) {
    const std::size_t most = site.object.size() - 1;
    path.remove_prefix(path.size() > most ? path.size() - most : 0);
    std::memcpy(site.object.data(), path.data(), path.size());
}

}  // namespace

CallSite& CallSites::site(std::uint16_t function, std::uintptr_t address) {
    // One place may call several functions, by a pointer. Addresses have 48 bits at most.
    CallSite*& known = sites_[address | static_cast<std::uint64_t>(function) << 48];
    if (known == nullptr) {
        known = make(function, address);
    }
    return *known;
}

CallSite* CallSites::make(std::uint16_t function, std::uintptr_t address) {
    if (next_ == end_) {
        auto* const block = thread_->add_block(Kind::call_sites, kBlock_B);
        next_ = reinterpret_cast<CallSite*>(block + 1);
        end_ = next_ + (kBlock_B - sizeof(Block)) / sizeof(CallSite);
    }
    CallSite* const site = next_++;
    site->function = function;
    site->offset = address;
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) {
        return site;  // code that was made while the program ran
    }
    site->offset = address - map->l_addr;
    std::array<char, 4096> program{};
    if (map->l_name == nullptr || *map->l_name == '\0') {
        const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
        set_object(*site, {program.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))});
    } else {
        set_object(*site, map->l_name);
    }
    return site;
}

}  // namespace fairlead::record
