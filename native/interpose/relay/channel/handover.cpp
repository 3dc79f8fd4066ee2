// SPDX-License-Identifier: Apache-2.0
#include "relay/channel/handover.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace fairlead::relay {

namespace {

using Descriptors = std::array<int, 2>;  // memory, bell

/// A message of one Welcome, with room for the descriptors.
struct Packet {
    explicit Packet(Welcome& welcome) : part{.iov_base = &welcome, .iov_len = sizeof welcome} {
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control.data();
        header.msg_controllen = control.size();
    }
    Packet(const Packet&) = delete;
    Packet& operator=(const Packet&) = delete;

    iovec part;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Descriptors))> control{};
    msghdr header{};
};

}  // namespace

bool send_welcome(int socket, const Welcome& welcome, int memory, int bell) {
    Welcome said = welcome;
    Packet packet(said);
    const Descriptors given{memory, bell};
    cmsghdr* const rights = CMSG_FIRSTHDR(&packet.header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof given);
    std::memcpy(CMSG_DATA(rights), given.data(), sizeof given);
    ssize_t sent_B = 0;
    do {
        sent_B = sendmsg(socket, &packet.header, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent_B < 0 && errno == EINTR);
    return sent_B == static_cast<ssize_t>(sizeof said);
}

ssize_t receive_welcome(int socket, Handover& received) {
    Packet packet(received.welcome);
    const ssize_t size_B = recvmsg(socket, &packet.header, MSG_CMSG_CLOEXEC);
    if (size_B <= 0) return size_B;
    const cmsghdr* const rights = CMSG_FIRSTHDR(&packet.header);
    if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return size_B;
    Descriptors given{-1, -1};
    std::memcpy(given.data(), CMSG_DATA(rights), std::min(rights->cmsg_len - CMSG_LEN(0), sizeof given));
    if (given[1] >= 0) {
        received.memory = given[0];
        received.bell = given[1];
    } else if (given[0] >= 0) {  // where the process has no room for the other
        close(given[0]);
    }
    return size_B;
}

bool fits(const Handover& received, Process processes) {
    const Welcome& said = received.welcome;
    const bool plausible = said.processes == processes && said.ring_B > 0 && said.ring_B <= kLongestRing_B &&
                           said.ring_B % kChannelPage_B == 0;
    struct stat file {};
    return plausible && fstat(received.memory, &file) == 0 &&
           static_cast<std::uint64_t>(file.st_size) == ChannelMemory::size_B(processes, said.ring_B);
}

}  // namespace fairlead::relay
