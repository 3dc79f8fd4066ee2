// SPDX-License-Identifier: Apache-2.0
#include "watch/sock_diag.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

constexpr std::size_t kBuffer_B = 64 * 1024;  // more than the kernel puts into one datagram of a dump
constexpr std::size_t kAnswer_B = 1024;       // more than it says of one connection
constexpr std::size_t kAnswersAtOnce = 32;
static_assert(kAnswersAtOnce * kAnswer_B <= kBuffer_B);
constexpr std::uint32_t kEstablished = 1;  // TCP_ESTABLISHED
constexpr timeval kPatience{.tv_sec = 0, .tv_usec = 200'000};

struct Request {
    nlmsghdr header;
    inet_diag_req_v2 body;
};

/// The older request. Only this one has the kernel list both families in one walk through its table.
struct ListRequest {
    nlmsghdr header;
    inet_diag_req body;
    rtattr filter;
};

std::size_t aligned(std::size_t length) {
    return (length + NLMSG_ALIGNTO - 1) & ~std::size_t{NLMSG_ALIGNTO - 1};
}

template <typename T>
std::optional<T> read_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
    if (bytes.size() < offset || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

/// TCP_INFO as far as this kernel knows it; what it does not know is 0.
std::optional<tcp_info> find_info(std::span<const std::uint8_t> attributes) {
    std::size_t offset = 0;
    while (const auto attribute = read_at<rtattr>(attributes, offset)) {
        if (attribute->rta_len < sizeof(rtattr) || attribute->rta_len > attributes.size() - offset) return std::nullopt;
        if (attribute->rta_type == INET_DIAG_INFO) {
            tcp_info info{};
            const std::size_t length = std::min<std::size_t>(attribute->rta_len - sizeof(rtattr), sizeof info);
            std::memcpy(&info, attributes.data() + offset + sizeof(rtattr), length);
            return info;
        }
        offset += aligned(attribute->rta_len);
    }
    return std::nullopt;
}

/// The address that a socket is connected to; of no family where it is of neither that is known here.
Address remote_address(const inet_diag_msg& message) {
    if (message.idiag_family == AF_INET) return Address(in_addr{message.id.idiag_dst[0]});
    if (message.idiag_family != AF_INET6) return {};
    in6_addr address{};
    static_assert(sizeof address == sizeof message.id.idiag_dst);
    std::memcpy(&address, message.id.idiag_dst, sizeof address);
    return Address(address);
}

std::uint64_t in_flight_B(const tcp_info& info) {
    const std::int64_t packets =
        std::int64_t{info.tcpi_unacked} - info.tcpi_sacked - info.tcpi_lost + info.tcpi_retrans;
    return packets > 0 ? static_cast<std::uint64_t>(packets) * info.tcpi_snd_mss : 0;
}

TcpSocket describe(const inet_diag_msg& message, const Address& remote, const tcp_info& info) {
    TcpSocket socket;
    socket.family = message.idiag_family;
    socket.id = message.id;
    socket.cookie = std::uint64_t{message.id.idiag_cookie[1]} << 32 | message.id.idiag_cookie[0];
    socket.remote = remote;
    socket.local_port = ntohs(message.id.idiag_sport);
    socket.remote_port = ntohs(message.id.idiag_dport);
    socket.uid = message.idiag_uid;
    socket.srtt_s = info.tcpi_rtt * 1e-6;
    socket.min_rtt_s = info.tcpi_min_rtt == ~0U ? 0.0 : info.tcpi_min_rtt * 1e-6;
    socket.rto_s = info.tcpi_rto * 1e-6 / static_cast<double>(std::uint64_t{1} << std::min<int>(info.tcpi_backoff, 31));
    socket.in_flight_B = in_flight_B(info);
    socket.acked_B = info.tcpi_bytes_acked;
    socket.received_B = info.tcpi_bytes_received;
    socket.retransmits = info.tcpi_total_retrans;
    socket.busy_s = static_cast<double>(info.tcpi_busy_time) * 1e-6;
    socket.held_up_s = static_cast<double>(info.tcpi_rwnd_limited + info.tcpi_sndbuf_limited) * 1e-6;
    socket.app_limited = info.tcpi_delivery_rate_app_limited != 0;
    socket.delivery_bps = 8.0 * static_cast<double>(info.tcpi_delivery_rate);
    return socket;
}

void take(std::span<const std::uint8_t> payload, std::vector<TcpSocket>& sockets) {
    const auto message = read_at<inet_diag_msg>(payload, 0);
    if (!message || message->idiag_state != kEstablished || payload.size() < aligned(sizeof *message)) return;
    const Address remote = remote_address(*message);
    const auto info = find_info(payload.subspan(aligned(sizeof *message)));
    if (remote != Address() && info) sockets.push_back(describe(*message, remote, *info));
}

Request ask_for(const TcpSocket& socket, std::uint32_t sequence) {
    Request message{};
    message.header = {.nlmsg_len = sizeof message,
                      .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                      .nlmsg_flags = NLM_F_REQUEST,
                      .nlmsg_seq = sequence,
                      .nlmsg_pid = 0};
    message.body.sdiag_family = socket.family;
    message.body.sdiag_protocol = IPPROTO_TCP;
    message.body.idiag_ext = 1 << (INET_DIAG_INFO - 1);
    message.body.idiag_states = 1U << kEstablished;
    message.body.id = socket.id;
    return message;
}

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
}

/// The kernel's codes are negative errnos.
int errno_of(std::int32_t code) {
    constexpr std::int32_t kMost = 4095;
    return code <= 0 && code >= -kMost ? -code : EPROTO;
}

/// Of an answer about one connection: there is none of that name any more.
bool is_gone(int error) {
    return error == ENOENT || error == ESTALE;
}

/// Of the byte code that compares one address.
std::uint8_t step_B(const Address& remote) {
    return static_cast<std::uint8_t>(sizeof(inet_diag_bc_op) + sizeof(inet_diag_hostcond) + remote.bytes().size());
}

constexpr const char* kWhat = "the kernel's list of TCP connections (sock_diag)";

}  // namespace

DiagAnswers parse_answers(std::span<const std::uint8_t> datagram, std::uint32_t sequence) {
    DiagAnswers answers;
    std::size_t offset = 0;
    while (const auto header = read_at<nlmsghdr>(datagram, offset)) {
        if (header->nlmsg_len < sizeof *header || header->nlmsg_len > datagram.size() - offset) break;
        const auto payload = datagram.subspan(offset + sizeof *header, header->nlmsg_len - sizeof *header);
        offset += aligned(header->nlmsg_len);
        if (header->nlmsg_seq == sequence) {  // not left over from a request that was given up
            ++answers.count;
            if (header->nlmsg_type == NLMSG_DONE) {
                answers.end = true;
                // A dump that broke off ends with a negative errno.
                if (const auto code = read_at<std::int32_t>(payload, 0); code && *code < 0)
                    answers.error = errno_of(*code);
            }
            const bool connection = header->nlmsg_type == SOCK_DIAG_BY_FAMILY || header->nlmsg_type == TCPDIAG_GETSOCK;
            if (connection) take(payload, answers.sockets);
            if (header->nlmsg_type == NLMSG_ERROR) {
                const auto error = read_at<nlmsgerr>(payload, 0);
                answers.error = error ? errno_of(error->error) : EPROTO;
            }
        }
        if (offset > datagram.size()) break;
    }
    return answers;
}

/// "or" of all steps, as the kernel's check wants it: a jump to the end behind each step but the last, which leads
/// behind the end where it does not hold, and that refuses the connection.
std::vector<std::uint8_t> filter_by_remote(std::span<const Address> remotes) {
    constexpr std::uint8_t kJump_B = sizeof(inet_diag_bc_op);
    std::size_t total_B = 0;
    for (const Address& remote : remotes) total_B += step_B(remote) + (total_B > 0 ? kJump_B : 0);
    std::vector<std::uint8_t> code;
    for (const Address& remote : remotes) {
        const std::uint8_t step = step_B(remote);
        if (!code.empty()) {
            const auto rest_B = static_cast<std::uint16_t>(total_B - code.size());
            append(code, inet_diag_bc_op{.code = INET_DIAG_BC_JMP, .yes = kJump_B, .no = rest_B});
        }
        append(code, inet_diag_bc_op{
                         .code = INET_DIAG_BC_D_COND, .yes = step, .no = static_cast<std::uint16_t>(step + kJump_B)});
        inet_diag_hostcond condition{};
        const auto address = remote.bytes();
        condition.family = static_cast<std::uint8_t>(remote.family());  // of IPv4: mapped addresses are compared, too
        condition.prefix_len = static_cast<std::uint8_t>(8 * address.size());
        condition.port = -1;  // any
        append(code, condition);
        code.insert(code.end(), address.begin(), address.end());
    }
    return code;
}

SockDiag::SockDiag(std::span<const Address> remotes)
    : socket_(checked(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), "NETLINK_SOCK_DIAG")),
      filter_(filter_by_remote(remotes)),
      buffer_(kBuffer_B) {
    checked(setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience), "SO_RCVTIMEO");
}

void SockDiag::request_all() {
    ListRequest list{};
    const std::size_t filter_B = filter_.empty() ? 0 : sizeof list.filter + filter_.size();
    const std::size_t size_B = offsetof(ListRequest, filter) + filter_B;
    list.header = {.nlmsg_len = static_cast<std::uint32_t>(size_B),
                   .nlmsg_type = TCPDIAG_GETSOCK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                   .nlmsg_seq = ++sequence_,
                   .nlmsg_pid = 0};
    list.body.idiag_ext = 1 << (INET_DIAG_INFO - 1);
    list.body.idiag_states = 1U << kEstablished;
    list.filter = {.rta_len = static_cast<std::uint16_t>(filter_B), .rta_type = INET_DIAG_REQ_BYTECODE};
    std::vector<std::uint8_t> message;
    append(message, list);
    message.insert(message.end(), filter_.begin(), filter_.end());
    checked(send(socket_.get(), message.data(), size_B, 0), kWhat);
}

std::span<const std::uint8_t> SockDiag::receive() {
    for (;;) {
        const ssize_t length = recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
        if (length < 0 && errno == EINTR) continue;
        return std::span(buffer_).first(static_cast<std::size_t>(checked(length, kWhat)));
    }
}

std::vector<TcpSocket> SockDiag::established() {
    std::vector<TcpSocket> sockets;
    request_all();
    for (bool end = false; !end;) {
        const DiagAnswers answers = parse_answers(receive(), sequence_);
        if (answers.error != 0) throw std::system_error(answers.error, std::generic_category(), kWhat);
        sockets.insert(sockets.end(), answers.sockets.begin(), answers.sockets.end());
        end = answers.end;
    }
    return sockets;
}

std::vector<TcpSocket> SockDiag::refresh(std::span<const TcpSocket> sockets) {
    std::vector<TcpSocket> present;
    ++sequence_;
    // Not all at once: the answers have to find room in the socket's buffer.
    while (!sockets.empty()) {
        const auto some = sockets.first(std::min(sockets.size(), kAnswersAtOnce));
        sockets = sockets.subspan(some.size());
        std::vector<Request> requests;
        for (const TcpSocket& socket : some) requests.push_back(ask_for(socket, sequence_));
        checked(send(socket_.get(), requests.data(), requests.size() * sizeof(Request), 0), kWhat);
        for (std::size_t answered = 0; answered < requests.size();) answered += receive_answers(present);
    }
    return present;
}

/// As many datagrams as there are, an answer each; waits for the first. Returns how many were answers.
std::size_t SockDiag::receive_answers(std::vector<TcpSocket>& present) {
    std::array<mmsghdr, kAnswersAtOnce> headers{};
    std::array<iovec, kAnswersAtOnce> parts;
    for (std::size_t i = 0; i < kAnswersAtOnce; ++i) {
        parts[i] = {.iov_base = buffer_.data() + i * kAnswer_B, .iov_len = kAnswer_B};
        headers[i].msg_hdr.msg_iov = &parts[i];
        headers[i].msg_hdr.msg_iovlen = 1;
    }
    int count = 0;
    do {
        count = recvmmsg(socket_.get(), headers.data(), kAnswersAtOnce, MSG_WAITFORONE, nullptr);
    } while (count < 0 && errno == EINTR);
    checked(count, kWhat);
    std::size_t answered = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const auto datagram = std::span<const std::uint8_t>(buffer_).subspan(i * kAnswer_B, headers[i].msg_len);
        const DiagAnswers answers = parse_answers(datagram, sequence_);
        // What the kernel does not tell of, as where it has no memory for the answer, is not gone.
        if (answers.error != 0 && !is_gone(answers.error))
            throw std::system_error(answers.error, std::generic_category(), kWhat);
        present.insert(present.end(), answers.sockets.begin(), answers.sockets.end());
        answered += answers.count;
    }
    return answered;
}

}  // namespace fairlead::agent
