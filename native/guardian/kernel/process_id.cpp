// SPDX-License-Identifier: Apache-2.0
#include "kernel/process_id.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include "kernel/netlink.hpp"

namespace fairlead::guardian {

namespace {

// What /proc/PID/stat tells (proc(5)); state 0: there is no such process, or we may not look at it.
struct Facts {
    char state = '\0';
    std::uint64_t start_ticks = 0;
};

Facts facts_of(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    // Not by the stream's buffer, which throws where the process ends between open and read.
    std::string stat;
    std::getline(file, stat, '\0');
    const std::size_t name_end = stat.rfind(')');  // the name, field 2, may hold anything
    if (name_end == std::string::npos) return {};
    std::istringstream fields(stat.substr(name_end + 1));
    Facts facts;
    std::string skipped;
    fields >> facts.state;
    for (int field = 4; field < 22; ++field) fields >> skipped;
    fields >> facts.start_ticks;
    return facts;
}

constexpr const char* kNamespace = "/proc/self/ns/pid";

// The namespace that our own number is of, by its inode; 0, with errno: that cannot be told.
std::uint64_t own_namespace() {
    struct stat facts {};
    return stat(kNamespace, &facts) == 0 ? facts.st_ino : 0;
}

// A process that keeps its number as long as this lives.
class Handle {
  public:
    explicit Handle(std::int64_t pid) : fd_(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0))) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (fd_ >= 0) close(fd_);
    }
    void signal(int number) const {
        if (fd_ >= 0) syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0);
    }

  private:
    int fd_;
};

}  // namespace

ProcessId ProcessId::self() {
    const std::uint64_t own = own_namespace();
    if (own == 0) throw KernelError(errno, std::string(kNamespace) + ": " + std::strerror(errno));
    return {getpid(), own, facts_of(getpid()).start_ticks};
}

std::optional<ProcessId> ProcessId::of(const std::string& text) {
    ProcessId process;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto read = [&](auto& number) {
        const auto [rest, error] = std::from_chars(at, end, number);
        at = rest;
        return error == std::errc{};
    };
    const auto more = [&] { return at != end && *at++ == '@'; };
    if (!read(process.pid) || !more() || !read(process.pid_namespace)) return std::nullopt;
    if (at != end && (!more() || !read(process.start_ticks))) return std::nullopt;
    return at == end ? std::optional(process) : std::nullopt;
}

std::string ProcessId::text() const {
    return std::to_string(pid) + "@" + std::to_string(pid_namespace) + "@" + std::to_string(start_ticks);
}

// By its number alone: in another time namespace start times are others, and who is taken for gone loses what it made.
bool ProcessId::gone() const {
    if (!ours()) return false;
    const char state = facts_of(pid).state;
    if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return true;
    // It has ended, and nobody has taken note: the kernel keeps its number until then.
    return state == 'Z' || state == 'X';
}

bool ProcessId::stopped() const {
    if (!ours() || start_ticks == 0) return false;
    const Facts facts = facts_of(pid);
    return facts.state == 'T' && facts.start_ticks == start_ticks;
}

void ProcessId::wake() const {
    const Handle handle(pid);  // before it is looked at: its number is not another's in between
    if (stopped()) handle.signal(SIGCONT);
}

// Who asks may be all that is left of a job (keeper.cpp), where the kernel has no memory to answer: it must go on.
bool ProcessId::ours() const {
    return pid > 0 && pid_namespace != 0 && pid_namespace == own_namespace();
}

}  // namespace fairlead::guardian
