// SPDX-License-Identifier: Apache-2.0
#include "plane/routing.hpp"

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "plane/overlay.hpp"
#include "protocol/names.hpp"

namespace fairlead::guardian {

namespace {

// Only packets that start on this host. Without it the kernel would also match packets it forwards (as user 0), and
// would have to look for ports in every packet that comes in.
constexpr const char* kFromHere = "lo";

Message new_rule(const Setup& setup, std::uint32_t priority, std::uint8_t action) {
    Message message(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL);
    auto& family = message.family<fib_rule_hdr>();
    family.family = static_cast<std::uint8_t>(setup.family());
    family.action = action;
    message.put_u32(FRA_PRIORITY, priority);
    message.put_u8(FRA_PROTOCOL, kRouteProtocol);
    return message;
}

Message exemption(const Setup& setup, std::uint32_t slot, std::uint16_t attribute, std::uint16_t port) {
    Message message = new_rule(setup, kExemptionPriority + slot, FR_ACT_GOTO);
    message.put_text(FRA_IIFNAME, kFromHere);
    message.put_u32(FRA_GOTO, kContinuePriority + slot);
    const fib_rule_port_range range{port, port};
    message.put(attribute, &range, sizeof(range));
    return message;
}

void put_users(Message& message, std::uint32_t first, std::uint32_t last) {
    const fib_rule_uid_range range{first, last};
    message.put(FRA_UID_RANGE, &range, sizeof(range));
}

void put_users(Message& message, const Setup& setup) {
    put_users(message, setup.uid_first, setup.uid_last);
}

std::string users_of(const Setup& setup) {
    return "users " + std::to_string(setup.uid_first) + " to " + std::to_string(setup.uid_last) +
           " (are they known in this user namespace?)";
}

// Whatever the protocol, but of the job's users only: what others reroute is none of its business.
void exempt_agents(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint16_t attribute,
                   std::uint16_t port) {
    Message message = exemption(setup, slot, attribute, port);
    put_users(message, setup);
    netlink.transact(message, "rule that exempts port " + std::to_string(port) + " for " + users_of(setup));
}

// Outer packets are the kernel's own, so of user 0.
void exempt_outer_packets(Netlink& netlink, const Setup& setup, std::uint32_t slot) {
    Message message = exemption(setup, slot, FRA_DPORT_RANGE, setup.overlay_port);
    message.put_u8(FRA_IP_PROTO, IPPROTO_UDP);
    netlink.transact(message, "rule that exempts port " + std::to_string(setup.overlay_port));
}

// A packet that is for this host came in on the overlay from an address that the main table reaches over the underlay:
// the kernel's reverse-path filter would drop it. Its lookup (device's src_valid_mark) carries the packet's mark, and
// here finds the overlay. An address on the overlay would do too, but MPI libraries would take it for a network. For
// IPv6 the kernel has no such filter, but packet filters do: firewalld's looks the source up with the packet's mark.
void add_reverse_path_rule(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint32_t of,
                           std::uint32_t table) {
    Message reverse = new_rule(setup, kLastHopPriority + slot, FR_ACT_TO_TBL);
    reverse.put_text(FRA_IIFNAME, kFromHere);
    reverse.put_u32(FRA_FWMARK, of);
    reverse.put_u32(FRA_FWMASK, UINT32_MAX);
    reverse.put_u32(FRA_TABLE, table);
    netlink.transact(reverse, "rule for the reverse path of packets from the overlay");
}

Message new_route(const Setup& setup, std::uint32_t table, std::uint8_t type, std::uint16_t flags) {
    Message message(RTM_NEWROUTE, static_cast<std::uint16_t>(NLM_F_CREATE | flags));
    auto& family = message.family<rtmsg>();
    family.rtm_family = static_cast<std::uint8_t>(setup.family());
    family.rtm_type = type;
    family.rtm_protocol = kRouteProtocol;
    family.rtm_scope = RT_SCOPE_UNIVERSE;
    message.put_u32(RTA_TABLE, table);
    return message;
}

// DESTINATION via GATEWAY dev OVERLAY onlink: the gateway is known by its permanent neighbour alone.
void put_overlay_hop(Message& message, const Address& destination, const Address& gateway, std::uint32_t device_index) {
    auto* family = static_cast<rtmsg*>(message.payload());
    family->rtm_dst_len = destination.bits();
    family->rtm_flags = RTNH_F_ONLINK;
    message.put_address(RTA_DST, destination);
    message.put_address(RTA_GATEWAY, gateway);
    message.put_u32(RTA_OIF, device_index);
}

// The host's own route, not the job's: asked for as outer packets are, which are exempt from reroutes.
Message present_route(const Setup& setup, const Address& destination) {
    Message lookup(RTM_GETROUTE);
    auto& family = lookup.family<rtmsg>();
    family.rtm_family = static_cast<std::uint8_t>(destination.family());
    family.rtm_dst_len = destination.bits();
    lookup.put_address(RTA_DST, destination);
    lookup.put_u8(RTA_IP_PROTO, IPPROTO_UDP);
    lookup.put_u16_network(RTA_DPORT, setup.overlay_port);
    return lookup;
}

// Copies the metrics of the present route to `destination`, except its MTU: what an administrator set there (congestion
// control, windows, ...) holds on a detour too. Returns the metrics that the route locks.
std::uint32_t put_metrics_of_present_route(Netlink& netlink, const Setup& setup, const Address& destination,
                                           Message& rerouted) {
    Message lookup = present_route(setup, destination);
    std::uint32_t locked = 0;
    netlink.get(lookup, "present route to " + to_string(destination), [&](const nlmsghdr* shown) {
        const nlattr* metrics = Attributes(shown, sizeof(rtmsg)).find(RTA_METRICS);
        if (metrics == nullptr) return;
        locked = Attributes(metrics).u32(RTAX_LOCK);
        const Attributes found(metrics);
        for (std::uint16_t type = RTAX_UNSPEC + 1; type <= RTAX_MAX; ++type) {
            const nlattr* metric = found.find(type);
            if (metric == nullptr || type == RTAX_LOCK || type == RTAX_MTU) continue;
            rerouted.put(type, payload(metric), payload_B(metric));
        }
    });
    return locked;
}

// A host without IPv6 has nothing of it.
void dump_family(Netlink& netlink, Message& message, const std::string& what,
                 const std::function<void(const nlmsghdr*)>& visit) {
    try {
        netlink.dump(message, what, visit);
    } catch (const KernelError& failure) {
        if (failure.error != EAFNOSUPPORT && failure.error != EOPNOTSUPP) throw;
    }
}

}  // namespace

std::uint32_t ShownRule::slot() const {
    return (priority - kFirstPriority) % kSlots;
}
std::uint32_t ShownRoute::slot() const {
    if (table >= kFirstWayTable) return (table - kFirstWayTable) / kMaxWays;
    return table >= kFirstTrialTable ? table - kFirstTrialTable : (table - kFirstTable) / 2;
}
bool ShownRoute::rerouted() const {
    return table == rerouted_table(slot());
}
bool ShownRoute::last_hop() const {
    return table == last_hop_table(slot());
}

std::vector<ShownRule> list_rules(Netlink& netlink) {
    std::vector<ShownRule> rules;
    for (const int asked : {AF_INET, AF_INET6}) {
        Message message(RTM_GETRULE);
        message.family<fib_rule_hdr>().family = static_cast<std::uint8_t>(asked);
        dump_family(netlink, message, "rules", [&](const nlmsghdr* shown) {
            const Attributes attributes(shown, sizeof(fib_rule_hdr));
            const std::uint32_t priority = attributes.u32(FRA_PRIORITY);
            if (static_cast<const fib_rule_hdr*>(payload(shown))->family != asked) return;
            if (attributes.u8(FRA_PROTOCOL) != kRouteProtocol || priority < kFirstPriority || priority > kLastPriority)
                return;
            const auto* bytes = reinterpret_cast<const std::byte*>(shown);
            rules.push_back({priority, attributes.text(FRA_IIFNAME), {bytes, bytes + shown->nlmsg_len}});
        });
    }
    std::stable_sort(rules.begin(), rules.end(),
                     [](const ShownRule& a, const ShownRule& b) { return a.priority < b.priority; });
    return rules;
}

bool remove_rule(Netlink& netlink, const ShownRule& rule) {
    Message message = Message::repeat(RTM_DELRULE, reinterpret_cast<const nlmsghdr*>(rule.message.data()));
    return netlink.remove(message, "remove rule " + std::to_string(rule.priority));
}

void add_rules(Netlink& netlink, const Setup& setup, std::uint32_t slot) {
    Message last_hop = new_rule(setup, kLastHopPriority + slot, FR_ACT_TO_TBL);
    last_hop.put_text(FRA_IIFNAME, device_name(setup.job));
    last_hop.put_u32(FRA_TABLE, last_hop_table(slot));
    netlink.transact(last_hop, "rule for packets from the overlay");

    add_reverse_path_rule(netlink, setup, slot, mark(slot), last_hop_table(slot));

    Message onward = new_rule(setup, kContinuePriority + slot, FR_ACT_NOP);
    netlink.transact(onward, "rule that exemptions go to");

    exempt_outer_packets(netlink, setup, slot);
    std::set<std::uint16_t> agent_ports;
    for (const Host& host : setup.hosts) agent_ports.insert(host.agent_port);
    for (const std::uint16_t port : agent_ports) exempt_agents(netlink, setup, slot, FRA_DPORT_RANGE, port);
    exempt_agents(netlink, setup, slot, FRA_SPORT_RANGE, setup.hosts[setup.self].agent_port);

    Message users = new_rule(setup, kUserPriority + slot, FR_ACT_TO_TBL);
    users.put_text(FRA_IIFNAME, kFromHere);
    users.put_u32(FRA_TABLE, rerouted_table(slot));
    put_users(users, setup);
    netlink.transact(users, "rule for " + users_of(setup));
}

void add_echo_rules(Netlink& netlink, const Setup& setup, const Echoes& echoes, std::uint32_t slot,
                    std::uint32_t user) {
    const Address& own = setup.own();
    const auto lead = [&](std::uint16_t port, std::uint32_t table) {
        Message message = new_rule(setup, kLastHopPriority + slot, FR_ACT_TO_TBL);
        static_cast<fib_rule_hdr*>(message.payload())->src_len = own.bits();
        message.put_address(FRA_SRC, own);  // with the port: the agent's own socket
        message.put_text(FRA_IIFNAME, kFromHere);
        message.put_u8(FRA_IP_PROTO, IPPROTO_UDP);
        const fib_rule_port_range range{port, port};
        message.put(FRA_SPORT_RANGE, &range, sizeof(range));
        // He may name any port, also that of another's socket. Root's agent may run as anybody.
        if (user != 0) put_users(message, user, user);
        message.put_u32(FRA_TABLE, table);
        netlink.transact(message, "rule that leads echoes from port " + std::to_string(port));
    };
    lead(echoes.lasting_port, rerouted_table(slot));
    lead(echoes.trial_port, trial_table(slot));
}

std::vector<ShownRoute> list_routes(Netlink& netlink) {
    std::vector<ShownRoute> routes;
    for (const int asked : {AF_INET, AF_INET6}) {
        Message message(RTM_GETROUTE);
        auto& wanted = message.family<rtmsg>();
        wanted.rtm_family = static_cast<std::uint8_t>(asked);
        wanted.rtm_protocol = kRouteProtocol;
        dump_family(netlink, message, "routes", [&](const nlmsghdr* shown) {
            const auto* family = static_cast<const rtmsg*>(payload(shown));
            const Attributes attributes(shown, sizeof(rtmsg));
            const std::uint32_t table = attributes.u32(RTA_TABLE);
            if (family->rtm_family != asked || family->rtm_protocol != kRouteProtocol || table < kFirstTable ||
                table >= kEndOfTables)
                return;
            ShownRoute route{table, {}, {}, asked, attributes.u32(RTA_OIF)};
            if (attributes.has(RTA_DST)) route.destination = attributes.address(RTA_DST);
            if (attributes.has(RTA_GATEWAY)) route.gateway = attributes.address(RTA_GATEWAY);
            routes.push_back(route);
        });
    }
    return routes;
}

bool remove_route(Netlink& netlink, const ShownRoute& route) {
    Message message(RTM_DELROUTE);
    auto& family = message.family<rtmsg>();
    family.rtm_family = static_cast<std::uint8_t>(route.destination ? route.destination->family() : route.family);
    family.rtm_protocol = kRouteProtocol;
    family.rtm_scope = RT_SCOPE_NOWHERE;  // any
    family.rtm_dst_len = route.destination ? route.destination->bits() : 0;
    message.put_u32(RTA_TABLE, route.table);
    if (route.destination) message.put_address(RTA_DST, *route.destination);
    return netlink.remove(message, "remove route");
}

void renew_lookups(Netlink& netlink, const Setup& setup, std::uint32_t slot) {
    if (setup.family() != AF_INET6) return;
    const auto rule = [&](std::uint16_t type, std::uint16_t flags) {
        Message message(type, flags);
        auto& family = message.family<fib_rule_hdr>();
        family.family = AF_INET6;
        family.action = FR_ACT_NOP;
        message.put_u32(FRA_PRIORITY, kContinuePriority + slot);
        message.put_u8(FRA_PROTOCOL, kRouteProtocol);
        message.put_u32(FRA_FWMARK, mark(slot));  // by which it differs from the one that exemptions go to
        message.put_u32(FRA_FWMASK, UINT32_MAX);
        return message;
    };
    Message come = rule(RTM_NEWRULE, NLM_F_CREATE);
    netlink.transact(come, "rule that renews lookups");
    Message go = rule(RTM_DELRULE, 0);
    netlink.remove(go, "remove the rule that renews lookups");
}

void add_last_hops(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint32_t device_index) {
    // First the entry that forbids everything else: forwarding is on for the overlay device, and must serve the job
    // only.
    Message nothing_else = new_route(setup, last_hop_table(slot), RTN_BLACKHOLE, NLM_F_EXCL);
    netlink.transact(nothing_else, "last-hop table");
    for (std::size_t peer = 0; peer < setup.hosts.size(); ++peer) {
        if (peer == setup.self) continue;
        const Address& address = setup.hosts[peer].address;
        Message message = new_route(setup, last_hop_table(slot), RTN_UNICAST, NLM_F_EXCL);
        put_overlay_hop(message, address, gateway_of(setup, peer), device_index);
        netlink.transact(message, "last hop to " + to_string(address));
    }
}

void add_way_rule(Netlink& netlink, const Setup& setup, std::uint32_t slot, std::uint32_t way,
                  std::uint32_t device_index) {
    Message everything = new_route(setup, way_table(slot, way), RTN_UNICAST, NLM_F_EXCL);
    static_cast<rtmsg*>(everything.payload())->rtm_scope = RT_SCOPE_LINK;
    everything.put_u32(RTA_OIF, device_index);
    netlink.transact(everything, "table of way " + std::to_string(way));
    add_reverse_path_rule(netlink, setup, slot, mark(slot, way), way_table(slot, way));
}

std::uint32_t route_mtu_B(Netlink& netlink, const Setup& setup, const Address& destination) {
    Message lookup = present_route(setup, destination);
    std::uint32_t device = 0;
    std::uint32_t of_route_B = 0;  // also what routers have answered to packets that were too large
    netlink.get(lookup, "present route to " + to_string(destination), [&](const nlmsghdr* shown) {
        const Attributes attributes(shown, sizeof(rtmsg));
        device = attributes.u32(RTA_OIF);
        of_route_B = Attributes(attributes.find(RTA_METRICS)).u32(RTAX_MTU);
    });
    Message link(RTM_GETLINK);
    link.family<ifinfomsg>().ifi_index = static_cast<int>(device);
    std::uint32_t of_device_B = 0;
    netlink.get(link, "device of the present route to " + to_string(destination),
                [&](const nlmsghdr* shown) { of_device_B = Attributes(shown, sizeof(ifinfomsg)).u32(IFLA_MTU); });
    return of_route_B == 0 ? of_device_B : std::min(of_route_B, of_device_B);
}

void add_rerouted_route(Netlink& netlink, const Setup& setup, const Reroute& reroute, std::uint32_t table,
                        std::uint32_t device_index, std::uint32_t mtu_B) {
    const Address& destination = setup.hosts[reroute.destination].address;
    const Address& relay = setup.hosts[reroute.relay].address;
    Message message = new_route(setup, table, RTN_UNICAST, NLM_F_REPLACE);
    put_overlay_hop(message, destination, gateway_of(setup, reroute.relay), device_index);
    message.put_address(RTA_PREFSRC, setup.own());
    // Locked, so that what TCP has already cut for the underlay's MTU is fragmented, not dropped (Don't-fragment stays
    // off on this route unless a socket insists on it); from the next segment on TCP cuts for this one.
    message.nest(RTA_METRICS, [&] {
        const std::uint32_t locked = put_metrics_of_present_route(netlink, setup, destination, message);
        message.put_u32(RTAX_LOCK, locked | 1u << RTAX_MTU);
        message.put_u32(RTAX_MTU, mtu_B);
    });
    netlink.transact(message, "route to " + to_string(destination) + " via " + to_string(relay));
}

}  // namespace fairlead::guardian
