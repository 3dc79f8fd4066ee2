// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace fairlead::pingpong {

// Round trips of one message size between ranks 0 and 1, in seconds, without the first `warmup` ones. Collective over
// the two; only rank 0 gets samples.
std::vector<double> round_trips(int size_B, int exchanges, int warmup);

// A bulk transfer as its receiver saw it, from the end of its first window to the end of its last.
struct Bulk {
    std::int64_t bytes = 0;  // within the duration, that is without the first window
    double duration_s = 0.0;
    std::vector<double> window_s;  // times from window to window; their sum is the duration

    double rate_bps() const { return duration_s > 0.0 ? 8.0 * static_cast<double>(bytes) / duration_s : 0.0; }
};

// Messages from rank 0 to rank 1 for `duration_s`, `window` of them under way together. Collective over the two; both
// get the receiver's view.
Bulk bulk(int size_B, int window, double duration_s);

}  // namespace fairlead::pingpong
