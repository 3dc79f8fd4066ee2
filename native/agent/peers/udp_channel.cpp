// SPDX-License-Identifier: Apache-2.0
#include "peers/udp_channel.hpp"

#include <net/if.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

/// Datagrams handled before other work of the loop gets its turn.
constexpr std::size_t kBatch = 16;

UniqueFd bind_socket(const Host& own) {
    UniqueFd fd(checked(socket(own.address.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "UDP socket"));
    const int on = 1;
    checked(setsockopt(fd.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on), "SO_TIMESTAMPNS");
    if (own.address.family() == AF_INET6) {
        checked(setsockopt(fd.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on), "IPV6_RECVPKTINFO");
    } else {
        checked(setsockopt(fd.get(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on), "IP_PKTINFO");
    }
    const SocketAddress address = own.socket_address();
    if (bind(fd.get(), address.get(), address.size_B()) < 0) {
        throw_errno("UDP port " + std::to_string(own.port) + " of " + own.label());
    }
    return fd;
}

/// The kernel's receive stamp, CLOCK_REALTIME; the present time if there is none.
std::int64_t receive_stamp_ns(msghdr& header) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
        timespec stamp{};
        std::memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
        return static_cast<std::int64_t>(stamp.tv_sec) * 1'000'000'000 + stamp.tv_nsec;
    }
    return read_clock_ns(CLOCK_REALTIME);
}

/// Index of the interface that it came in on; 0: not told.
unsigned interface_of(msghdr& header) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            return static_cast<unsigned>(info.ipi_ifindex);
        }
        if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof info);
            return info.ipi6_ifindex;
        }
    }
    return 0;
}

}  // namespace

UdpChannel::UdpChannel(EventLoop& loop, const Config& config, const Clock& clock, Rejections& rejections,
                       std::uint64_t boot_id)
    : loop_(loop),
      config_(config),
      clock_(clock),
      rejections_(rejections),
      socket_(bind_socket(config.own())),
      sealer_(derive(config.secret, KeyUse::datagrams), config.self, boot_id),
      opener_(derive(config.secret, KeyUse::datagrams), config.self, config.host_count()) {
    loop_.watch(socket_.get(), EPOLLIN, [this](std::uint32_t) { receive_some(); });
}

UdpChannel::~UdpChannel() {
    loop_.forget(socket_.get());
}

/// Once: to ask for an index takes a descriptor, and an agent that can open nothing still answers.
void UdpChannel::take_echoes_from(const std::string& device) {
    const unsigned index = if_nametoindex(device.c_str());
    if (index == 0) throw_errno("interface " + device);
    echo_interfaces_.push_back(index);
}

std::optional<std::int64_t> UdpChannel::send(core::HostId to, const core::wire::Message& message) {
    Datagram datagram;
    const std::size_t size_B = sealer_.seal(to, message, datagram);
    const SocketAddress address = config_.hosts[to].socket_address();
    const std::int64_t sent_ns = clock_.now_ns();
    if (size_B == 0 ||
        sendto(socket_.get(), datagram.data(), size_B, MSG_DONTWAIT, address.get(), address.size_B()) < 0) {
        ++send_failures_;
        return std::nullopt;
    }
    ++packets_sent_;
    bytes_sent_ += size_B;
    return sent_ns;
}

void UdpChannel::send_by(int socket, core::HostId to, const core::wire::Message& message) {
    Datagram datagram;
    const std::size_t size_B = sealer_.seal(to, message, datagram);
    const auto attempt = [&] { return ::send(socket, datagram.data(), size_B, MSG_DONTWAIT) >= 0; };
    // The first may fail for what became of an earlier one: such an error is told once.
    if (size_B == 0 || (!attempt() && !attempt())) {
        ++send_failures_;
        return;
    }
    ++packets_sent_;
    bytes_sent_ += size_B;
}

/// All that are there, up to a batch, in one call.
void UdpChannel::receive_some() {
    struct Slot {
        std::array<std::uint8_t, kMaxDatagram_B + 1> bytes;  // one more: what is too long is seen to be
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec)) + CMSG_SPACE(sizeof(in6_pktinfo)) + 64> control;
        SocketAddress from;
        iovec part;
    };
    std::array<Slot, kBatch> slots;
    std::array<mmsghdr, kBatch> headers{};
    for (std::size_t i = 0; i < kBatch; ++i) {
        Slot& slot = slots[i];
        slot.part = {.iov_base = slot.bytes.data(), .iov_len = slot.bytes.size()};
        headers[i].msg_hdr = {.msg_name = slot.from.get(),
                              .msg_namelen = SocketAddress::kRoom_B,
                              .msg_iov = &slot.part,
                              .msg_iovlen = 1,
                              .msg_control = slot.control.data(),
                              .msg_controllen = slot.control.size(),
                              .msg_flags = 0};
    }
    const int count = recvmmsg(socket_.get(), headers.data(), kBatch, MSG_DONTWAIT, nullptr);
    // Below 0: nothing there (or a passing error of the interface: poll tells what comes next).
    for (int i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        take(std::span(slots[at].bytes).first(headers[at].msg_len), slots[at].from, interface_of(headers[at].msg_hdr),
             clock_.shifted(receive_stamp_ns(headers[at].msg_hdr)));
    }
}

void UdpChannel::take(std::span<const std::uint8_t> datagram, const SocketAddress& from, unsigned interface,
                      std::int64_t received_ns) {
    const auto claimed = Opener::claimed_sender(datagram);
    if (const Refusal* refusal = std::get_if<Refusal>(&claimed)) return rejections_.count(*refusal);
    const core::HostId sender = std::get<core::HostId>(claimed);
    if (sender >= config_.host_count()) return rejections_.count(Refusal::bad_sender);
    const Host& expected = config_.hosts[sender];
    const bool other_port = from.port() != expected.port;
    if (from.address() != expected.address || (other_port && echo_interfaces_.empty())) {
        return rejections_.count(Refusal::bad_address);
    }
    const auto opened = opener_.open(datagram);
    if (const Refusal* refusal = std::get_if<Refusal>(&opened)) return rejections_.count(*refusal);
    if (other_port) {
        const bool echo = std::holds_alternative<core::wire::Echo>(std::get<Opened>(opened).message);
        if (!echo) return rejections_.count(Refusal::bad_address);
        if (std::ranges::find(echo_interfaces_, interface) == echo_interfaces_.end()) {
            return;  // on the direct path it proves nothing
        }
    }
    if (receiver_) receiver_(std::get<Opened>(opened), received_ns);
}

}  // namespace fairlead::agent
