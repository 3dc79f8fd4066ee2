// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace fairlead::ft {

using Complex = std::complex<double>;

enum class Direction { kForward, kInverse };  // exponent -2 pi i and +2 pi i; neither is scaled

// Where the points of several lines are: point j of line i at first + i * line_stride + j * point_stride.
struct Lines {
    std::size_t first;
    std::size_t line_stride;
    std::size_t point_stride;
};

// Discrete Fourier transforms of one length, a power of two, by Stockham's self-sorting radix-2 algorithm.
//
// kWidth lines are transformed together, out of a working array in which they lie side by side: every step then is a
// loop over neighbouring numbers, which the compiler makes vectors of, whatever the strides in memory are.
class Fft {
  public:
    static constexpr std::size_t kWidth = 8;

    explicit Fft(int length);

    // Transforms kWidth lines of `field` in place.
    void transform(Direction direction, Lines lines, std::span<Complex> field);

  private:
    struct Work {  // point j of line i at j * kWidth + i
        std::vector<double> real, imaginary;
    };

    // One step of the algorithm: from `from` to `to`; `groups` times a root, for each `run` numbers of both halves.
    void step(std::size_t groups, double sign, const Work& from, Work& to) const;

    std::size_t length_;
    std::vector<Complex> roots_;  // exp(2 pi i j / length) for half a turn
    Work work_, other_;
};

}  // namespace fairlead::ft
