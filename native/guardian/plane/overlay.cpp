// SPDX-License-Identifier: Apache-2.0
#include "plane/overlay.hpp"

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/neighbour.h>
#include <linux/netconf.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "protocol/names.hpp"

namespace fairlead::guardian {

namespace {

using Mac = std::array<std::uint8_t, 6>;

// Locally administered ("FL"), and the same for host i on every host of every job: an overlay device is known by it.
constexpr std::array<std::uint8_t, 4> kMacPrefix{0x02, 0x46, 0x4c, 0x00};

Mac mac_of(std::size_t host) {
    return {kMacPrefix[0],
            kMacPrefix[1],
            kMacPrefix[2],
            kMacPrefix[3],
            static_cast<std::uint8_t>(host >> 8),
            static_cast<std::uint8_t>(host)};
}

bool has_our_mac(const Attributes& device) {
    const nlattr* mac = device.find(IFLA_ADDRESS);
    return mac != nullptr && payload_B(mac) == sizeof(Mac) &&
           std::equal(kMacPrefix.begin(), kMacPrefix.end(), static_cast<const std::uint8_t*>(payload(mac)));
}

std::string alias_of(const Underlay& underlay, std::optional<std::uint32_t> rp_filter, std::uint32_t user) {
    std::string alias = "fairlead underlay=" + underlay.name;
    if (rp_filter) alias += " rp_filter=" + std::to_string(*rp_filter);
    return alias + " guardian=" + ProcessId::self().text() + " user=" + std::to_string(user);
}

// Nothing if the device is not one of ours: another kind, another name, or made by somebody else.
std::optional<DeviceRecord> record_of(const nlmsghdr* message) {
    const Attributes attributes(message, sizeof(ifinfomsg));
    const std::string name = attributes.text(IFLA_IFNAME);
    const Attributes info(attributes.find(IFLA_LINKINFO));
    if (!job_of(name, kDevicePrefix) || info.text(IFLA_INFO_KIND) != "vxlan" || !has_our_mac(attributes))
        return std::nullopt;
    const auto* family = static_cast<const ifinfomsg*>(payload(message));
    DeviceRecord record{name, static_cast<std::uint32_t>(family->ifi_index), {}, {}, {}, {}};
    std::istringstream words(attributes.text(IFLA_IFALIAS));
    for (std::string word; words >> word;) {
        if (word.starts_with("underlay=")) record.underlay = word.substr(9);
        std::uint32_t value = 0;
        if (word.starts_with("rp_filter=") && std::from_chars(&word[10], &word[word.size()], value).ec == std::errc{})
            record.underlay_rp_filter = value;
        if (word.starts_with("user=") && std::from_chars(&word[5], &word[word.size()], value).ec == std::errc{})
            record.user = value;
        if (word.starts_with("guardian=")) record.maker = ProcessId::of(word.substr(9));
    }
    return record;
}

void set_device_configuration(Netlink& netlink, std::uint32_t index,
                              const std::vector<std::pair<std::uint16_t, std::uint32_t>>& values,
                              const std::string& what) {
    Message message(RTM_SETLINK);
    message.family<ifinfomsg>().ifi_index = static_cast<int>(index);
    message.nest(IFLA_AF_SPEC, [&] {
        message.nest(AF_INET, [&] {
            message.nest(IFLA_INET_CONF, [&] {
                for (const auto& [key, value] : values) message.put_u32(key, value);
            });
        });
    });
    netlink.transact(message, what);
}

// No IPv6 link-local address either: nothing shall take the overlay for a network that it may use.
void forbid_ipv6_address(Netlink& netlink, std::uint32_t index) {
    Message message(RTM_SETLINK);
    message.family<ifinfomsg>().ifi_index = static_cast<int>(index);
    message.nest(IFLA_AF_SPEC, [&] {
        message.nest(AF_INET6, [&] { message.put_u8(IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE); });
    });
    try {
        netlink.transact(message, "no IPv6 address on the overlay device");
    } catch (const KernelError& failure) {
        if (failure.error != EAFNOSUPPORT) throw;  // a host without IPv6 has nothing to forbid
    }
}

// The setting of one device is of Linux 6.17; before, only that of the whole host has the kernel forward. That is for
// the administrator to set: it ends the host's own use of router advertisements.
void forward_ipv6(const std::string& device) {
    const std::string settings = "/proc/sys/net/ipv6/conf/";
    std::ofstream of_device(settings + device + "/force_forwarding");
    if (of_device << "1" && of_device.flush()) return;
    char of_all = '0';
    std::ifstream(settings + "all/forwarding") >> of_all;
    if (of_all == '0')
        throw KernelError(EOPNOTSUPP,
                          "this kernel (before 6.17) does not forward IPv6 on one device only, and "
                          "net.ipv6.conf.all.forwarding is 0");
}

std::uint32_t netconf_rp_filter(Netlink& netlink, int index) {
    // NETCONFA_RP_FILTER of one device or of `all`; asked for by a dump, since a single question is answered
    // unsolicited.
    std::optional<std::uint32_t> value;
    Message message(RTM_GETNETCONF);
    message.family<netconfmsg>().ncm_family = AF_INET;
    netlink.dump(message, "reverse-path filter", [&](const nlmsghdr* shown) {
        const Attributes attributes(shown, sizeof(netconfmsg));
        if (static_cast<int>(attributes.u32(NETCONFA_IFINDEX)) == index && attributes.has(NETCONFA_RP_FILTER))
            value = attributes.u32(NETCONFA_RP_FILTER);
    });
    if (!value) throw KernelError(ENODEV, "reverse-path filter: no such device");
    return *value;
}

bool is_of(const Setup& setup, const std::string& device) {
    for (std::uint32_t way = 1; way <= setup.ways; ++way)
        if (device == way_device_name(setup.job, way)) return true;
    return device == device_name(setup.job);
}

// The kernel lets VXLANs share a port. The filter of one would drop the other's packets from hosts that are not its
// own.
void refuse_shared_port(Netlink& netlink, const Setup& setup, std::uint32_t index) {
    const std::uint16_t port = htons(setup.overlay_port);
    Message links(RTM_GETLINK);
    links.family<ifinfomsg>();
    netlink.dump(links, "devices", [&](const nlmsghdr* shown) {
        const Attributes attributes(shown, sizeof(ifinfomsg));
        const Attributes info(attributes.find(IFLA_LINKINFO));
        if (info.text(IFLA_INFO_KIND) != "vxlan" ||
            static_cast<const ifinfomsg*>(payload(shown))->ifi_index == static_cast<int>(index) ||
            is_of(setup, attributes.text(IFLA_IFNAME)))
            return;
        const nlattr* theirs = Attributes(info.find(IFLA_INFO_DATA)).find(IFLA_VXLAN_PORT);
        if (theirs != nullptr && payload_B(theirs) == sizeof(port) &&
            std::memcmp(payload(theirs), &port, sizeof port) == 0)
            throw KernelError(EADDRINUSE, "overlay device up: its UDP port, " + std::to_string(setup.overlay_port) +
                                              ", is that of " + attributes.text(IFLA_IFNAME));
    });
}

// What tells the VXLAN devices of a job apart.
struct Kind {
    std::string name;
    std::uint32_t network_id = 0;
    std::uint16_t first_port = 0, last_port = 0;  // that outer packets leave from
};

// Down. Returns its index.
std::uint32_t create_vxlan(Netlink& netlink, const Setup& setup, const Underlay& underlay, const Kind& kind) {
    const Mac mac = mac_of(setup.self);
    Message message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
    message.family<ifinfomsg>();
    message.put_text(IFLA_IFNAME, kind.name);
    message.put_u32(IFLA_MTU, underlay.mtu_B - encapsulation_B(setup.family()));
    // A packet that is too large for the underlay with the outer headers would be cut in software, at a multiple of the
    // cost. 64 KiB is as much as the kernel makes by itself.
    if (underlay.gso_max_B > underlay.mtu_B) {
        message.put_u32(IFLA_GSO_MAX_SIZE,
                        std::min<std::uint32_t>(underlay.gso_max_B, 65536) - encapsulation_B(setup.family()));
    }
    message.put(IFLA_ADDRESS, mac.data(), mac.size());
    message.nest(IFLA_LINKINFO, [&] {
        message.put_text(IFLA_INFO_KIND, "vxlan");
        message.nest(IFLA_INFO_DATA, [&] {
            message.put_u32(IFLA_VXLAN_ID, kind.network_id);
            message.put_u32(IFLA_VXLAN_LINK, underlay.index);
            message.put_address(setup.family() == AF_INET6 ? IFLA_VXLAN_LOCAL6 : IFLA_VXLAN_LOCAL, setup.own());
            message.put_u16_network(IFLA_VXLAN_PORT, setup.overlay_port);
            // The kernel takes `high` for the first port that is not in the range.
            const ifla_vxlan_port_range sources{htons(kind.first_port),
                                                htons(static_cast<std::uint16_t>(kind.last_port + 1))};
            message.put(IFLA_VXLAN_PORT_RANGE, &sources, sizeof(sources));
            message.put_u8(IFLA_VXLAN_LEARNING, 0);
        });
    });
    netlink.transact(message, "overlay device " + kind.name);
    return if_nametoindex(kind.name.c_str());
}

}  // namespace

Address gateway_of(const Setup& setup, std::size_t host) {
    if (setup.family() != AF_INET6) return setup.hosts[host].address;
    const Mac mac = mac_of(host);
    std::array<std::uint8_t, sizeof(in6_addr)> address{0xfe, 0x80};
    std::copy(mac.begin(), mac.end(), address.end() - mac.size());
    return Address::of(address);
}

Underlay find_underlay(Netlink& netlink, const std::string& name, const Address& address) {
    Underlay underlay{name};
    Message links(RTM_GETLINK);
    links.family<ifinfomsg>();
    netlink.dump(links, "devices", [&](const nlmsghdr* shown) {
        const Attributes attributes(shown, sizeof(ifinfomsg));
        if (attributes.text(IFLA_IFNAME) != name) return;
        underlay.index = static_cast<std::uint32_t>(static_cast<const ifinfomsg*>(payload(shown))->ifi_index);
        underlay.mtu_B = attributes.u32(IFLA_MTU);
        underlay.gso_max_B = attributes.u32(IFLA_GSO_MAX_SIZE);
    });
    if (underlay.index == 0) throw KernelError(ENODEV, "device: there is no " + name);

    bool found = false;
    Message addresses(RTM_GETADDR);
    addresses.family<ifaddrmsg>().ifa_family = static_cast<std::uint8_t>(address.family());
    netlink.dump(addresses, "addresses", [&](const nlmsghdr* shown) {
        const auto* family = static_cast<const ifaddrmsg*>(payload(shown));
        const Attributes attributes(shown, sizeof(ifaddrmsg));
        found |= family->ifa_index == underlay.index &&
                 attributes.address(attributes.has(IFA_LOCAL) ? IFA_LOCAL : IFA_ADDRESS) == address;
    });
    if (!found) throw KernelError(EADDRNOTAVAIL, "device: " + name + " does not have address " + to_string(address));
    return underlay;
}

std::vector<DeviceRecord> list_devices(Netlink& netlink) {
    std::vector<DeviceRecord> records;
    Message message(RTM_GETLINK);
    message.family<ifinfomsg>();
    netlink.dump(message, "devices", [&](const nlmsghdr* shown) {
        if (auto record = record_of(shown)) records.push_back(*record);
    });
    return records;
}

std::vector<WayRecord> list_ways(Netlink& netlink) {
    std::vector<WayRecord> records;
    Message message(RTM_GETLINK);
    message.family<ifinfomsg>();
    netlink.dump(message, "devices", [&](const nlmsghdr* shown) {
        const Attributes attributes(shown, sizeof(ifinfomsg));
        if (Attributes(attributes.find(IFLA_LINKINFO)).text(IFLA_INFO_KIND) != "vxlan" || !has_our_mac(attributes))
            return;
        const std::string name = attributes.text(IFLA_IFNAME);
        const auto index = static_cast<std::uint32_t>(static_cast<const ifinfomsg*>(payload(shown))->ifi_index);
        for (std::uint32_t way = 1; way <= kMaxWays; ++way)
            if (const auto job = job_of(name, way_prefix(way))) records.push_back({name, index, *job, way});
    });
    return records;
}

std::uint32_t create_device(Netlink& netlink, const Setup& setup, const Underlay& underlay,
                            std::optional<std::uint32_t> underlay_rp_filter, std::uint32_t user) {
    const std::string name = device_name(setup.job);
    const std::uint32_t index =
        create_vxlan(netlink, setup, underlay, {name, setup.network_id, kFirstSourcePort, kLastSourcePort});
    // Only an existing device can take an alias.
    Message record(RTM_SETLINK);
    record.family<ifinfomsg>().ifi_index = static_cast<int>(index);
    record.put_text(IFLA_IFALIAS, alias_of(underlay, underlay_rp_filter, user));
    netlink.transact(record, "alias of overlay device " + name);
    return index;
}

std::uint32_t create_way(Netlink& netlink, const Setup& setup, const Underlay& underlay, std::uint32_t way) {
    const std::uint16_t port = way_source_port(setup.network_id, way);
    return create_vxlan(netlink, setup, underlay,
                        {way_device_name(setup.job, way), way_network_id(setup.network_id, way), port, port});
}

void start_way(Netlink& netlink, const Setup& setup, std::uint32_t index) {
    if (setup.family() == AF_INET6) return;  // the filter lets nothing in that would be forwarded
    set_device_configuration(netlink, index,
                             {{IPV4_DEVCONF_FORWARDING, 0},
                              {IPV4_DEVCONF_SRC_VMARK, 1},
                              {IPV4_DEVCONF_ACCEPT_REDIRECTS, 0},
                              {IPV4_DEVCONF_SEND_REDIRECTS, 0}},
                             "configuration of a way");
}

void add_peer(Netlink& netlink, const Setup& setup, std::uint32_t index, std::size_t peer) {
    const Address& address = setup.hosts[peer].address;
    const Mac mac = mac_of(peer);
    Message neighbour(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE);
    auto& family = neighbour.family<ndmsg>();
    family.ndm_family = static_cast<std::uint8_t>(setup.family());
    family.ndm_ifindex = static_cast<int>(index);
    family.ndm_state = NUD_PERMANENT;
    neighbour.put_address(NDA_DST, gateway_of(setup, peer));
    neighbour.put(NDA_LLADDR, mac.data(), mac.size());
    netlink.transact(neighbour, "neighbour " + to_string(address));

    Message entry(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE);
    auto& entry_family = entry.family<ndmsg>();
    entry_family.ndm_family = AF_BRIDGE;
    entry_family.ndm_ifindex = static_cast<int>(index);
    entry_family.ndm_state = NUD_PERMANENT | NUD_NOARP;
    entry_family.ndm_flags = NTF_SELF;
    entry.put(NDA_LLADDR, mac.data(), mac.size());
    entry.put_address(NDA_DST, address);
    netlink.transact(entry, "forwarding entry " + to_string(address));
}

void bring_up(Netlink& netlink, const Setup& setup, std::uint32_t index) {
    refuse_shared_port(netlink, setup, index);
    forbid_ipv6_address(netlink, index);
    Message message(RTM_SETLINK);
    auto& family = message.family<ifinfomsg>();
    family.ifi_index = static_cast<int>(index);
    family.ifi_flags = IFF_UP;
    family.ifi_change = IFF_UP;
    netlink.transact(message, "overlay device up (is its UDP port in use?)");
}

void start_device(Netlink& netlink, const Setup& setup, std::uint32_t index) {
    if (setup.family() == AF_INET6) {
        forward_ipv6(device_name(setup.job));
    } else {
        set_device_configuration(netlink, index,
                                 {{IPV4_DEVCONF_FORWARDING, 1},
                                  {IPV4_DEVCONF_SRC_VMARK, 1},
                                  {IPV4_DEVCONF_ACCEPT_REDIRECTS, 0},
                                  {IPV4_DEVCONF_SEND_REDIRECTS, 0}},
                                 "forwarding on the overlay device");
    }
    for (std::size_t peer = 0; peer < setup.hosts.size(); ++peer)
        if (peer != setup.self) add_peer(netlink, setup, index, peer);
}

bool delete_device(Netlink& netlink, const std::string& name) {
    Message message(RTM_DELLINK);
    message.family<ifinfomsg>();
    message.put_text(IFLA_IFNAME, name);
    return netlink.remove(message, "remove device " + name);
}

RpFilter get_rp_filter(Netlink& netlink, std::uint32_t device_index) {
    return {netconf_rp_filter(netlink, NETCONFA_IFINDEX_ALL),
            netconf_rp_filter(netlink, static_cast<int>(device_index))};
}

void set_rp_filter(Netlink& netlink, std::uint32_t device_index, std::uint32_t value) {
    set_device_configuration(netlink, device_index, {{IPV4_DEVCONF_RP_FILTER, value}}, "reverse-path filter");
}

}  // namespace fairlead::guardian
