// SPDX-License-Identifier: Apache-2.0
// The agent's end of a guardian: starts one, sends requests, takes replies.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/protocol.hpp"

namespace fairlead::guardian {

// The guardian could not be started, is gone, does not answer, or breaks the protocol.
struct ClientError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Owns the socket and the child process. Use either the blocking calls, or send() and receive() with an event loop that
// waits for fd() to become readable; not both at a time.
class Client {
  public:
    // Starts argv[0] (found as execvp does) with one end of a socket pair as its stdin. Its stdout goes to our stderr.
    // Throws ClientError if it cannot be executed.
    explicit Client(const std::vector<std::string>& argv);
    // Closes the socket (the guardian withdraws the routes) and does not wait: the guardian outlives us by its grace
    // time. A guardian that already ended is reaped.
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    int fd() const { return socket_; }
    pid_t pid() const { return pid_; }
    // Kills the guardian; false if it is still there. By sudo it is root's: what is killed then is sudo, or nothing.
    bool kill();

    // Sends one request and returns its id. Never blocks; throws ClientError if the guardian is gone or does not read.
    std::uint32_t send(Body body);
    // The next reply, if one is there; throws ClientError if the guardian is gone.
    std::optional<Reply> receive();

    // send() and wait for its reply. Throws ClientError when none came in time.
    Reply call(Body body, std::chrono::milliseconds timeout = std::chrono::seconds(5));

  private:
    int socket_ = -1;
    pid_t pid_ = -1;
    std::uint32_t next_id_ = 1;
};

}  // namespace fairlead::guardian
