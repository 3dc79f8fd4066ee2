// SPDX-License-Identifier: Apache-2.0
// Sharing relations of small networks.
#pragma once

#include "fairlead/core/sharing.hpp"

namespace fairlead::core {

/// Two leafs' hosts 0,1 | 2,3 and two more leafs with one host each, 4 | 5: cross traffic shares the link of its leafs.
inline SharingRelation mesh() {
    SharingRelation sharing(6);
    const auto leaf = [](HostId h) { return h < 4 ? h / 2 : h - 2; };
    for (HostId a = 0; a < 6; ++a)
        for (HostId b = 0; b < 6; ++b)
            for (HostId c = 0; c < 6; ++c)
                for (HostId d = 0; d < 6; ++d) {
                    const bool cross = a != b && c != d && leaf(a) != leaf(b);
                    if (cross && leaf(a) == leaf(c) && leaf(b) == leaf(d)) sharing.set_hurts({a, b}, {c, d});
                }
    return sharing;
}

inline SharingRelation star(HostId hosts) {
    SharingRelation sharing(hosts);
    for (HostId a = 0; a < hosts; ++a)
        for (HostId b = 0; b < hosts; ++b)
            for (HostId c = 0; c < hosts; ++c)
                for (HostId d = 0; d < hosts; ++d)
                    if (a != b && c != d && (a == c || b == d)) sharing.set_hurts({a, b}, {c, d});
    return sharing;
}

}  // namespace fairlead::core
