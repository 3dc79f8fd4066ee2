// SPDX-License-Identifier: Apache-2.0
#include "ft/fft.hpp"

#include <numbers>
#include <utility>

namespace fairlead::ft {

Fft::Fft(int length) : length_(static_cast<std::size_t>(length)) {
    for (std::size_t j = 0; j < length_ / 2; ++j) {
        roots_.push_back(std::polar(1.0, 2.0 * std::numbers::pi * static_cast<double>(j) / length));
    }
    for (Work* work : {&work_, &other_}) {
        work->real.resize(length_ * kWidth);
        work->imaginary.resize(length_ * kWidth);
    }
}

void Fft::step(std::size_t groups, double sign, const Work& from, Work& to) const {
    const std::size_t run = length_ / (2 * groups) * kWidth;
    const std::size_t half = length_ / 2 * kWidth;
    for (std::size_t group = 0; group < groups; ++group) {
        const Complex root = roots_[group * (length_ / (2 * groups))];
        const double cosine = root.real();
        const double sine = sign * root.imag();
        const double* real = from.real.data() + group * run;
        const double* imaginary = from.imaginary.data() + group * run;
        double* to_real = to.real.data() + 2 * group * run;
        double* to_imaginary = to.imaginary.data() + 2 * group * run;
        for (std::size_t i = 0; i < run; ++i) {
            const double real_difference = real[i] - real[half + i];
            const double imaginary_difference = imaginary[i] - imaginary[half + i];
            to_real[i] = real[i] + real[half + i];
            to_imaginary[i] = imaginary[i] + imaginary[half + i];
            to_real[run + i] = cosine * real_difference - sine * imaginary_difference;
            to_imaginary[run + i] = cosine * imaginary_difference + sine * real_difference;
        }
    }
}

void Fft::transform(Direction direction, Lines lines, std::span<Complex> field) {
    for (std::size_t j = 0; j < length_; ++j) {
        for (std::size_t i = 0; i < kWidth; ++i) {
            const Complex value = field[lines.first + i * lines.line_stride + j * lines.point_stride];
            work_.real[j * kWidth + i] = value.real();
            work_.imaginary[j * kWidth + i] = value.imag();
        }
    }
    const double sign = direction == Direction::kForward ? -1.0 : 1.0;
    for (std::size_t groups = length_ / 2; groups > 0; groups /= 2) {
        step(groups, sign, work_, other_);
        std::swap(work_, other_);
    }
    for (std::size_t j = 0; j < length_; ++j) {
        for (std::size_t i = 0; i < kWidth; ++i) {
            field[lines.first + i * lines.line_stride + j * lines.point_stride] = {work_.real[j * kWidth + i],
                                                                                   work_.imaginary[j * kWidth + i]};
        }
    }
}

}  // namespace fairlead::ft
