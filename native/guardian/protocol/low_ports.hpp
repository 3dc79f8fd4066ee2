// SPDX-License-Identifier: Apache-2.0
// Who may have the ports that outer packets leave from. Hosts that receive such packets cannot tell: each host looks at
// its own setting.
#pragma once

#include <string>

namespace fairlead::guardian {

struct LowPorts {
    enum class For { root, everybody, not_known };
    For whom = For::not_known;
    int first = 0;  // port that ordinary users can have; of everybody only
};

constexpr const char* kLowPortsSetting = "/proc/sys/net/ipv4/ip_unprivileged_port_start";

// With `everybody`, each user of this host can put packets into what jobs reroute.
LowPorts low_ports(const std::string& setting = kLowPortsSetting);

}  // namespace fairlead::guardian
