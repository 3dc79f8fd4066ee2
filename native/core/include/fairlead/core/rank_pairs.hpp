// SPDX-License-Identifier: Apache-2.0
// What goes from rank to rank: messages and bytes of all pairs, and of each the time of transmission t_t and of
// processing t_p (DMCBM 3.4.4). t_t: what the receiver's calls waited for a message after it had been sent. t_p: what
// the receiver's thread did outside of such calls, up to the one that this message ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// Messages from one rank to one of this host, over some time.
struct RankPairTimes {
    HostId source = kNoHost;
    std::uint32_t source_rank = 0;
    std::uint32_t rank = 0;
    std::uint64_t messages = 0;
    std::uint64_t size_B = 0;     ///< of all of them
    double waited_s = 0.0;        ///< by calls that a message of this pair ended
    double known_s = 0.0;         ///< of that, by those that were joined
    double transmission_s = 0.0;  ///< t_t, of what is known
    double processing_s = 0.0;    ///< t_p
};

class RankPairs {
  public:
    /// More pairs are not kept at a time: a ring may be any program's.
    static constexpr std::size_t kMost = 65536;

    /// To be added to; where there are too many, to what is forgotten.
    RankPairTimes& at(HostId source, std::uint32_t source_rank, std::uint32_t rank);

    /// So many at most, those with most bytes first; the others go on being added to.
    std::vector<RankPairTimes> take(std::size_t most);

  private:
    std::unordered_map<std::uint64_t, RankPairTimes> pairs_;
    RankPairTimes forgotten_;
};

}  // namespace fairlead::core
