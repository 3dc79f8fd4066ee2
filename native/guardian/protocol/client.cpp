// SPDX-License-Identifier: Apache-2.0
#include "protocol/client.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace fairlead::guardian {

namespace {

std::string errno_text(const std::string& what, int error) {
    return what + ": " + std::strerror(error);
}

// With what is left unread on either side, its end shows as an error.
ClientError broken(const std::string& what, int error) {
    if (error == ECONNRESET || error == EPIPE) return ClientError("the guardian has ended");
    return ClientError(errno_text(what, error));
}

// posix_spawnp keeps no descriptor of ours open in the child but the three standard ones, as all others are
// close-on-exec; its errors include those of the exec itself.
pid_t spawn(const std::vector<std::string>& argv, int guardian_end) {
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, guardian_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw ClientError(errno_text("cannot start guardian " + argv[0], error));
    return pid;
}

}  // namespace

Client::Client(const std::vector<std::string>& argv) {
    if (argv.empty()) throw ClientError("cannot start guardian: empty command");
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        throw ClientError(errno_text("socketpair", errno));
    socket_ = ends[0];
    try {
        pid_ = spawn(argv, ends[1]);
    } catch (...) {
        close(ends[0]);
        close(ends[1]);
        throw;
    }
    close(ends[1]);
}

Client::~Client() {
    close(socket_);
    waitpid(pid_, nullptr, WNOHANG);
}

bool Client::kill() {
    constexpr int kPatience_ms = 200;
    ::kill(pid_, SIGKILL);
    // Whatever came of that: only the guardian has the other end.
    pollfd end{socket_, 0, 0};
    return poll(&end, 1, kPatience_ms) == 1 && (end.revents & POLLHUP) != 0;
}

std::uint32_t Client::send(Body body) {
    const std::uint32_t id = next_id_++;
    const Packet packet = encode(Request{id, std::move(body)});
    if (::send(socket_, packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        throw broken("request to guardian", errno);
    return id;
}

std::optional<Reply> Client::receive() {
    Packet packet(kMaxPacket_B + 1);
    const ssize_t size_B = recv(socket_, packet.data(), packet.size(), MSG_DONTWAIT);
    if (size_B < 0) {
        if (errno == EAGAIN || errno == EINTR) return std::nullopt;
        throw broken("reply of guardian", errno);
    }
    if (size_B == 0) throw ClientError("the guardian has ended");
    auto reply = decode_reply({packet.data(), static_cast<std::size_t>(size_B)});
    if (!reply) throw ClientError("the guardian's reply is not of this protocol (other version?)");
    return reply;
}

Reply Client::call(Body body, std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    const std::uint32_t id = send(std::move(body));
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        pollfd waiting{socket_, POLLIN, 0};
        if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0)
            throw ClientError("the guardian did not answer within " + std::to_string(timeout.count()) + " ms");
        const auto reply = receive();
        if (reply && reply->id == id) return *reply;
    }
}

}  // namespace fairlead::guardian
