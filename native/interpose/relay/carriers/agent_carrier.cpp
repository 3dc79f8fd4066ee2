// SPDX-License-Identifier: Apache-2.0
#include "relay/carriers/agent_carrier.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "fairlead/relay/wire.hpp"
#include "relay/channel/handover.hpp"

namespace fairlead::relay {

namespace {

template <class Error = std::runtime_error>
[[noreturn]] void fail(const std::string& directory, const std::string& why) {
    throw Error("no relay plane: the agent in " + directory + ": " + why);
}

/// The end of a connection tells the agent that the rank has ended. Children that the program forks may outlive it, and
/// would keep the connection: they close their copies. No process has as many at once as there are places.
std::array<std::atomic<int>, 64> sockets;  ///< each and 1; 0: none

void close_copies() {
    for (std::atomic<int>& place : sockets) {
        if (const int socket = place.exchange(0); socket != 0) close(socket - 1);
    }
}

void keep_from_children(int socket) {
    [[maybe_unused]] static const int error = pthread_atfork(nullptr, nullptr, close_copies);
    for (std::atomic<int>& place : sockets) {
        int none = 0;
        if (place.compare_exchange_strong(none, socket + 1)) return;
    }
}

void close_socket(int socket) {
    if (socket < 0) return;
    for (std::atomic<int>& place : sockets) {
        int own = socket + 1;
        if (place.compare_exchange_strong(own, 0)) break;
    }
    close(socket);  // last: a child must not close what the program has under that number next
}

int connect_to(const std::string& directory) {
    const std::string path = directory + "/" + kChannelSocket;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) fail(directory, "the directory's name is too long for a socket in it");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) fail(directory, std::strerror(errno));
    keep_from_children(fd);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
        const int error = errno;
        close_socket(fd);
        fail(directory, std::strerror(error));
    }
    return fd;
}

void introduce(int fd, const std::string& directory, Process self, Process processes, WorldId world) {
    const Hello hello{kChannelMagic, kChannelVersion, self, processes, 0, world};
    if (::send(fd, &hello, sizeof hello, MSG_NOSIGNAL) < 0) fail(directory, std::strerror(errno));
}

void close_all(std::initializer_list<int> descriptors) {
    for (const int fd : descriptors) {
        if (fd >= 0) close(fd);
    }
}

/// Looks at the agent's answer, of which so much came. Throws if it is not what it should be.
void check_welcome(ssize_t size_B, const std::string& directory, Process processes, const Handover& received) {
    if (size_B == 0) {
        fail<Unwanted>(directory,
                       "it rejected this rank (its number is taken, or it belongs to another program or user)");
    }
    if (size_B < 0) fail(directory, std::strerror(errno));
    if (received.memory < 0) fail(directory, "it passed no shared memory");
    if (size_B != sizeof received.welcome || received.welcome.magic != kChannelMagic ||
        received.welcome.version != kChannelVersion) {
        fail(directory, "it is a different version of fairlead");
    }
    if (!fits(received, processes)) fail(directory, "the shared memory it passed has the wrong size");
}

}  // namespace

AgentCarrier::AgentCarrier(int socket, const Handover& received, Process processes)
    : processes_(processes), socket_(socket) {
    try {
        take_over(received);
    } catch (...) {
        close_socket(socket);
        close_all({received.bell, received.memory});
        throw;
    }
}

void AgentCarrier::take_over(const Handover& received) {
    memory_ = std::make_unique<ChannelMemory>(received.memory, processes_, received.welcome.ring_B);
    bell_ = received.bell;
    close(received.memory);
    out_.emplace(memory_->to_agent());
    in_.emplace(memory_->to_rank());
    alive_ = true;
    gone_ = false;
}

AgentCarrier::~AgentCarrier() {
    close_socket(socket_);
    close_all({bell_});
}

bool AgentCarrier::ready(Process to) {
    look_after_agent();
    try {
        return reaches(to) && out_->room(wire::kMaxFrame_B);
    } catch (const CorruptRing&) {
        leave();
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
    if (!memory_) return;
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
        leave();
    }
    look_after_agent();
}

Path AgentCarrier::wished(Process to) const {
    return reaches(to) && place(to) == Place::relay ? Path::relay : Path::direct;
}

std::uint32_t AgentCarrier::changes() const {
    const std::uint32_t told = memory_ ? memory_->head().changes.load(std::memory_order_acquire) : 0;
    return told + stalls_ + (alive_ ? 0 : 1);
}

void AgentCarrier::tell(const ToldCounts& counts) {
    for (std::size_t i = 0; memory_ && i < counts.size(); ++i)
        memory_->head().told[i].store(counts[i], std::memory_order_relaxed);
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
    feel_pulse(now - std::exchange(looked_, now));
    char byte = 0;
    const ssize_t size_B = recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (size_B < 0 && (errno == EAGAIN || errno == EINTR)) return;
    leave();
}

/// The agent sees the end of the connection, and takes the rank again when it comes back: with new memory, which
/// nothing has written into that should not have.
void AgentCarrier::leave() {
    alive_ = false;
    gone_ = true;
    close_socket(std::exchange(socket_, -1));
}

void AgentCarrier::feel_pulse(std::chrono::steady_clock::duration since_last_look) {
    const std::uint32_t pulse = memory_->head().pulse.load(std::memory_order_relaxed);
    silent_ += std::min<std::chrono::steady_clock::duration>(since_last_look, kMostBetweenLooks);
    if (pulse != pulse_) silent_ = {};
    pulse_ = pulse;
    const bool stalled = silent_ > kStall;
    if (stalled != stalled_) ++stalls_;
    stalled_ = stalled;
}

AgentJoin::AgentJoin(std::string directory, Process self, Process processes, WorldId world)
    : directory_(std::move(directory)), processes_(processes), socket_(connect_to(directory_)) {
    try {
        introduce(socket_, directory_, self, processes, world);
    } catch (...) {
        close_socket(socket_);
        throw;
    }
}

AgentJoin::~AgentJoin() {
    close_socket(socket_);
}

std::unique_ptr<AgentCarrier> AgentJoin::poll() {
    Handover received;
    const ssize_t size_B = receive_welcome(socket_, received);
    if (size_B < 0 && (errno == EAGAIN || errno == EINTR)) return nullptr;
    try {
        check_welcome(size_B, directory_, processes_, received);
    } catch (...) {
        close_all({received.bell, received.memory});
        throw;
    }
    return std::make_unique<AgentCarrier>(std::exchange(socket_, -1), received, processes_);
}

std::unique_ptr<AgentCarrier> AgentJoin::wait(std::chrono::milliseconds longest) {
    const auto latest = std::chrono::steady_clock::now() + longest;
    for (;;) {
        if (std::unique_ptr<AgentCarrier> joined = poll()) return joined;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - std::chrono::steady_clock::now());
        if (left <= left.zero()) return nullptr;
        pollfd answer{.fd = socket_, .events = POLLIN, .revents = 0};
        ::poll(&answer, 1, static_cast<int>(left.count()));  // signals of the program's may end it: asked again
    }
}

}  // namespace fairlead::relay
