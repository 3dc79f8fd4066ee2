// SPDX-License-Identifier: Apache-2.0
// Stands in for fairlead-guardian in client_test: agrees to everything but moves, and ends on teardown without a word.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "protocol.hpp"

using namespace fairlead::guardian;

int main() {
    Packet buffer(kMaxPacket_B + 1);
    for (;;) {
        const ssize_t size_B = recv(STDIN_FILENO, buffer.data(), buffer.size(), 0);
        if (size_B <= 0) return 0;
        const auto decoded = decode_request({buffer.data(), static_cast<std::size_t>(size_B)});
        const auto* request = std::get_if<Request>(&decoded);
        if (request == nullptr || std::holds_alternative<Teardown>(request->body)) return 1;
        const bool refused = std::holds_alternative<Move>(request->body);
        const Packet reply = encode(Reply{request->id, refused ? ENETUNREACH : 0, refused ? "no way" : ""});
        if (send(STDIN_FILENO, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return 1;
    }
}
