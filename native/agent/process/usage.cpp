// SPDX-License-Identifier: Apache-2.0
#include "process/usage.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "process/clock.hpp"
#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The second number of a small file of numbers.
std::optional<std::uint64_t> second_number(int fd) {
    std::array<char, 256> text;
    const ssize_t length = pread(fd, text.data(), text.size(), 0);
    if (length <= 0) return std::nullopt;
    std::string_view view(text.data(), static_cast<std::size_t>(length));
    const std::size_t space = view.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    view.remove_prefix(space + 1);
    std::uint64_t value = 0;
    if (std::from_chars(view.begin(), view.end(), value).ec != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace

double cpu_time_s() {
    rusage usage{};
    checked(getrusage(RUSAGE_SELF, &usage), "getrusage");
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double thread_time_s() {
    return static_cast<double>(read_clock_ns(CLOCK_THREAD_CPUTIME_ID)) * 1e-9;
}

std::uint64_t resident_B() {
    // Kept open: what informs only must not fail, or end the agent, when no descriptor is left.
    static const UniqueFd file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    const auto pages = file ? second_number(file.get()) : std::nullopt;
    return pages.value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

RunDelay::RunDelay() : RunDelay(UniqueFd(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC))) {}

RunDelay::RunDelay(UniqueFd schedstat) : file_(std::move(schedstat)) {
    take_s();
}

double RunDelay::take_s() {
    const auto now_ns = file_ ? second_number(file_.get()) : std::nullopt;
    if (!now_ns) return 0.0;
    const std::uint64_t before_ns = std::exchange(last_ns_, now_ns).value_or(*now_ns);
    return *now_ns > before_ns ? static_cast<double>(*now_ns - before_ns) * 1e-9 : 0.0;
}

}  // namespace fairlead::agent
