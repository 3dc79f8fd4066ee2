// SPDX-License-Identifier: Apache-2.0
// Frames out of their parts, of a stream on which those of several sources alternate. Pure: no sockets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "peers/sealed_records.hpp"

namespace fairlead::agent {

class FrameAssembly {
  public:
    /// The whole frame that ends with this part; nothing while parts are to come. The same part may be given again
    /// until done(). Parts whose beginning was lost, with a connection before this one, are dropped. Throws
    /// StreamError for a frame longer than frames are.
    std::optional<std::span<const std::uint8_t>> add(const Record& record);
    /// The whole frame of this source is not needed any more.
    void done(core::HostId source);

  private:
    struct Partial {
        std::vector<std::uint8_t> bytes;  ///< at most relay::wire::kMaxFrame_B
        bool whole = false;
    };
    std::map<core::HostId, Partial> partials_;  ///< by source, those that have begun
};

}  // namespace fairlead::agent
