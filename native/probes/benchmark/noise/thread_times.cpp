// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/thread_times.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace fairlead::benchmark {
namespace {

namespace fs = std::filesystem;

constexpr int kProcessorField = 36;  // of /proc/PID/stat after the name: the 39th of all

std::optional<int> id_of(const fs::path& path) {
    const std::string name = path.filename();
    int id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    return error == std::errc{} && end == name.data() + name.size() ? std::optional(id) : std::nullopt;
}

/// Of processes or threads, which may end meanwhile: as far as they can be listed.
template <class Look>
void for_each_id(const fs::path& directory, Look&& look) {
    std::error_code gone;
    for (fs::directory_iterator each(directory, gone), end; !gone && each != end; each.increment(gone)) {
        if (const auto id = id_of(each->path())) {
            look(*id, each->path());
        }
    }
}

std::optional<ThreadTime> read(const fs::path& task) {
    ThreadTime found;
    std::ifstream schedstat(task / "schedstat");
    std::ifstream stat(task / "stat");
    // Not by the stream's buffer, which throws where the thread ends between open and read.
    std::string text;
    std::getline(stat, text, '\0');
    const std::size_t open = text.find('(');
    const std::size_t close = text.rfind(')');  // a name may have one, too
    if (!(schedstat >> found.run_ns) || open == std::string::npos || close == std::string::npos) {
        return std::nullopt;
    }
    found.name = text.substr(open + 1, close - open - 1);
    std::istringstream fields(text.substr(close + 1));
    std::string word;
    for (int field = 0; field <= kProcessorField && fields >> word; ++field) {
    }
    std::from_chars(word.data(), word.data() + word.size(), found.cpu);
    return found;
}

}  // namespace

ThreadTimes thread_times() {
    ThreadTimes found;
    for_each_id("/proc", [&](int pid, const fs::path& process) {
        if (pid == getpid()) {
            return;
        }
        for_each_id(process / "task", [&](int tid, const fs::path& task) {
            if (auto times = read(task)) {
                found[{pid, tid}] = std::move(*times);
            }
        });
    });
    return found;
}

std::vector<ThreadTime> ran_between(const ThreadTimes& before, const ThreadTimes& after, int cpu) {
    std::vector<ThreadTime> ran;
    for (const auto& [id, now] : after) {
        const auto earlier = before.find(id);
        const std::uint64_t then_ns = earlier == before.end() ? 0 : earlier->second.run_ns;
        if (now.cpu == cpu && now.run_ns > then_ns) {
            ran.push_back({now.name, cpu, now.run_ns - then_ns});
        }
    }
    std::ranges::sort(ran, std::ranges::greater{}, &ThreadTime::run_ns);
    return ran;
}

}  // namespace fairlead::benchmark
