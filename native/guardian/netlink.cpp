// SPDX-License-Identifier: Apache-2.0
#include "netlink.hpp"

#include <arpa/inet.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace fairlead::guardian {

namespace {

// What the kernel adds to a refusal in words (extended acknowledgement), if anything.
std::string extended_text(const nlmsghdr* message) {
    if (!(message->nlmsg_flags & NLM_F_ACK_TLVS)) return {};
    const auto* failure = static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(message));
    std::size_t offset_B = sizeof(nlmsgerr);
    if (!(message->nlmsg_flags & NLM_F_CAPPED)) offset_B += failure->msg.nlmsg_len - sizeof(nlmsghdr);
    return Attributes(message, offset_B).text(NLMSGERR_ATTR_MSG);
}

std::string describe(const std::string& what, int error, const std::string& kernel_text) {
    return what + ": " + std::strerror(error) + (kernel_text.empty() ? "" : " (" + kernel_text + ")");
}

constexpr std::size_t kReceiveBuffer_B = 32768;  // the kernel's own limit for one piece of a dump

}  // namespace

KernelError::KernelError(int errno_value, const std::string& what) : std::runtime_error(what), error(errno_value) {}

Message::Message(std::uint16_t type, std::uint16_t flags) {
    mnl_nlmsg_put_header(buffer_.data());
    header()->nlmsg_type = type;
    header()->nlmsg_flags = flags;
}

Message Message::repeat(std::uint16_t type, const nlmsghdr* shown) {
    Message message(type);
    const std::size_t payload_B = mnl_nlmsg_get_payload_len(shown);
    if (MNL_NLMSG_HDRLEN + payload_B > message.buffer_.size())
        throw std::length_error("netlink message too long to repeat");
    std::memcpy(mnl_nlmsg_get_payload(message.header()), mnl_nlmsg_get_payload(shown), payload_B);
    message.header()->nlmsg_len = static_cast<std::uint32_t>(MNL_NLMSG_HDRLEN + payload_B);
    return message;
}

void Message::put(std::uint16_t attribute, const void* data, std::size_t size_B) {
    if (!mnl_attr_put_check(header(), buffer_.size(), attribute, size_B, data))
        throw std::length_error("netlink request too long");
}

void Message::put_u16_network(std::uint16_t attribute, std::uint16_t value) {
    const std::uint16_t network = htons(value);
    put(attribute, &network, sizeof(network));
}

void Message::put_address(std::uint16_t attribute, std::uint32_t address_host_order) {
    put_u32(attribute, htonl(address_host_order));
}

void Message::put_text(std::uint16_t attribute, const std::string& text) {
    put(attribute, text.c_str(), text.size() + 1);
}

void Message::nest(std::uint16_t attribute, const std::function<void()>& fill) {
    nlattr* start = mnl_attr_nest_start_check(header(), buffer_.size(), attribute);
    if (start == nullptr) throw std::length_error("netlink request too long");
    fill();
    mnl_attr_nest_end(header(), start);
}

Netlink::Netlink() : socket_(nullptr, mnl_socket_close) {
    open();
}

void Netlink::open() {
    socket_.reset(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
    if (!socket_ || mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) != 0)
        throw KernelError(errno, describe("netlink socket", errno, {}));
    // Refusals in words, and dumps that the kernel filters. Both are only conveniences: old kernels lack them.
    int on = 1;
    mnl_socket_setsockopt(socket_.get(), NETLINK_EXT_ACK, &on, sizeof(on));
    mnl_socket_setsockopt(socket_.get(), NETLINK_GET_STRICT_CHK, &on, sizeof(on));
}

void Netlink::send(Message& message, std::uint16_t flags, const std::string& what) {
    nlmsghdr* header = message.header();
    header->nlmsg_flags = static_cast<std::uint16_t>(header->nlmsg_flags | NLM_F_REQUEST | flags);
    header->nlmsg_seq = ++sequence_;
    if (mnl_socket_sendto(socket_.get(), header, header->nlmsg_len) < 0)
        throw KernelError(errno, describe(what, errno, {}));
}

int Netlink::try_transact(Message& message, std::string& kernel_text) {
    send(message, NLM_F_ACK, "netlink request");
    std::vector<char> buffer(kReceiveBuffer_B);
    for (;;) {
        const ssize_t size_B = mnl_socket_recvfrom(socket_.get(), buffer.data(), buffer.size());
        if (size_B < 0) return errno;
        const auto* answer = reinterpret_cast<const nlmsghdr*>(buffer.data());
        if (!mnl_nlmsg_ok(answer, static_cast<int>(size_B)) || answer->nlmsg_seq != sequence_ ||
            answer->nlmsg_type != NLMSG_ERROR)
            continue;
        const int error = -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(answer))->error;
        if (error != 0) kernel_text = extended_text(answer);
        return error;
    }
}

void Netlink::transact(Message& message, const std::string& what) {
    std::string kernel_text;
    const int error = try_transact(message, kernel_text);
    if (error != 0) throw KernelError(error, describe(what, error, kernel_text));
}

bool Netlink::remove(Message& message, const std::string& what) {
    std::string kernel_text;
    const int error = try_transact(message, kernel_text);
    if (error == 0) return true;
    if (error == ENOENT || error == ESRCH || error == ENODEV || error == EADDRNOTAVAIL) return false;
    throw KernelError(error, describe(what, error, kernel_text));
}

void Netlink::get(Message& message, const std::string& what, const std::function<void(const nlmsghdr*)>& visit) {
    send(message, 0, what);
    std::vector<char> buffer(kReceiveBuffer_B);
    for (;;) {
        const ssize_t size_B = mnl_socket_recvfrom(socket_.get(), buffer.data(), buffer.size());
        if (size_B < 0) throw KernelError(errno, describe(what, errno, {}));
        const auto* answer = reinterpret_cast<const nlmsghdr*>(buffer.data());
        if (!mnl_nlmsg_ok(answer, static_cast<int>(size_B)) || answer->nlmsg_seq != sequence_) continue;
        if (answer->nlmsg_type == NLMSG_ERROR) {
            const int error = -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(answer))->error;
            throw KernelError(error, describe(what, error, extended_text(answer)));
        }
        return visit(answer);
    }
}

bool Netlink::try_dump(Message& message, const std::string& what, std::vector<char>& shown) {
    send(message, NLM_F_DUMP, what);
    bool consistent = true;
    std::vector<char> buffer(kReceiveBuffer_B);
    for (;;) {
        const ssize_t size_B = mnl_socket_recvfrom(socket_.get(), buffer.data(), buffer.size());
        if (size_B < 0) throw KernelError(errno, describe(what, errno, {}));
        int left_B = static_cast<int>(size_B);
        for (const auto* piece = reinterpret_cast<const nlmsghdr*>(buffer.data()); mnl_nlmsg_ok(piece, left_B);
             piece = mnl_nlmsg_next(piece, &left_B)) {
            if (piece->nlmsg_seq != sequence_) continue;
            consistent = consistent && !(piece->nlmsg_flags & NLM_F_DUMP_INTR);
            if (piece->nlmsg_type == NLMSG_DONE) return consistent;
            if (piece->nlmsg_type == NLMSG_ERROR) {
                const int error = -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(piece))->error;
                throw KernelError(error, describe(what, error, extended_text(piece)));
            }
            const auto* bytes = reinterpret_cast<const char*>(piece);
            shown.insert(shown.end(), bytes, bytes + MNL_ALIGN(piece->nlmsg_len));
        }
    }
}

void Netlink::dump(Message& message, const std::string& what, const std::function<void(const nlmsghdr*)>& visit) {
    constexpr int kAttempts = 20;  // the kernel says when something changed under the dump; then it is taken again
    std::vector<char> shown;
    const auto taken_whole = [&] {
        try {
            return try_dump(message, what, shown);
        } catch (const std::exception&) {
            open();  // as long as this one was not read to its end, the kernel refuses the next on the same socket
            throw;
        }
    };
    for (int attempt = 1; !taken_whole(); ++attempt) {
        if (attempt == kAttempts) throw KernelError(EAGAIN, what + ": changes faster than it can be read");
        shown.clear();
    }
    int left_B = static_cast<int>(shown.size());
    for (const auto* piece = reinterpret_cast<const nlmsghdr*>(shown.data()); mnl_nlmsg_ok(piece, left_B);
         piece = mnl_nlmsg_next(piece, &left_B))
        visit(piece);
}

Attributes::Attributes(const nlmsghdr* message, std::size_t family_header_B) {
    mnl_attr_parse(message, static_cast<unsigned int>(family_header_B), add, this);
}

Attributes::Attributes(const nlattr* nest) {
    if (nest != nullptr) mnl_attr_parse_nested(nest, add, this);
}

int Attributes::add(const nlattr* attribute, void* attributes) {
    auto& found = static_cast<Attributes*>(attributes)->found_;
    const std::uint16_t type = mnl_attr_get_type(attribute);
    if (type < found.size()) found[type] = attribute;
    return MNL_CB_OK;
}

const nlattr* Attributes::find(std::uint16_t type) const {
    return type < found_.size() ? found_[type] : nullptr;
}

std::uint8_t Attributes::u8(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    return attribute && mnl_attr_get_payload_len(attribute) >= 1 ? mnl_attr_get_u8(attribute) : std::uint8_t{0};
}

std::uint32_t Attributes::u32(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    return attribute && mnl_attr_get_payload_len(attribute) >= 4 ? mnl_attr_get_u32(attribute) : 0;
}

std::uint32_t Attributes::address(std::uint16_t type) const {
    return ntohl(u32(type));
}

std::string Attributes::text(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    if (attribute == nullptr) return {};
    const char* start = mnl_attr_get_str(attribute);
    return {start, strnlen(start, mnl_attr_get_payload_len(attribute))};
}

}  // namespace fairlead::guardian
