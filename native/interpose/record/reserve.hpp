// SPDX-License-Identifier: Apache-2.0
// Room in a file that is mapped.
#pragma once

#include <cstddef>

namespace fairlead::record {

// Reserves a part of a file on its disk, or in memory, so that touching it cannot fail later. Returns 0, or why it
// could not: EFBIG where the process may write no file of that length (setrlimit(2), RLIMIT_FSIZE).
int reserve(int fd, std::size_t begin_B, std::size_t size_B);

}  // namespace fairlead::record
