// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fairlead::record {

/// Files tried for one process id: containers with one host name may share a directory.
constexpr int kMostNames = 1000;

}  // namespace fairlead::record
