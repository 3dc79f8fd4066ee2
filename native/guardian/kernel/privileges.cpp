// SPDX-License-Identifier: Apache-2.0
#include "kernel/privileges.hpp"

#include <linux/capability.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "kernel/netlink.hpp"

namespace fairlead::guardian {

namespace {

constexpr std::uint32_t kNetAdmin = 1u << CAP_NET_ADMIN;
using Sets = std::array<__user_cap_data_struct, 2>;

Sets capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    Sets sets{};
    if (syscall(SYS_capget, &header, sets.data()) != 0)
        throw KernelError(errno, std::string("capget: ") + std::strerror(errno));
    return sets;
}

}  // namespace

void keep_net_admin_only() {
    // The bounding set can only be lowered with CAP_SETPCAP, so before that is given up. Who lacks it (a file
    // capability) cannot gain anything by an exec either, because of no_new_privs.
    for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
        if (capability != CAP_NET_ADMIN && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM)
            throw KernelError(errno, std::string("bounding set: ") + std::strerror(errno));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
        throw KernelError(errno, std::string("no new privileges: ") + std::strerror(errno));
    Sets sets = capabilities();
    sets[0] = {sets[0].permitted & kNetAdmin, sets[0].permitted & kNetAdmin, 0};
    sets[1] = {0, 0, 0};
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    if (syscall(SYS_capset, &header, sets.data()) != 0)
        throw KernelError(errno, std::string("capset: ") + std::strerror(errno));
}

bool has_net_admin() {
    return (capabilities()[0].effective & kNetAdmin) != 0;
}

void close_inherited_descriptors() {
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0 && errno != ENOSYS)
        throw KernelError(errno, std::string("close_range: ") + std::strerror(errno));
}

}  // namespace fairlead::guardian
