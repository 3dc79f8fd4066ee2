// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/noise_sources.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace fairlead::benchmark {
namespace {

constexpr std::string_view kThread = "another thread";
constexpr std::size_t kStealField = 7;  // after user, nice, system, idle, iowait, irq, softirq
constexpr std::string_view kBlank = " \t";

std::string_view line_of(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::string_view word_of(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
}

std::optional<std::uint64_t> number(std::string_view word) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) {
        return std::nullopt;
    }
    return value;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Of "PCI-MSIX-0000:00:04.0   1-edge      virtio3-rx" the device.
std::string_view device(std::string_view description) {
    const std::size_t gap = description.rfind("  ");
    return gap == std::string_view::npos ? description : trimmed(description.substr(gap));
}

std::string name_of(std::string_view key, std::string_view description, std::string_view prefix) {
    if (description.empty()) {
        return std::string(prefix) + std::string(key);
    }
    return std::string(number(key) ? device(description) : description);
}

}  // namespace

std::vector<Counter> counters_of(std::string_view text, int cpu, std::string_view prefix) {
    std::string_view header = line_of(text);
    const std::string wanted = "CPU" + std::to_string(cpu);
    std::size_t columns = 0;
    std::optional<std::size_t> column;
    for (std::string_view word = word_of(header); !word.empty(); word = word_of(header)) {
        if (word == wanted) {
            column = columns;
        }
        ++columns;
    }
    std::vector<Counter> found;
    while (column && !text.empty()) {
        std::string_view line = line_of(text);
        const std::string_view key = word_of(line);
        if (!key.ends_with(':')) {
            continue;
        }
        std::uint64_t own = 0;
        std::size_t read = 0;
        for (; read < columns; ++read) {
            std::string_view rest = line;
            const auto count = number(word_of(rest));
            if (!count) {
                break;
            }
            line = rest;
            own = read == *column ? *count : own;
        }
        if (read == columns) {
            found.push_back({name_of(key.substr(0, key.size() - 1), trimmed(line), prefix), own});
        }
    }
    return found;
}

std::optional<std::uint64_t> steal_ticks(std::string_view text, int cpu) {
    const std::string wanted = "cpu" + std::to_string(cpu);
    while (!text.empty()) {
        std::string_view line = line_of(text);
        if (word_of(line) != wanted) {
            continue;
        }
        for (std::size_t field = 0; field < kStealField; ++field) {
            word_of(line);
        }
        return number(word_of(line));
    }
    return std::nullopt;
}

ProcFile::ProcFile(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)), buffer_(std::size_t{1} << 16, '\0') {}

ProcFile::~ProcFile() {
    if (file_ >= 0) {
        close(file_);
    }
}

std::string_view ProcFile::text() {
    std::size_t length = 0;
    while (file_ >= 0) {
        if (length == buffer_.size()) {
            buffer_.resize(2 * buffer_.size());
        }
        const ssize_t got = pread(file_, buffer_.data() + length, buffer_.size() - length, static_cast<off_t>(length));
        if (got <= 0) {
            break;
        }
        length += static_cast<std::size_t>(got);
    }
    return std::string_view(buffer_).substr(0, length);
}

NoiseSources::NoiseSources(int cpu) : cpu_(cpu), before_(read()) {}

std::vector<Counter> NoiseSources::read() {
    std::vector<Counter> found{{std::string(kThread), 0}};
    rusage usage{};
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        found.front().count = static_cast<std::uint64_t>(usage.ru_nivcsw + usage.ru_nvcsw);
    }
    for (Counter& each : counters_of(interrupts_.text(), cpu_)) {
        found.push_back(std::move(each));
    }
    for (Counter& each : counters_of(softirqs_.text(), cpu_, "softirq ")) {
        found.push_back(std::move(each));
    }
    return found;
}

std::optional<std::size_t> NoiseSources::look() {
    std::vector<Counter> now = read();
    const bool same = std::ranges::equal(now, before_, {}, &Counter::name, &Counter::name);
    std::vector<std::size_t> set;
    for (std::size_t row = 0; same && row < now.size(); ++row) {
        if (now[row].count == before_[row].count) {
            continue;
        }
        const auto [entry, is_new] = place_of_.try_emplace(now[row].name, names_.size());
        if (is_new) {
            names_.push_back(now[row].name);
        }
        set.push_back(entry->second);
    }
    before_ = std::move(now);
    if (!same) {
        return std::nullopt;
    }
    std::ranges::sort(set);
    set.erase(std::ranges::unique(set).begin(), set.end());
    const auto [entry, is_new] = number_of_.try_emplace(set, sets_.size());
    if (is_new) {
        sets_.push_back(set);
    }
    return entry->second;
}

std::optional<double> run_queue_s() {
    ProcFile file("/proc/thread-self/schedstat");
    std::string_view text = file.text();
    std::string_view line = line_of(text);
    word_of(line);
    const auto waited_ns = number(word_of(line));
    return waited_ns ? std::optional(static_cast<double>(*waited_ns) * 1e-9) : std::nullopt;
}

}  // namespace fairlead::benchmark
