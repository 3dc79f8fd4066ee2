// SPDX-License-Identifier: Apache-2.0
#include "watch/interface_load.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fairlead::agent {
namespace {

constexpr std::size_t kColumns = 16;  // of /proc/net/dev: eight of what was received, eight of what was sent
constexpr std::size_t kSent = 8;
constexpr std::string_view kBlanks = " \t";

std::optional<InterfaceBytes> parse_columns(std::string_view line) {
    std::array<std::uint64_t, kColumns> columns{};
    for (std::uint64_t& column : columns) {
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), column);
        if (error != std::errc{}) return std::nullopt;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    }
    return InterfaceBytes{columns[0], columns[kSent]};
}

/// The interface's line, from as little of the table as it takes: the kernel makes anew whatever is read.
std::optional<InterfaceBytes> read_interface(int fd, std::string_view name) {
    std::string text;
    std::array<char, 4096> part;
    for (;;) {
        const ssize_t length = pread(fd, part.data(), part.size(), static_cast<off_t>(text.size()));
        if (length <= 0) return std::nullopt;
        text.append(part.data(), static_cast<std::size_t>(length));
        const std::string_view whole_lines = std::string_view(text).substr(0, text.rfind('\n') + 1);
        if (const auto found = parse_interface(whole_lines, name)) return found;
    }
}

std::uint64_t grown(std::uint64_t before, std::uint64_t now) {
    return now > before ? now - before : 0;
}

}  // namespace

std::optional<InterfaceBytes> parse_interface(std::string_view table, std::string_view name) {
    while (!table.empty()) {
        const std::size_t end = std::min(table.find('\n'), table.size());
        std::string_view line = table.substr(0, end);
        table.remove_prefix(std::min(end + 1, table.size()));
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
        return parse_columns(line.substr(name.size() + 1));
    }
    return std::nullopt;
}

InterfaceLoad::InterfaceLoad(std::string name)
    : name_(std::move(name)), table_(open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC)) {}

std::optional<double> InterfaceLoad::take_bps(double now_s) {
    const std::optional<InterfaceBytes> now = table_ ? read_interface(table_.get(), name_) : std::nullopt;
    const std::optional<InterfaceBytes> before = std::exchange(last_, now);
    const double elapsed_s = now_s - std::exchange(last_s_, now_s);
    if (!now || !before || elapsed_s <= 0.0) return std::nullopt;
    const std::uint64_t most_B = std::max(grown(before->received, now->received), grown(before->sent, now->sent));
    return 8.0 * static_cast<double>(most_B) / elapsed_s;
}

}  // namespace fairlead::agent
