// SPDX-License-Identifier: Apache-2.0
// fairlead-streams: TCP streams that carry as much as they can, or a given rate, until the process ends.
//
//   fairlead-streams receive ADDRESS PORT
//   fairlead-streams send ADDRESS PORT STREAMS [--rate BPS] [--window BYTES] [--congestion NAME]
//
// The receiver prints "ready" when it listens. Both end with exit code 1 when a connection fails.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBlock_B = 128 * 1024;
constexpr int kWaiting = 128;  // connections that the kernel keeps until they are accepted

ssize_t check(ssize_t result, const std::string& what) {
    if (result < 0) throw std::system_error(errno, std::generic_category(), what);
    return result;
}

// Runs a thread's work; what fails in it ends the process.
template <typename Work>
std::thread in_thread(const Work& work) {
    return std::thread([work] {
        try {
            work();
        } catch (const std::exception& failure) {
            std::cerr << "fairlead-streams: " << failure.what() << std::endl;
            std::_Exit(1);
        }
    });
}

int new_socket(int family) {
    return static_cast<int>(check(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
}

using Place = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// An address of either family, with a port.
Place place_of(const std::string& address, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
        throw std::invalid_argument(address + " is not an IP address");
    return {found, &freeaddrinfo};
}

void receive(const std::string& address, std::uint16_t port) {
    const Place here = place_of(address, port);
    const int listener = new_socket(here->ai_family);
    const int on = 1;
    check(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), "socket option");
    check(bind(listener, here->ai_addr, here->ai_addrlen), address + ", port " + std::to_string(port));
    check(listen(listener, kWaiting), "listen");
    std::cout << "ready" << std::endl;
    for (;;) {
        const int stream = static_cast<int>(check(accept(listener, nullptr, nullptr), "accept"));
        // MSG_TRUNC: the kernel throws the bytes away.
        in_thread([stream] {
            while (check(recv(stream, nullptr, kBlock_B, MSG_TRUNC), "stream") > 0) {
            }
            close(stream);
        }).detach();
    }
}

struct Sending {
    std::string address, congestion;
    std::uint16_t port = 0;
    int streams = 1;
    std::uint64_t rate_bps = 0;  // of each stream; 0: no limit
    int window_B = 0;            // 0: the kernel's choice
};

int connected(const Sending& sending) {
    const Place there = place_of(sending.address, sending.port);
    const int stream = new_socket(there->ai_family);
    if (!sending.congestion.empty())
        check(setsockopt(stream, IPPROTO_TCP, TCP_CONGESTION, sending.congestion.data(),
                         static_cast<socklen_t>(sending.congestion.size())),
              "congestion control " + sending.congestion);
    if (sending.window_B > 0)
        check(setsockopt(stream, SOL_SOCKET, SO_SNDBUF, &sending.window_B, sizeof(sending.window_B)), "window");
    const unsigned long rate_Bps = sending.rate_bps / 8;
    if (rate_Bps > 0) check(setsockopt(stream, SOL_SOCKET, SO_MAX_PACING_RATE, &rate_Bps, sizeof(rate_Bps)), "rate");
    check(connect(stream, there->ai_addr, there->ai_addrlen), sending.address);
    return stream;
}

void send_streams(const Sending& sending) {
    const std::vector<char> block(kBlock_B);
    std::vector<std::thread> threads;
    for (int number = 0; number < sending.streams; ++number)
        threads.push_back(in_thread([stream = connected(sending), &block] {
            for (;;) check(send(stream, block.data(), block.size(), MSG_NOSIGNAL), "stream");
        }));
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("TCP streams for labs.");
    app.require_subcommand(1);
    Sending sending;
    auto* receiver = app.add_subcommand("receive", "receive streams from any host");
    receiver->add_option("address", sending.address, "of this host")->required();
    receiver->add_option("port", sending.port)->required();
    auto* sender = app.add_subcommand("send", "send streams to a receiver");
    sender->add_option("address", sending.address)->required();
    sender->add_option("port", sending.port)->required();
    sender->add_option("streams", sending.streams)->required()->check(CLI::Range(1, 1024));
    sender->add_option("--rate", sending.rate_bps, "of each stream, in bit/s  (default: no limit)");
    sender->add_option("--window", sending.window_B, "of each socket, in bytes  (default: the kernel's choice)");
    sender->add_option("--congestion", sending.congestion, "congestion control  (default: the host's)");
    CLI11_PARSE(app, argc, argv);
    try {
        if (receiver->parsed())
            receive(sending.address, sending.port);
        else
            send_streams(sending);
    } catch (const std::exception& failure) {
        std::cerr << "fairlead-streams: " << failure.what() << '\n';
        return 1;
    }
    return 0;
}
