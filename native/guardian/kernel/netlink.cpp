// SPDX-License-Identifier: Apache-2.0
#include "kernel/netlink.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

namespace fairlead::guardian {

namespace {

constexpr std::size_t align(std::size_t size_B) {
    return (size_B + NLMSG_ALIGNTO - 1) & ~std::size_t{NLMSG_ALIGNTO - 1};
}
constexpr std::size_t kMessageHeader_B = align(sizeof(nlmsghdr));
constexpr std::size_t kAttributeHeader_B = align(sizeof(nlattr));

// Calls `visit` with each attribute of the bytes from `start` to `end`, up to one that does not fit.
template <typename Visit>
void each_attribute(const char* start, const char* end, const Visit& visit) {
    while (static_cast<std::size_t>(end - start) >= kAttributeHeader_B) {
        const auto* attribute = reinterpret_cast<const nlattr*>(start);
        const auto left_B = static_cast<std::size_t>(end - start);
        if (attribute->nla_len < kAttributeHeader_B || attribute->nla_len > left_B) return;
        visit(attribute);
        if (align(attribute->nla_len) > left_B) return;
        start += align(attribute->nla_len);
    }
}

// The same with each message.
template <typename Visit>
void each_message(const std::vector<char>& bytes, const Visit& visit) {
    const char* start = bytes.data();
    const char* const end = start + bytes.size();
    while (static_cast<std::size_t>(end - start) >= kMessageHeader_B) {
        const auto* message = reinterpret_cast<const nlmsghdr*>(start);
        const auto left_B = static_cast<std::size_t>(end - start);
        if (message->nlmsg_len < kMessageHeader_B || message->nlmsg_len > left_B) return;
        visit(message);
        if (align(message->nlmsg_len) > left_B) return;
        start += align(message->nlmsg_len);
    }
}

template <typename Visit>
void each_attribute(const nlattr* nest, const Visit& visit) {
    if (nest == nullptr) return;
    const auto* start = static_cast<const char*>(payload(nest));
    each_attribute(start, start + payload_B(nest), visit);
}

// The errno with which the kernel answers a request; 0: it was carried out. Of a message of type NLMSG_ERROR.
int error_of(const nlmsghdr* message) {
    return payload_B(message) < sizeof(nlmsgerr) ? EBADMSG : -static_cast<const nlmsgerr*>(payload(message))->error;
}

// The errno with which a dump broke off; 0: it is whole. Of a message of type NLMSG_DONE.
int error_of_dump(const nlmsghdr* message) {
    std::int32_t code = 0;
    if (payload_B(message) >= sizeof(code)) std::memcpy(&code, payload(message), sizeof(code));
    return code < 0 ? -code : 0;
}

// What the kernel adds to a refusal in words (extended acknowledgement), if anything.
std::string extended_text(const nlmsghdr* message) {
    if (!(message->nlmsg_flags & NLM_F_ACK_TLVS) || payload_B(message) < sizeof(nlmsgerr)) return {};
    const auto* failure = static_cast<const nlmsgerr*>(payload(message));
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

const void* payload(const nlmsghdr* message) {
    return reinterpret_cast<const char*>(message) + kMessageHeader_B;
}

std::size_t payload_B(const nlmsghdr* message) {
    return message->nlmsg_len - kMessageHeader_B;
}

const void* payload(const nlattr* attribute) {
    return reinterpret_cast<const char*>(attribute) + kAttributeHeader_B;
}

std::size_t payload_B(const nlattr* attribute) {
    return attribute->nla_len - kAttributeHeader_B;
}

Message::Message(std::uint16_t type, std::uint16_t flags) {
    header()->nlmsg_len = kMessageHeader_B;
    header()->nlmsg_type = type;
    header()->nlmsg_flags = flags;
}

Message Message::repeat(std::uint16_t type, const nlmsghdr* shown) {
    Message message(type);
    const std::size_t size_B = payload_B(shown);
    std::memcpy(message.append(size_B), fairlead::guardian::payload(shown), size_B);
    return message;
}

void* Message::append(std::size_t size_B) {
    const std::size_t start_B = header()->nlmsg_len;
    if (align(size_B) > buffer_.size() - start_B) throw std::length_error("netlink request too long");
    header()->nlmsg_len += static_cast<std::uint32_t>(align(size_B));
    return buffer_.data() + start_B;
}

void Message::put(std::uint16_t attribute, const void* data, std::size_t size_B) {
    auto* start = static_cast<nlattr*>(append(kAttributeHeader_B + size_B));
    start->nla_len = static_cast<std::uint16_t>(kAttributeHeader_B + size_B);
    start->nla_type = attribute;
    if (size_B > 0) std::memcpy(reinterpret_cast<char*>(start) + kAttributeHeader_B, data, size_B);
}

void Message::put_u16_network(std::uint16_t attribute, std::uint16_t value) {
    const std::uint16_t network = htons(value);
    put(attribute, &network, sizeof(network));
}

void Message::put_u32_network(std::uint16_t attribute, std::uint32_t value) {
    put_u32(attribute, htonl(value));
}

void Message::put_address(std::uint16_t attribute, const Address& address) {
    put(attribute, address.bytes().data(), address.bytes().size());
}

void Message::put_text(std::uint16_t attribute, const std::string& text) {
    put(attribute, text.c_str(), text.size() + 1);
}

void Message::nest(std::uint16_t attribute, const std::function<void()>& fill) {
    const std::size_t start_B = header()->nlmsg_len;
    auto* start = static_cast<nlattr*>(append(kAttributeHeader_B));
    start->nla_type = static_cast<std::uint16_t>(attribute | NLA_F_NESTED);
    fill();
    start->nla_len = static_cast<std::uint16_t>(header()->nlmsg_len - start_B);
}

Netlink::Netlink(int protocol) : protocol_(protocol) {
    open();
}

Netlink::~Netlink() {
    if (socket_ >= 0) close(socket_);
}

void Netlink::open() {
    if (socket_ >= 0) close(socket_);
    socket_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol_);
    sockaddr_nl own{};
    own.nl_family = AF_NETLINK;
    if (socket_ < 0 || bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0)
        throw KernelError(errno, describe("netlink socket", errno, {}));
    // Refusals in words, and dumps that the kernel filters. Both are only conveniences: old kernels lack them.
    const int on = 1;
    setsockopt(socket_, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
    setsockopt(socket_, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
}

void Netlink::number(Message& message, std::uint16_t flags) {
    nlmsghdr* header = message.header();
    header->nlmsg_flags = static_cast<std::uint16_t>(header->nlmsg_flags | NLM_F_REQUEST | flags);
    header->nlmsg_seq = ++sequence_;
}

void Netlink::send(const void* data, std::size_t size_B, const std::string& what) {
    if (socket_ < 0) open();  // there was no room for another one
    sockaddr_nl kernel{};
    kernel.nl_family = AF_NETLINK;
    if (sendto(socket_, data, size_B, 0, reinterpret_cast<const sockaddr*>(&kernel), sizeof(kernel)) < 0)
        throw KernelError(errno, describe(what, errno, {}));
}

void Netlink::send(Message& message, std::uint16_t flags, const std::string& what) {
    number(message, flags);
    send(message.header(), message.header()->nlmsg_len, what);
}

std::vector<char> Netlink::receive(const std::string& what) {
    std::vector<char> bytes(kReceiveBuffer_B);
    iovec part{bytes.data(), bytes.size()};
    msghdr datagram{};
    datagram.msg_iov = &part;
    datagram.msg_iovlen = 1;
    const ssize_t size_B = recvmsg(socket_, &datagram, 0);
    const int error = size_B < 0 ? errno : datagram.msg_flags & MSG_TRUNC ? ENOSPC : 0;
    if (error != 0) throw KernelError(error, describe(what, error, {}));
    bytes.resize(static_cast<std::size_t>(size_B));
    return bytes;
}

int Netlink::try_transact(Message& message, const std::string& what, std::string& kernel_text) {
    send(message, NLM_F_ACK, what);
    for (;;) {
        std::optional<int> error;
        each_message(receive(what), [&](const nlmsghdr* answer) {
            if (answer->nlmsg_seq != sequence_ || answer->nlmsg_type != NLMSG_ERROR) return;
            error = error_of(answer);
            if (*error != 0) kernel_text = extended_text(answer);
        });
        if (error) return *error;
    }
}

void Netlink::transact(Message& message, const std::string& what) {
    std::string kernel_text;
    const int error = try_transact(message, what, kernel_text);
    if (error != 0) throw KernelError(error, describe(what, error, kernel_text));
}

void Netlink::transact_all(std::vector<Message>& messages, const std::string& what) {
    const std::uint32_t before = sequence_;
    std::vector<char> packet;
    for (Message& message : messages) {
        number(message, 0);
        const auto* bytes = reinterpret_cast<const char*>(message.header());
        packet.insert(packet.end(), bytes, bytes + message.header()->nlmsg_len);
    }
    std::size_t awaited = 0;
    for (Message& message : messages) awaited += (message.header()->nlmsg_flags & NLM_F_ACK) != 0;
    send(packet.data(), packet.size(), what);
    while (awaited > 0)
        each_message(receive(what), [&](const nlmsghdr* answer) {
            if (answer->nlmsg_type != NLMSG_ERROR || answer->nlmsg_seq <= before) return;
            const int error = error_of(answer);
            if (error != 0) throw KernelError(error, describe(what, error, extended_text(answer)));
            if (awaited > 0) --awaited;
        });
}

bool Netlink::remove(Message& message, const std::string& what) {
    std::string kernel_text;
    const int error = try_transact(message, what, kernel_text);
    if (error == 0) return true;
    if (error == ENOENT || error == ESRCH || error == ENODEV || error == EADDRNOTAVAIL) return false;
    throw KernelError(error, describe(what, error, kernel_text));
}

void Netlink::get(Message& message, const std::string& what, const std::function<void(const nlmsghdr*)>& visit) {
    send(message, 0, what);
    for (bool answered = false; !answered;)
        each_message(receive(what), [&](const nlmsghdr* answer) {
            if (answer->nlmsg_seq != sequence_ || answered) return;
            answered = true;
            if (answer->nlmsg_type != NLMSG_ERROR) return visit(answer);
            const int error = error_of(answer);
            throw KernelError(error, describe(what, error, extended_text(answer)));
        });
}

bool Netlink::try_dump(Message& message, const std::string& what, std::vector<char>& shown) {
    send(message, NLM_F_DUMP, what);
    bool consistent = true;
    for (bool done = false; !done;)
        each_message(receive(what), [&](const nlmsghdr* piece) {
            if (piece->nlmsg_seq != sequence_ || done) return;
            consistent = consistent && !(piece->nlmsg_flags & NLM_F_DUMP_INTR);
            done = piece->nlmsg_type == NLMSG_DONE;
            if (done) {
                const int error = error_of_dump(piece);
                if (error != 0) throw KernelError(error, describe(what, error, {}));
                return;
            }
            if (piece->nlmsg_type == NLMSG_ERROR) {
                const int error = error_of(piece);
                throw KernelError(error, describe(what, error, extended_text(piece)));
            }
            const auto* bytes = reinterpret_cast<const char*>(piece);
            shown.insert(shown.end(), bytes, bytes + piece->nlmsg_len);
            shown.resize(align(shown.size()));
        });
    return consistent;
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
    each_message(shown, visit);
}

Attributes::Attributes(const nlmsghdr* message, std::size_t family_header_B) {
    const auto* start = static_cast<const char*>(payload(message));
    if (align(family_header_B) > payload_B(message)) return;
    each_attribute(start + align(family_header_B), start + payload_B(message), [&](const nlattr* attribute) {
        const std::size_t type = attribute->nla_type & NLA_TYPE_MASK;
        if (type < found_.size()) found_[type] = attribute;
    });
}

Attributes::Attributes(const nlattr* nest) {
    each_attribute(nest, [&](const nlattr* attribute) {
        const std::size_t type = attribute->nla_type & NLA_TYPE_MASK;
        if (type < found_.size()) found_[type] = attribute;
    });
}

const nlattr* Attributes::find(std::uint16_t type) const {
    return type < found_.size() ? found_[type] : nullptr;
}

std::uint8_t Attributes::u8(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    return attribute && payload_B(attribute) >= 1 ? *static_cast<const std::uint8_t*>(payload(attribute))
                                                  : std::uint8_t{};
}

std::uint32_t Attributes::u32(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    std::uint32_t value = 0;
    if (attribute && payload_B(attribute) >= sizeof(value)) std::memcpy(&value, payload(attribute), sizeof(value));
    return value;
}

std::uint32_t Attributes::u32_network(std::uint16_t type) const {
    return ntohl(u32(type));
}

Address Attributes::address(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    if (attribute == nullptr) return {};
    return Address::of({static_cast<const std::uint8_t*>(payload(attribute)), payload_B(attribute)});
}

std::string Attributes::text(std::uint16_t type) const {
    const nlattr* attribute = find(type);
    if (attribute == nullptr) return {};
    const auto* start = static_cast<const char*>(payload(attribute));
    return {start, strnlen(start, payload_B(attribute))};
}

std::vector<const nlattr*> attributes_of(const nlattr* nest) {
    std::vector<const nlattr*> found;
    each_attribute(nest, [&](const nlattr* attribute) { found.push_back(attribute); });
    return found;
}

}  // namespace fairlead::guardian
