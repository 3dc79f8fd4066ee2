// SPDX-License-Identifier: Apache-2.0
// fairlead-delay: the fixed delay of one direction of a link, for kernels without netem.
//
//   fairlead-delay TAP INTERFACE DELAY_US MARK
//
// A traffic-control filter redirects what leaves INTERFACE into the existing tap TAP. From there packets are read, held
// for DELAY_US, and sent on INTERFACE with the mark MARK, which the filter lets pass, into the interface's shaper.
// Segmentation and checksum offload go through (virtio_net_hdr), so that one packet here may be 64 KiB of TCP.
//
// Prints "ready", runs until SIGTERM or SIGINT, then prints what was forwarded and dropped.
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "delay_line.hpp"

namespace {

using fairlead::lab::DelayLine;
using fairlead::lab::Packet;

constexpr std::size_t kOffloadHeader_B = 10;  // struct virtio_net_hdr, whose header is not C++
constexpr std::size_t kLargestPacket_B = kOffloadHeader_B + 65536 + ETH_HLEN;
constexpr std::size_t kLineLimit_B = std::size_t{64} << 20U;  // 0.5 s of 1 Gbit/s
constexpr int kBatch = 64;                                    // packets read before what is due is looked at again

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

int check(int result, const std::string& what) {
    if (result < 0) {
        fail(what);
    }
    return result;
}

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int open_tap(const std::string& name) {
    const int tap = check(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    check(ioctl(tap, TUNSETIFF, &request), "attach to " + name);
    check(ioctl(tap, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN), "offload of " + name);
    return tap;
}

int open_sender(const std::string& interface, unsigned mark) {
    const int sender = check(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "packet socket");
    const int yes = 1;
    check(setsockopt(sender, SOL_PACKET, PACKET_VNET_HDR, &yes, sizeof yes), "PACKET_VNET_HDR");
    check(setsockopt(sender, SOL_SOCKET, SO_MARK, &mark, sizeof mark), "SO_MARK");
    // What is in the shaper's queue counts as unsent; that queue, not this socket, shall be what fills.
    const int room_B = 64 << 20;
    if (setsockopt(sender, SOL_SOCKET, SO_SNDBUFFORCE, &room_B, sizeof room_B) != 0) {
        check(setsockopt(sender, SOL_SOCKET, SO_SNDBUF, &room_B, sizeof room_B), "SO_SNDBUF");
    }
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
    if (address.sll_ifindex == 0) {
        fail("no interface " + interface);
    }
    check(bind(sender, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind to " + interface);
    return sender;
}

// Of one packet, as on any link: the shaper's queue is full, the kernel has no memory, the interface is down for now,
// or it is no packet that can be sent there.
bool is_loss(int error) {
    return error == ENOBUFS || error == EAGAIN || error == ENOMEM || error == ENETDOWN || error == EMSGSIZE ||
           error == EINVAL;
}

class Forwarder {
  public:
    Forwarder(int tap, int sender, std::int64_t delay_ns)
        : tap_(tap),
          sender_(sender),
          timer_(check(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timer")),
          line_(delay_ns, kLineLimit_B) {}

    // Until `end` (a descriptor) becomes readable.
    void run(int end) {
        std::array<pollfd, 3> watched{{{end, POLLIN, 0}, {tap_, POLLIN, 0}, {timer_, POLLIN, 0}}};
        while (true) {
            if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) {
                fail("poll");
            }
            if (watched[0].revents != 0) {
                return;
            }
            take();
            give();
            arm();
        }
    }

    void report(std::ostream& out) const {
        out << "forwarded " << forwarded_ << " dropped " << line_.dropped() + refused_ << std::endl;
    }

  private:
    void take() {
        for (int count = 0; count < kBatch; ++count) {
            const ssize_t size = read(tap_, buffer_.data(), buffer_.size());
            if (size < 0) {
                if (errno == EAGAIN || errno == EINTR) {
                    return;
                }
                fail("read from the tap");
            }
            line_.push(Packet(buffer_.begin(), buffer_.begin() + size), now_ns());
        }
    }

    void give() {
        while (const auto packet = line_.pop(now_ns())) {
            if (write(sender_, packet->data(), packet->size()) >= 0) {
                ++forwarded_;
            } else if (is_loss(errno)) {
                ++refused_;
            } else {
                fail("send");
            }
        }
    }

    void arm() const {
        itimerspec when{};
        if (const auto due_ns = line_.next_due_ns()) {
            when.it_value.tv_sec = *due_ns / 1'000'000'000;
            when.it_value.tv_nsec = *due_ns % 1'000'000'000;
        }
        check(timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr), "timer");
    }

    int tap_;
    int sender_;
    int timer_;
    DelayLine line_;
    std::uint64_t forwarded_ = 0;
    std::uint64_t refused_ = 0;
    std::array<std::byte, kLargestPacket_B> buffer_{};
};

int signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return check(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
}

std::int64_t number(const char* text, const char* what) {
    std::size_t used = 0;
    const long long value = std::stoll(text, &used, 0);
    if (text[used] != '\0' || value <= 0) {
        throw std::runtime_error(std::string(what) + " must be a number above zero, not " + text);
    }
    return value;
}

void run(int argc, char** argv) {
    if (argc != 5) {
        throw std::runtime_error("usage: fairlead-delay TAP INTERFACE DELAY_US MARK");
    }
    const std::int64_t delay_ns = number(argv[3], "DELAY_US") * 1000;
    const auto mark = static_cast<unsigned>(number(argv[4], "MARK"));
    prctl(PR_SET_TIMERSLACK, 1UL);
    const int end = signals();
    Forwarder forwarder(open_tap(argv[1]), open_sender(argv[2], mark), delay_ns);
    std::cout << "ready" << std::endl;
    forwarder.run(end);
    forwarder.report(std::cout);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "fairlead-delay: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
