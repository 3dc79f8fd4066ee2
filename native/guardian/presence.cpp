// SPDX-License-Identifier: Apache-2.0
#include "presence.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>

#include "netlink.hpp"

namespace fairlead::guardian {

namespace {

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

std::string presence_name(const std::string& job) {
    return "fairlead-guardian-" + job;
}

bool alive(const std::string& job) {
    const AbstractAddress address(presence_name(job));
    const int probe = open_socket();
    const bool found = connect(probe, address.get(), address.size_B) == 0;
    close(probe);
    return found;
}

Presence lock_namespace() {
    using namespace std::chrono_literals;
    const auto deadline = std::chrono::steady_clock::now() + 5s;
    while (std::chrono::steady_clock::now() < deadline) {
        // The point keeps it apart from every job's name.
        if (auto lock = Presence::claim("fairlead-guardian.lock")) return std::move(*lock);
        std::this_thread::sleep_for(1ms);
    }
    throw KernelError(ETIMEDOUT, "another guardian holds @fairlead-guardian.lock for more than 5 s");
}

}  // namespace fairlead::guardian
