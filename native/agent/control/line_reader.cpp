// SPDX-License-Identifier: Apache-2.0
#include "control/line_reader.hpp"

#include <algorithm>
#include <stdexcept>

namespace fairlead::agent {

void LineReader::feed(std::span<const char> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() > kMaxLine_B && std::find(buffer_.begin(), buffer_.end(), '\n') == buffer_.end()) {
        throw std::length_error("a line from the supervisor is longer than 32 MiB");
    }
}

std::optional<WipedLine> LineReader::next() {
    const auto from = buffer_.begin() + static_cast<std::ptrdiff_t>(searched_);
    const auto end = std::find(from, buffer_.end(), '\n');
    if (end == buffer_.end()) {
        searched_ = buffer_.size();
        return std::nullopt;
    }
    WipedLine line(buffer_.begin(), end);
    WipedLine rest(end + 1, buffer_.end());  // not erase(): what moves down would leave copies behind
    buffer_.swap(rest);
    searched_ = 0;
    return line;
}

}  // namespace fairlead::agent
