// SPDX-License-Identifier: Apache-2.0
#include "process/other_process.hpp"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>

namespace fairlead::agent {

namespace {

/// Field 22 of /proc/PID/stat (proc(5)); 0: it cannot be read.
std::uint64_t start_ticks_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    // Not by the stream's buffer, which throws where the process ends between open and read.
    std::string stat;
    std::getline(file, stat, '\0');
    const std::size_t name_end = stat.rfind(')');  // the name, field 2, may hold anything
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(stat.substr(name_end + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) fields >> skipped;
    std::uint64_t ticks = 0;
    fields >> ticks;
    return ticks;
}

}  // namespace

OtherProcess OtherProcess::now(pid_t pid) {
    return {pid, start_ticks_of(pid)};
}

bool OtherProcess::ended() const {
    if (pid <= 0) return false;
    const std::uint64_t ticks = start_ticks_of(pid);
    if (kill(pid, 0) != 0 && errno == ESRCH) return true;
    return start_ticks != 0 && ticks != 0 && ticks != start_ticks;
}

}  // namespace fairlead::agent
