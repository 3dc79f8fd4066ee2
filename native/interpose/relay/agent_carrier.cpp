// SPDX-License-Identifier: Apache-2.0
#include "relay/agent_carrier.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "fairlead/relay/wire.hpp"
#include "relay/handover.hpp"

namespace fairlead::relay {

namespace {

[[noreturn]] void fail(const std::string& directory, const std::string& why) {
    throw std::runtime_error("no relay plane: the agent in " + directory + ": " + why);
}

int connect_to(const std::string& directory) {
    const std::string path = directory + "/" + kChannelSocket;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) fail(directory, "the directory's name is too long for a socket in it");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) fail(directory, std::strerror(errno));
    const timeval limit{.tv_sec = static_cast<time_t>(AgentCarrier::kJoin_s), .tv_usec = 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
        const int error = errno;
        close(fd);
        fail(directory, std::strerror(error));
    }
    return fd;
}

/// The agent's answer. Its descriptors are in `received` as soon as they are there, also where it throws.
void await_welcome(int fd, const std::string& directory, Process processes, Handover& received) {
    const ssize_t size_B = receive_welcome(fd, received);
    if (size_B == 0)
        fail(directory, "it does not want this rank (another one has its number, or it is of another job or user)");
    if (size_B < 0) fail(directory, errno == EAGAIN ? "no answer within 5 s" : std::strerror(errno));
    if (received.memory < 0) fail(directory, "it handed over no memory");
    if (size_B != sizeof received.welcome || received.welcome.magic != kChannelMagic ||
        received.welcome.version != kChannelVersion) {
        fail(directory, "it is of another version of fairlead");
    }
    if (!fits(received, processes)) fail(directory, "the memory it handed over is not as it says");
}

}  // namespace

AgentCarrier::AgentCarrier(const std::string& directory, Process self, Process processes)
    : processes_(processes), socket_(connect_to(directory)) {
    Handover received;
    try {
        const Hello hello{kChannelMagic, kChannelVersion, self, processes};
        if (::send(socket_, &hello, sizeof hello, MSG_NOSIGNAL) < 0) fail(directory, std::strerror(errno));
        await_welcome(socket_, directory, processes, received);
        memory_ = std::make_unique<ChannelMemory>(received.memory, processes, received.welcome.ring_B);
    } catch (...) {
        for (const int fd : {socket_, received.bell, received.memory}) {
            if (fd >= 0) close(fd);
        }
        throw;
    }
    bell_ = received.bell;
    close(received.memory);
    out_.emplace(memory_->to_agent());
    in_.emplace(memory_->to_rank());
}

AgentCarrier::~AgentCarrier() {
    close(socket_);
    close(bell_);
}

bool AgentCarrier::ready(Process to) {
    try {
        return reaches(to) && out_->room(wire::kMaxFrame_B);
    } catch (const CorruptRing&) {
        alive_ = false;
        return false;
    }
}

void AgentCarrier::send(Process to, std::vector<std::uint8_t> frame) {
    if (!alive_) return;  // as lost as what the agent had not passed on
    if (to >= processes_ || frame.size() > wire::kMaxFrame_B || !out_->room(frame.size())) {
        throw std::logic_error("a frame is sent to an agent that is not ready for it");
    }
    out_->write(frame);
    if (take_wish(memory_->head().to_agent)) ring_bell();
}

void AgentCarrier::poll(const Sink& arrived) {
    try {
        int frames = 0;
        for (; frames < kMostFrames; ++frames) {
            const auto frame = in_->front();
            if (!frame) break;
            arrived(*frame);
            in_->pop();
        }
        if (frames > 0 && take_wish(memory_->head().to_rank)) ring_bell();
    } catch (const CorruptRing&) {
        alive_ = false;
    }
    look_after_agent();
}

Path AgentCarrier::wished(Process to) const {
    return alive_ && place(to) == Place::relay ? Path::relay : Path::direct;
}

std::uint32_t AgentCarrier::changes() const {
    return memory_->head().changes.load(std::memory_order_acquire) + (alive_ ? 0 : 1);
}

void AgentCarrier::tell(const ToldCounts& counts) {
    for (std::size_t i = 0; i < counts.size(); ++i) memory_->head().told[i].store(counts[i], std::memory_order_relaxed);
}

void AgentCarrier::ring_bell() {
    const std::uint64_t one = 1;
    // The counter cannot be full: the agent would have to miss 2^64 - 2 bells.
    [[maybe_unused]] const ssize_t written = write(bell_, &one, sizeof one);
}

/// The end of the connection is all that an agent leaves behind that dies.
void AgentCarrier::look_after_agent() {
    const auto now = std::chrono::steady_clock::now();
    if (!alive_ || now - looked_ < kLook) return;
    looked_ = now;
    char byte = 0;
    const ssize_t size_B = recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (size_B < 0 && (errno == EAGAIN || errno == EINTR)) return;
    alive_ = false;
}

}  // namespace fairlead::relay
