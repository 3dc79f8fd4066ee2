// SPDX-License-Identifier: Apache-2.0
#include "protocol/protocol.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace fairlead::guardian {

namespace {

constexpr std::uint32_t kMagic = 0x464c4733;  // "FLG3"; the digit is the protocol's version

enum class Type : std::uint32_t {
    kSetup = 1,
    kReroute = 2,
    kRestore = 3,
    kTeardown = 4,
    kReply = 5,
    kEchoes = 6,
    kTry = 7,
    kLease = 8,
    kSetup6 = 9
};

// The wire images: fixed size, no padding, filled with zeros where strings and lists are shorter than their field.
struct Header {
    std::uint32_t magic;
    Type type;
    std::uint32_t id;
};

struct HostImage {
    std::uint32_t address;
    std::uint16_t agent_port;
    std::uint16_t reserved;
};

struct HostImage6 {
    std::array<std::uint8_t, sizeof(in6_addr)> address;
    std::uint16_t agent_port;
    std::uint16_t reserved;
};

// Of hosts with IPv4 addresses, in host byte order, or with IPv6 addresses.
template <typename HostImageOfFamily>
struct SetupImageOf {
    Header header;
    std::array<char, kMaxJobLength> job;
    std::array<char, kMaxDeviceLength + 1> device;
    std::uint32_t self;
    std::uint32_t network_id;
    std::uint32_t overlay_port;
    std::uint32_t uid_first;
    std::uint32_t uid_last;
    std::uint32_t grace_ms;
    std::uint32_t ways;
    std::uint32_t host_count;
    std::array<HostImageOfFamily, kMaxHosts> hosts;
};
using SetupImage = SetupImageOf<HostImage>;
using SetupImage6 = SetupImageOf<HostImage6>;

struct RerouteImage {
    Header header;
    std::uint32_t destination;
    std::uint32_t relay;
    std::uint32_t leg_mtu_B;
    std::uint32_t way;
};

struct RestoreImage {
    Header header;
    std::uint32_t destination;
};

struct EchoesImage {
    Header header;
    std::uint32_t lasting_port;
    std::uint32_t trial_port;
};

struct LeaseImage {
    Header header;
    std::uint32_t length_ms;
};

struct TeardownImage {
    Header header;
};

struct ReplyImage {
    Header header;
    std::int32_t error;
    std::array<char, kMaxReasonLength + 1> reason;
};

template <typename Image>
Packet pack(const Image& image) {
    static_assert(std::has_unique_object_representations_v<Image>, "padding would carry uninitialized memory");
    Packet packet(sizeof(Image));
    std::memcpy(packet.data(), &image, sizeof(Image));
    return packet;
}

template <typename Image>
std::optional<Image> unpack(std::span<const std::byte> packet) {
    if (packet.size() != sizeof(Image)) return std::nullopt;
    Image image;
    std::memcpy(&image, packet.data(), sizeof(Image));
    return image;
}

template <std::size_t N>
void put_text(std::array<char, N>& field, std::string_view text, const char* name) {
    if (text.size() > N) throw std::length_error(std::string(name) + " is longer than its field");
    field.fill('\0');
    std::copy(text.begin(), text.end(), field.begin());
}

// The text before the first zero. What follows must be zeros, so that one request has one image.
template <std::size_t N>
std::optional<std::string> get_text(const std::array<char, N>& field) {
    const auto end = std::find(field.begin(), field.end(), '\0');
    if (!std::all_of(end, field.end(), [](char c) { return c == '\0'; })) return std::nullopt;
    return std::string(field.begin(), end);
}

std::uint32_t host_order(const Address& address) {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : address.bytes()) value = value << 8 | byte;
    return value;
}

void put_host(HostImage& image, const Host& host) {
    image = {host_order(host.address), host.agent_port, 0};
}

void put_host(HostImage6& image, const Host& host) {
    image = {{}, host.agent_port, 0};
    std::ranges::copy(host.address.bytes(), image.address.begin());
}

Host get_host(const HostImage& image) {
    return {Address(in_addr{htonl(image.address)}), image.agent_port};
}

Host get_host(const HostImage6& image) {
    return {Address::of(image.address), image.agent_port};
}

template <typename Image>
Packet encode_setup(Type type, std::uint32_t id, const Setup& setup) {
    if (setup.hosts.size() > kMaxHosts) throw std::length_error("hosts: more than " + std::to_string(kMaxHosts));
    Image image{};
    image.header = {kMagic, type, id};
    put_text(image.job, setup.job, "job");
    put_text(image.device, setup.device, "device");
    image.self = setup.self;
    image.network_id = setup.network_id;
    image.overlay_port = setup.overlay_port;
    image.uid_first = setup.uid_first;
    image.uid_last = setup.uid_last;
    image.grace_ms = setup.grace_ms;
    image.ways = setup.ways;
    image.host_count = static_cast<std::uint32_t>(setup.hosts.size());
    for (std::size_t i = 0; i < setup.hosts.size(); ++i) put_host(image.hosts[i], setup.hosts[i]);
    return pack(image);
}

Packet encode_body(std::uint32_t id, const Setup& setup) {
    return setup.family() == AF_INET6 ? encode_setup<SetupImage6>(Type::kSetup6, id, setup)
                                      : encode_setup<SetupImage>(Type::kSetup, id, setup);
}

Packet encode_body(std::uint32_t id, const Reroute& reroute) {
    return pack(
        RerouteImage{{kMagic, Type::kReroute, id}, reroute.destination, reroute.relay, reroute.leg_mtu_B, reroute.way});
}

Packet encode_body(std::uint32_t id, const Restore& back) {
    return pack(RestoreImage{{kMagic, Type::kRestore, id}, back.destination});
}

Packet encode_body(std::uint32_t id, const Teardown&) {
    return pack(TeardownImage{{kMagic, Type::kTeardown, id}});
}

Packet encode_body(std::uint32_t id, const Echoes& echoes) {
    return pack(EchoesImage{{kMagic, Type::kEchoes, id}, echoes.lasting_port, echoes.trial_port});
}

Packet encode_body(std::uint32_t id, const Try& trial) {
    return pack(RerouteImage{{kMagic, Type::kTry, id}, trial.destination, trial.relay, trial.leg_mtu_B, trial.way});
}

Packet encode_body(std::uint32_t id, const Lease& lease) {
    return pack(LeaseImage{{kMagic, Type::kLease, id}, lease.length_ms});
}

using Decoded = std::variant<Request, Refusal>;

Refusal wrong_size(std::uint32_t id, std::size_t size_B, std::size_t expected_B) {
    return {id, EBADMSG,
            "packet of " + std::to_string(size_B) + " bytes where its type has " + std::to_string(expected_B)};
}

template <typename Image>
Decoded decode_setup(const Image& image) {
    const std::uint32_t id = image.header.id;
    const auto job = get_text(image.job);
    const auto device = get_text(image.device);
    if (!job || !device) return Refusal{id, EBADMSG, "bytes after the end of a text"};
    if (image.host_count > kMaxHosts)
        return Refusal{id, EINVAL, "hosts: " + std::to_string(image.host_count) + ", at most 1024"};
    if (image.overlay_port > 0xffff) return Refusal{id, EINVAL, "overlay_port: above 65535"};
    Setup setup{.job = *job,
                .device = *device,
                .self = image.self,
                .hosts = {},
                .network_id = image.network_id,
                .overlay_port = static_cast<std::uint16_t>(image.overlay_port),
                .uid_first = image.uid_first,
                .uid_last = image.uid_last,
                .grace_ms = image.grace_ms,
                .ways = image.ways};
    for (std::size_t i = 0; i < image.hosts.size(); ++i) {
        const auto& host = image.hosts[i];
        if (i < image.host_count && host.reserved == 0) {
            setup.hosts.push_back(get_host(host));
        } else if (host.address != decltype(host.address){} || host.agent_port != 0 || host.reserved != 0) {
            return Refusal{id, EBADMSG, "bytes after the end of the hosts"};
        }
    }
    if (setup.hosts.size() != image.host_count) return Refusal{id, EBADMSG, "a host without an address"};
    if (auto wrong = check(setup)) return Refusal{id, EINVAL, *wrong};
    return Request{id, std::move(setup)};
}

std::optional<std::string> index_out_of_range(const char* field, std::uint32_t index, std::size_t count) {
    if (index < count) return std::nullopt;
    return std::string(field) + ": index " + std::to_string(index) + " of " + std::to_string(count) + " hosts";
}

std::optional<std::string> check_pair(const Reroute& reroute, std::size_t host_count) {
    if (auto wrong = index_out_of_range("destination", reroute.destination, host_count)) return wrong;
    if (auto wrong = index_out_of_range("relay", reroute.relay, host_count)) return wrong;
    if (reroute.way == 0 && reroute.relay == reroute.destination) return "relay: is the destination itself";
    if (reroute.way != 0 && reroute.relay != reroute.destination) return "relay: is not the destination, by a way";
    if (reroute.way > kMaxWays) return "way: at most " + std::to_string(kMaxWays);
    return std::nullopt;
}

Decoded decode_reroute(const RerouteImage& image) {
    const Reroute reroute{image.destination, image.relay, image.leg_mtu_B, image.way};
    if (auto wrong = check_pair(reroute, kMaxHosts)) return Refusal{image.header.id, EINVAL, *wrong};
    return Request{image.header.id, reroute};
}

Decoded decode_try(const RerouteImage& image) {
    const Decoded as_reroute = decode_reroute(image);
    if (std::holds_alternative<Refusal>(as_reroute)) return as_reroute;
    return Request{image.header.id, Try{image.destination, image.relay, image.leg_mtu_B, image.way}};
}

Decoded decode_echoes(const EchoesImage& image) {
    if (image.lasting_port > 0xffff || image.trial_port > 0xffff)
        return Refusal{image.header.id, EINVAL, "lasting_port, trial_port: above 65535"};
    return Request{image.header.id, Echoes{static_cast<std::uint16_t>(image.lasting_port),
                                           static_cast<std::uint16_t>(image.trial_port)}};
}

Decoded decode_restore(const RestoreImage& image) {
    if (auto wrong = index_out_of_range("destination", image.destination, kMaxHosts))
        return Refusal{image.header.id, EINVAL, *wrong};
    return Request{image.header.id, Restore{image.destination}};
}

Decoded decode_lease(const LeaseImage& image) {
    if (image.length_ms == 0 || image.length_ms > kMaxLease_ms)
        return Refusal{image.header.id, EINVAL, "length_ms: must be 1 to " + std::to_string(kMaxLease_ms)};
    return Request{image.header.id, Lease{image.length_ms}};
}

template <typename Image, typename Decode>
Decoded decode_as(std::uint32_t id, std::span<const std::byte> packet, Decode decode) {
    const auto image = unpack<Image>(packet);
    if (!image) return wrong_size(id, packet.size(), sizeof(Image));
    return decode(*image);
}

bool valid_device(std::string_view device) {
    return !device.empty() && device.size() <= kMaxDeviceLength && device != "." && device != ".." &&
           std::all_of(device.begin(), device.end(),
                       [](char c) { return c > ' ' && c < 0x7f && c != '/' && c != ':' && c != '"'; });
}

// An address that one host can have: not this-network, loopback, link-local, multicast, reserved or broadcast. Of IPv6:
// a unique local one, or a global one as they are given out (2000::/3).
bool valid_unicast(const Address& address) {
    const auto bytes = address.bytes();
    if (address.family() == AF_INET6) return (bytes[0] & 0xe0) == 0x20 || (bytes[0] & 0xfe) == 0xfc;
    if (address.family() != AF_INET) return false;
    return bytes[0] != 0 && bytes[0] != 127 && bytes[0] < 224 && !(bytes[0] == 0xa9 && bytes[1] == 0xfe);
}

std::optional<std::string> check_hosts(const Setup& setup) {
    if (setup.hosts.size() < 2 || setup.hosts.size() > kMaxHosts)
        return "hosts: " + std::to_string(setup.hosts.size()) + ", must be 2 to " + std::to_string(kMaxHosts);
    if (auto wrong = index_out_of_range("self", setup.self, setup.hosts.size())) return wrong;
    std::set<Address> addresses;
    std::set<std::uint16_t> ports;
    for (const Host& host : setup.hosts) {
        if (!valid_unicast(host.address)) return "hosts: " + to_string(host.address) + " is not a host's address";
        if (host.address.family() != setup.family()) return "hosts: addresses of IPv4 and of IPv6";
        if (!addresses.insert(host.address).second) return "hosts: " + to_string(host.address) + " twice";
        if (host.agent_port < kFirstAgentPort)
            return "hosts: " + to_string(host.address) + " has agent port " + std::to_string(host.agent_port) +
                   ", must be at least " + std::to_string(kFirstAgentPort);
        ports.insert(host.agent_port);
    }
    if (ports.size() > kMaxAgentPorts)
        return "hosts: " + std::to_string(ports.size()) + " different agent ports, at most " +
               std::to_string(kMaxAgentPorts);
    if (ports.contains(setup.overlay_port)) return "overlay_port: is also an agent's port";
    return std::nullopt;
}

}  // namespace

const std::size_t kMaxPacket_B = sizeof(SetupImage6);

Packet encode(const Request& request) {
    return std::visit([&](const auto& body) { return encode_body(request.id, body); }, request.body);
}

Packet encode(const Reply& reply) {
    ReplyImage image{};
    image.header = {kMagic, Type::kReply, reply.id};
    image.error = reply.error;
    put_text(image.reason, std::string_view(reply.reason).substr(0, kMaxReasonLength), "reason");
    return pack(image);
}

std::variant<Request, Refusal> decode_request(std::span<const std::byte> packet) {
    if (packet.size() < sizeof(Header)) return Refusal{0, EBADMSG, "packet shorter than a header"};
    Header header;
    std::memcpy(&header, packet.data(), sizeof(header));
    if (header.magic != kMagic) return Refusal{0, EBADMSG, "not a packet of this protocol, or of another version"};
    switch (header.type) {
        case Type::kSetup:
            return decode_as<SetupImage>(header.id, packet, decode_setup<SetupImage>);
        case Type::kSetup6:
            return decode_as<SetupImage6>(header.id, packet, decode_setup<SetupImage6>);
        case Type::kReroute:
            return decode_as<RerouteImage>(header.id, packet, decode_reroute);
        case Type::kRestore:
            return decode_as<RestoreImage>(header.id, packet, decode_restore);
        case Type::kTeardown:
            return decode_as<TeardownImage>(header.id, packet, [](const TeardownImage& image) {
                return Request{image.header.id, Teardown{}};
            });
        case Type::kEchoes:
            return decode_as<EchoesImage>(header.id, packet, decode_echoes);
        case Type::kTry:
            return decode_as<RerouteImage>(header.id, packet, decode_try);
        case Type::kLease:
            return decode_as<LeaseImage>(header.id, packet, decode_lease);
        case Type::kReply:
            break;
    }
    return Refusal{header.id, EBADMSG, "unknown type of request"};
}

std::optional<Reply> decode_reply(std::span<const std::byte> packet) {
    const auto image = unpack<ReplyImage>(packet);
    if (!image || image->header.magic != kMagic || image->header.type != Type::kReply) return std::nullopt;
    const auto reason = get_text(image->reason);
    if (!reason || reason->size() > kMaxReasonLength || image->error < 0) return std::nullopt;
    return Reply{image->header.id, image->error, *reason};
}

std::optional<std::string> check(const Setup& setup) {
    if (!valid_job(setup.job)) return "job: must be 1 to 12 characters of 0-9 a-z";
    if (!valid_device(setup.device)) return "device: not a device name";
    if (setup.network_id == 0 || setup.network_id > kMaxNetworkId) return "network_id: must be 1 to 2^24-1";
    if (setup.overlay_port < kFirstOverlayPort || setup.overlay_port > kLastOverlayPort)
        return "overlay_port: must be " + std::to_string(kFirstOverlayPort) + " to " + std::to_string(kLastOverlayPort);
    // 2^32-1 is no user: the kernel uses it for "none".
    if (setup.uid_first > setup.uid_last || setup.uid_last == UINT32_MAX) return "uid_first, uid_last: not a range";
    if (setup.grace_ms > kMaxGrace_ms) return "grace_ms: at most " + std::to_string(kMaxGrace_ms);
    if (setup.ways > kMaxWays) return "ways: at most " + std::to_string(kMaxWays);
    return check_hosts(setup);
}

std::optional<std::string> check(const Reroute& reroute, const Setup& setup) {
    if (auto wrong = check_pair(reroute, setup.hosts.size())) return wrong;
    if (reroute.destination == setup.self) return "destination: is this host itself";
    if (reroute.relay == setup.self) return "relay: is this host itself";
    if (reroute.way > setup.ways)
        return "way: number " + std::to_string(reroute.way) + " of " + std::to_string(setup.ways);
    return std::nullopt;
}

std::optional<std::string> check(const Restore& back, const Setup& setup) {
    if (auto wrong = index_out_of_range("destination", back.destination, setup.hosts.size())) return wrong;
    if (back.destination == setup.self) return "destination: is this host itself";
    return std::nullopt;
}

bool taken(std::uint16_t port, const Setup& setup) {
    return port < kFirstAgentPort || port == setup.overlay_port ||
           std::any_of(setup.hosts.begin(), setup.hosts.end(), [port](const Host& h) { return h.agent_port == port; });
}

std::optional<std::string> check(const Echoes& echoes, const Setup& setup) {
    for (const std::uint16_t port : {echoes.lasting_port, echoes.trial_port}) {
        if (taken(port, setup)) return "lasting_port, trial_port: " + std::to_string(port) + " is not free";
    }
    if (echoes.lasting_port == echoes.trial_port) return "lasting_port, trial_port: must differ";
    return std::nullopt;
}

std::optional<std::string> check(const Try& trial, const Setup& setup) {
    return check(Reroute{trial.destination, trial.relay, 0, trial.way}, setup);
}

bool valid_job(std::string_view job) {
    return !job.empty() && job.size() <= kMaxJobLength &&
           std::all_of(job.begin(), job.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

}  // namespace fairlead::guardian
