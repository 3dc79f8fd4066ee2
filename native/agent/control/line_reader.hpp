// SPDX-License-Identifier: Apache-2.0
// Lines from the supervisor. The first one holds the job's secret, so the buffer is wiped wherever it is given up.
#pragma once

#include <sodium.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "generated/numbers.hpp"

namespace fairlead::agent {

/// Wipes memory before it is freed.
template <typename T>
struct WipingAllocator {
    using value_type = T;
    WipingAllocator() = default;
    template <typename U>
    explicit WipingAllocator(const WipingAllocator<U>&) {}
    T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
    void deallocate(T* p, std::size_t n) {
        sodium_memzero(p, n * sizeof(T));
        std::allocator<T>().deallocate(p, n);
    }
    bool operator==(const WipingAllocator&) const = default;
};

/// A line that may hold a secret.
using WipedLine = std::vector<char, WipingAllocator<char>>;

/// Cuts a byte stream into lines.
class LineReader {
  public:
    static constexpr std::size_t kMaxLine_B = kCommandLine_B;

    /// Takes bytes as they come. Throws std::length_error if a line gets longer than kMaxLine_B.
    void feed(std::span<const char> bytes);
    /// The next whole line, without its end.
    std::optional<WipedLine> next();

  private:
    WipedLine buffer_;
    std::size_t searched_ = 0;
};

}  // namespace fairlead::agent
