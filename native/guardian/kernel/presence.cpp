// SPDX-License-Identifier: Apache-2.0
#include "kernel/presence.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "kernel/netlink.hpp"

namespace fairlead::guardian {

namespace {

using namespace std::chrono_literals;

struct AbstractAddress {
    sockaddr_un address{};
    socklen_t size_B;

    explicit AbstractAddress(const std::string& name) {
        address.sun_family = AF_UNIX;
        name.copy(&address.sun_path[1], sizeof(address.sun_path) - 1);
        size_B = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

int open_socket() {
    const int opened = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (opened < 0) throw KernelError(errno, std::string("socket: ") + std::strerror(errno));
    return opened;
}

// "fairlead-guardian-JOB", as earlier versions have it, or with a dash and more.
std::string name_of(const std::string& job) {
    return "fairlead-guardian-" + job;
}

// Whether a list of names, as /proc/net/unix, has one of this job's. Abstract names come last in its lines, after "@".
bool listed(const std::string& job, const char* names) {
    std::ifstream file(names);
    if (!file) throw KernelError(errno, std::string(names) + ": " + std::strerror(errno));
    const std::string name = " @" + name_of(job);
    for (std::string line; std::getline(file, line);) {
        const std::size_t begin = line.find(name);
        if (begin == std::string::npos) continue;
        const std::size_t end = begin + name.size();
        if (end == line.size() || line[end] == '-') return true;
    }
    // What of it could not be read may have had the name.
    if (file.bad()) throw KernelError(EIO, std::string(names) + ": " + std::strerror(EIO));
    return false;
}

// Whether somebody has bound a name of this job's. The kernel lists piece by piece, and finds its place again by the
// number of names before it: where one of those vanishes between two pieces, another is passed over.
bool held(const std::string& job, const char* names) {
    return listed(job, names) || listed(job, names);
}

std::string random_part() {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
        throw KernelError(errno, std::string("getrandom: ") + std::strerror(errno));
    return std::to_string(number);
}

// The kernel lets only those open it who hold CAP_NET_ADMIN over this network namespace, which has one of its own
// (net/sysctl_net.c: net_ctl_permissions; mode 0600). It is never read.
constexpr const char* kLockFile = "/proc/sys/net/ipv4/tcp_fastopen_key";
// With another /proc, as in a container that has the host's network, it is another file: such guardians keep apart by a
// name as well. Anyone can take that, so it is not waited for long. The point keeps it apart from every job's name.
constexpr const char* kLockName = "fairlead-guardian.lock";
constexpr auto kNamePatience = 200ms;
// Shorter than the agent waits for an answer (KernelPlane::kAnswer_s), or nobody would hear who holds the lock.
constexpr auto kLockPatience = 3s;

int open_lock_file() {
    const int opened = open(kLockFile, O_RDONLY | O_CLOEXEC);
    if (opened < 0) throw KernelError(errno, std::string(kLockFile) + ": " + std::strerror(errno));
    return opened;
}

bool locked(int file) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    throw KernelError(errno, std::string(kLockFile) + ": " + std::strerror(errno));
}

// Until it works; false if it did not in that time.
template <typename Attempt>
bool retry(std::chrono::milliseconds patience, Attempt attempt) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!attempt()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

}  // namespace

std::optional<Presence> Presence::claim(const std::string& name) {
    const AbstractAddress address(name);
    Presence presence(open_socket());
    // Nobody reads it, so nobody may fill it either.
    shutdown(presence.socket_, SHUT_RD);
    if (bind(presence.socket_, address.get(), address.size_B) == 0) return presence;
    if (errno == EADDRINUSE) return std::nullopt;
    throw KernelError(errno, "@" + name + ": " + std::strerror(errno));
}

Presence::Presence(Presence&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Presence& Presence::operator=(Presence&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
}

Presence::~Presence() {
    if (socket_ >= 0) close(socket_);
}

Presence claim_presence(const std::string& job) {
    const std::string name = name_of(job) + "-" + random_part();
    if (auto presence = Presence::claim(name)) return std::move(*presence);
    throw KernelError(EADDRINUSE, "@" + name + ": in use");
}

bool alive(const std::string& job, const std::optional<ProcessId>& maker, const char* names) {
    // Who holds a dead guardian's name cannot make it live.
    return held(job, names) && !(maker && maker->gone());
}

std::optional<NamespaceLock> NamespaceLock::wait(std::chrono::milliseconds patience) {
    NamespaceLock lock(open_lock_file());
    if (!retry(patience, [&] { return locked(lock.file_); })) return std::nullopt;
    retry(kNamePatience, [&] {
        if (auto name = Presence::claim(kLockName)) lock.name_.emplace(std::move(*name));
        return lock.name_.has_value();
    });
    return lock;
}

NamespaceLock::NamespaceLock(NamespaceLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)), name_(std::move(other.name_)) {}

NamespaceLock& NamespaceLock::operator=(NamespaceLock&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(name_, other.name_);
    return *this;
}

NamespaceLock::~NamespaceLock() {
    if (file_ >= 0) close(file_);
}

NamespaceLock lock_namespace() {
    if (auto lock = NamespaceLock::wait(kLockPatience)) return std::move(*lock);
    throw KernelError(ETIMEDOUT, std::string("another guardian holds the lock on ") + kLockFile +
                                     " for more than 3 s (is it stopped? see /proc/locks)");
}

}  // namespace fairlead::guardian
