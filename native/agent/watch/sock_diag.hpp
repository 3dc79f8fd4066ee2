// SPDX-License-Identifier: Apache-2.0
// The kernel's view of this host's TCP connections (NETLINK_SOCK_DIAG, sock_diag(7), with TCP_INFO for each).
#pragma once

#include <linux/inet_diag.h>

#include <cstdint>
#include <span>
#include <vector>

#include "process/socket_address.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// One established connection. Totals count since the connection was made.
struct TcpSocket {
    std::uint8_t family = AF_INET;  ///< of the socket; one of IPv6 may be connected to a mapped IPv4 address
    inet_diag_sockid id{};          ///< as the kernel names it
    std::uint64_t cookie = 0;       ///< the kernel's own identity of the socket, never used again
    Address remote;
    std::uint16_t local_port = 0;
    std::uint16_t remote_port = 0;
    std::uint32_t uid = 0;
    double srtt_s = 0.0;
    double min_rtt_s = 0.0;  ///< 0: unknown
    double rto_s = 0.0;      ///< retransmission time-out, before it is doubled
    std::uint64_t in_flight_B = 0;
    std::uint64_t acked_B = 0;
    std::uint64_t received_B = 0;
    std::uint64_t retransmits = 0;
    double busy_s = 0.0;     ///< with data to send or unacknowledged
    double held_up_s = 0.0;  ///< of it, waiting for the receiver's window or the send buffer
    bool app_limited = false;
    double delivery_bps = 0.0;  ///< what the kernel measured over the last round trip, or while it had more to send
};

class SockDiag {
  public:
    /// Looks at connections to these addresses only; none: at all. Throws std::system_error if the kernel does not have
    /// the interface.
    explicit SockDiag(std::span<const Address> remotes = {});

    /// All established TCP connections of this network namespace, of both families. The kernel walks its whole table
    /// for that, of all namespaces: 0.2 to 1 ms, however few there are. Throws std::system_error.
    std::vector<TcpSocket> established();

    /// The present state of connections found before, without those that are gone; some 2 us each. Throws
    /// std::system_error.
    std::vector<TcpSocket> refresh(std::span<const TcpSocket> sockets);

  private:
    void request_all();
    std::span<const std::uint8_t> receive();
    std::size_t receive_answers(std::vector<TcpSocket>& present);

    UniqueFd socket_;
    std::vector<std::uint8_t> filter_;
    std::vector<std::uint8_t> buffer_;
    std::uint32_t sequence_ = 0;
};

/// The kernel's byte code (INET_DIAG_REQ_BYTECODE) that lets connections to these addresses pass.
std::vector<std::uint8_t> filter_by_remote(std::span<const Address> remotes);

/// What one netlink datagram held.
struct DiagAnswers {
    std::vector<TcpSocket> sockets;
    std::size_t count = 0;  ///< answers of any kind, errors among them
    bool end = false;       ///< of a dump
    int error = 0;          ///< errno of the last error message or of a dump that broke off, 0: none
};

/// Reads the messages with this sequence number. Checks every length.
DiagAnswers parse_answers(std::span<const std::uint8_t> datagram, std::uint32_t sequence);

}  // namespace fairlead::agent
