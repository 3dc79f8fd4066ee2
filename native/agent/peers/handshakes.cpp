// SPDX-License-Identifier: Apache-2.0
#include "peers/handshakes.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace fairlead::agent {

Handshakes::~Handshakes() {
    for (const auto& [fd, each] : waiting_) {
        loop_.forget(fd);
        loop_.cancel(each.deadline);
    }
}

void Handshakes::begin(core::HostId client, UniqueFd socket) {
    make_room(client);
    const int fd = socket.get();
    Waiting each{.client = client, .socket = std::move(socket), .challenge = random_nonce()};
    // A new connection has room for so little.
    if (send(fd, each.challenge.data(), each.challenge.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
        static_cast<ssize_t>(each.challenge.size())) {
        return rejections_.count(Refusal::bad_challenge);
    }
    try {
        loop_.watch(fd, EPOLLIN, [this, fd](std::uint32_t) { receive(fd); });
    } catch (const std::system_error&) {
        return rejections_.count(Refusal::too_many);
    }
    each.deadline = loop_.after(kDeadline_s, [this, fd] { refuse(fd, Refusal::bad_challenge); });
    waiting_.emplace(fd, std::move(each));
    ++of_host_[client];
}

/// Of the client's host, or of the host that has most.
void Handshakes::make_room(core::HostId client) {
    const bool of_host = of_host_[client] >= kMostOfHost;
    if (!of_host && waiting_.size() < kMost) return;
    const core::HostId host =
        of_host ? client : std::ranges::max_element(of_host_, {}, [](const auto& each) { return each.second; })->first;
    std::uint32_t left = randombytes_uniform(static_cast<std::uint32_t>(of_host_[host]));
    const auto unlucky =
        std::ranges::find_if(waiting_, [&](const auto& each) { return each.second.client == host && left-- == 0; });
    refuse(unlucky->first, Refusal::too_many);
}

void Handshakes::receive(int fd) {
    Waiting& each = waiting_.at(fd);
    const std::span rest = std::span(each.proof).subspan(each.received_B);
    const ssize_t count = recv(fd, rest.data(), rest.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return refuse(fd, Refusal::bad_challenge);
    each.received_B += static_cast<std::size_t>(count);
    if (each.received_B < each.proof.size()) return;
    try {
        ProvenRequest request = verify(key_, {each.client, self_}, each.challenge, each.proof);
        const core::HostId client = each.client;
        proven_(client, forget(fd), std::move(request));
    } catch (const HandshakeError&) {
        refuse(fd, Refusal::bad_challenge);
    }
}

UniqueFd Handshakes::forget(int fd) {
    const auto found = waiting_.extract(fd);
    Waiting each = std::move(found.mapped());
    loop_.forget(fd);
    loop_.cancel(each.deadline);
    --of_host_[each.client];
    return std::move(each.socket);
}

void Handshakes::refuse(int fd, Refusal refusal) {
    forget(fd);
    rejections_.count(refusal);
}

}  // namespace fairlead::agent
