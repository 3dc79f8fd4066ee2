// SPDX-License-Identifier: Apache-2.0
// Requests to the kernel over netlink: one that is acknowledged, several that take effect together, or a dump.
#pragma once

#include <linux/netlink.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/address.hpp"

namespace fairlead::guardian {

// The kernel refused something. `error` is its errno; what() says what was wanted and, where the kernel told, why not.
struct KernelError : std::runtime_error {
    KernelError(int errno_value, const std::string& what);
    int error;
};

// What follows the header of a message or attribute, and its size.
const void* payload(const nlmsghdr* message);
std::size_t payload_B(const nlmsghdr* message);
const void* payload(const nlattr* attribute);
std::size_t payload_B(const nlattr* attribute);

// One request under construction.
class Message {
  public:
    explicit Message(std::uint16_t type, std::uint16_t flags = 0);
    // A request with the payload of another message (to delete exactly what a dump showed).
    static Message repeat(std::uint16_t type, const nlmsghdr* shown);

    // The family header that follows the netlink header; all zero at first.
    template <typename Family>
    Family& family() {
        return *static_cast<Family*>(append(sizeof(Family)));
    }
    void put(std::uint16_t attribute, const void* data, std::size_t size_B);
    void put_u8(std::uint16_t attribute, std::uint8_t value) { put(attribute, &value, sizeof(value)); }
    void put_u16_network(std::uint16_t attribute, std::uint16_t value);
    void put_u32(std::uint16_t attribute, std::uint32_t value) { put(attribute, &value, sizeof(value)); }
    void put_u32_network(std::uint16_t attribute, std::uint32_t value);
    void put_address(std::uint16_t attribute, const Address& address);
    void put_text(std::uint16_t attribute, const std::string& text);
    // Attributes put by `fill` are nested in `attribute`.
    void nest(std::uint16_t attribute, const std::function<void()>& fill);

    nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(buffer_.data()); }
    // What follows the netlink header.
    void* payload() { return buffer_.data() + NLMSG_HDRLEN; }

  private:
    // Room at the end, aligned as the kernel wants it.
    void* append(std::size_t size_B);

    alignas(nlmsghdr) std::array<char, 2048> buffer_{};
};

class Netlink {
  public:
    explicit Netlink(int protocol = NETLINK_ROUTE);
    Netlink(const Netlink&) = delete;
    Netlink& operator=(const Netlink&) = delete;
    ~Netlink();

    // Sends the request and waits for the kernel's acknowledgement. Throws KernelError with `what` in its text.
    void transact(Message& message, const std::string& what);
    // Sends several requests at once and waits until all are acknowledged. Throws KernelError for the first refusal.
    void transact_all(std::vector<Message>& messages, const std::string& what);
    // The same for removals: true if removed, false if it was not there.
    bool remove(Message& message, const std::string& what);
    // Asks for one thing and calls `visit` with the answer. Throws KernelError with `what` in its text.
    void get(Message& message, const std::string& what, const std::function<void(const nlmsghdr*)>& visit);
    // Calls `visit` with each message of the dump.
    void dump(Message& message, const std::string& what, const std::function<void(const nlmsghdr*)>& visit);

  private:
    int try_transact(Message& message, const std::string& what, std::string& kernel_text);
    // False if the kernel's tables changed meanwhile.
    bool try_dump(Message& message, const std::string& what, std::vector<char>& shown);
    void open();
    void number(Message& message, std::uint16_t flags);
    void send(const void* data, std::size_t size_B, const std::string& what);
    void send(Message& message, std::uint16_t flags, const std::string& what);
    // The messages of the next datagram. Throws KernelError with `what` in its text.
    std::vector<char> receive(const std::string& what);

    int protocol_;
    int socket_ = -1;
    std::uint32_t sequence_ = 0;
};

// Attribute lookup by type in a parsed list; null where absent.
class Attributes {
  public:
    Attributes(const nlmsghdr* message, std::size_t family_header_B);
    explicit Attributes(const nlattr* nest);

    bool has(std::uint16_t type) const { return find(type) != nullptr; }
    // Zero or empty where the attribute is absent or too short.
    std::uint8_t u8(std::uint16_t type) const;
    std::uint32_t u32(std::uint16_t type) const;
    std::uint32_t u32_network(std::uint16_t type) const;
    // Of no family where it is absent or of another length.
    Address address(std::uint16_t type) const;
    std::string text(std::uint16_t type) const;
    const nlattr* find(std::uint16_t type) const;

  private:
    std::array<const nlattr*, 80> found_{};
};

// The attributes of a nest, in their order; none if it is null.
std::vector<const nlattr*> attributes_of(const nlattr* nest);

}  // namespace fairlead::guardian
