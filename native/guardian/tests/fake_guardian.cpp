// SPDX-License-Identifier: Apache-2.0
// Stands in for fairlead-guardian in tests: agrees to everything but reroutes, and ends on teardown without a word.
// With the argument "busy, then dead" it refuses the first set-up as if an earlier guardian of the job were there, and
// ends on the second.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "protocol/protocol.hpp"

using namespace fairlead::guardian;

namespace {

Reply answer(const Request& request, bool busy) {
    if (busy && std::holds_alternative<Setup>(request.body)) return {request.id, EADDRINUSE, "busy"};
    if (std::holds_alternative<Reroute>(request.body)) return {request.id, ENETUNREACH, "no way"};
    return {request.id, 0, {}};
}

}  // namespace

int main(int argc, char** argv) {
    const bool busy = argc > 1 && std::string(argv[1]) == "busy, then dead";
    Packet buffer(kMaxPacket_B + 1);
    for (int setups = 0;;) {
        const ssize_t size_B = recv(STDIN_FILENO, buffer.data(), buffer.size(), 0);
        if (size_B <= 0) return 0;
        const auto decoded = decode_request({buffer.data(), static_cast<std::size_t>(size_B)});
        const auto* request = std::get_if<Request>(&decoded);
        if (request == nullptr || std::holds_alternative<Teardown>(request->body)) return 1;
        if (std::holds_alternative<Setup>(request->body) && ++setups == 2) return 1;
        const Packet reply = encode(answer(*request, busy));
        if (send(STDIN_FILENO, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return 1;
    }
}
