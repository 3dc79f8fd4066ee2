// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fairlead::guardian {

// Keeps CAP_NET_ADMIN, if the process has it, and gives up every other capability for good: also for what it might
// execute. Throws KernelError if the kernel refuses.
void keep_net_admin_only();

bool has_net_admin();

// Closes every descriptor but the three standard ones: whatever the caller leaked into us.
void close_inherited_descriptors();

}  // namespace fairlead::guardian
