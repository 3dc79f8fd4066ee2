// SPDX-License-Identifier: Apache-2.0
// A kernel that has no room for one more descriptor to be watched, for tests.
#pragma once

namespace fairlead::agent {

/// While it lives, of all descriptors that are to be watched the one after so many others is refused.
class RefusedWatch {
  public:
    explicit RefusedWatch(int others);
    ~RefusedWatch();
    RefusedWatch(const RefusedWatch&) = delete;
    RefusedWatch& operator=(const RefusedWatch&) = delete;
};

}  // namespace fairlead::agent
