// SPDX-License-Identifier: Apache-2.0
#include "protocol/low_ports.hpp"

#include <fstream>

#include "protocol/protocol.hpp"

namespace fairlead::guardian {

LowPorts low_ports(const std::string& setting) {
    std::ifstream file(setting);
    int first = 0;
    if (!(file >> first)) return {LowPorts::For::not_known};
    if (first > kLastSourcePort) return {LowPorts::For::root};
    return {LowPorts::For::everybody, first};
}

}  // namespace fairlead::guardian
