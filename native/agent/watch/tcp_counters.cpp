// SPDX-License-Identifier: Apache-2.0
#include "watch/tcp_counters.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace fairlead::agent {
namespace {

/// Cuts the next word off.
std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

/// Cuts the next line that begins so off, with what is before it.
std::optional<std::string_view> next_line(std::string_view& table, std::string_view begin) {
    while (!table.empty()) {
        const std::string_view line = table.substr(0, table.find('\n'));
        table.remove_prefix(std::min(line.size() + 1, table.size()));
        if (line.starts_with(begin)) return line.substr(begin.size());
    }
    return std::nullopt;
}

}  // namespace

std::optional<TcpCounters> parse_tcp_counters(std::string_view table) {
    auto names = next_line(table, "Tcp:");
    auto values = next_line(table, "Tcp:");
    if (!names || !values) return std::nullopt;
    TcpCounters counters;
    int found = 0;
    for (std::string_view name = next_word(*names); !name.empty(); name = next_word(*names)) {
        const std::string_view text = next_word(*values);
        const bool opened = name == "ActiveOpens" || name == "PassiveOpens";
        const bool segments = name == "InSegs" || name == "OutSegs";
        if (!opened && !segments && name != "CurrEstab") continue;
        std::uint64_t value = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) return std::nullopt;
        (opened ? counters.opened : segments ? counters.segments : counters.established) += value;
        ++found;
    }
    constexpr int kWanted = 5;
    return found == kWanted ? std::optional(counters) : std::nullopt;
}

TcpCounterFile::TcpCounterFile() : table_(open("/proc/thread-self/net/snmp", O_RDONLY | O_CLOEXEC)) {}

std::optional<TcpCounters> TcpCounterFile::read() const {
    if (!table_) return std::nullopt;
    std::array<char, 8192> text;  // the whole table, as the kernel makes it anew for each read
    const ssize_t length = pread(table_.get(), text.data(), text.size(), 0);
    if (length <= 0) return std::nullopt;
    return parse_tcp_counters(std::string_view(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace fairlead::agent
