// SPDX-License-Identifier: Apache-2.0
#include "process/privileges.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "process/system_error.hpp"

namespace fairlead::agent {

void drop_privileges() {
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
    checked(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "PR_CAP_AMBIENT_CLEAR_ALL");
    // The system call itself: it is all that libcap would be needed for.
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    checked(syscall(SYS_capset, &header, none.data()), "capset");
}

}  // namespace fairlead::agent
