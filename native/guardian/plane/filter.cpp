// SPDX-License-Identifier: Apache-2.0
#include "plane/filter.hpp"

#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "kernel/nf_tables.hpp"
#include "protocol/names.hpp"

namespace fairlead::guardian {

namespace {

constexpr const char* kHosts = "hosts";  // set: addresses of the job's hosts
constexpr const char* kHere = "here";    // set: types of destinations that this host takes in
constexpr const char* kOwn = "own";      // set: this host's address
constexpr std::uint32_t kHostsId = 1, kHereId = 2, kOwnId = 3;
constexpr std::int32_t kBeforeConnectionTracking = -300;  // which is at -200

// Whether every packet that reaches a rule is refused by it: it has a verdict, and nothing to compare with. A target of
// iptables' own kind is known by its name only.
bool refuses_all(const std::vector<nf::ShownExpression>& rule) {
    bool refuses = false;
    for (const nf::ShownExpression& expression : rule) {
        if (expression.drops || expression.kind == "reject" || expression.target == "DROP" ||
            expression.target == "REJECT")
            refuses = true;
        else if (expression.kind != "counter" && expression.kind != "objref" && expression.kind != "log")
            return false;
    }
    return refuses;
}

// In the machine's byte order, as the kernel has types of addresses.
nf::Batch::Element element(std::uint32_t value) {
    nf::Batch::Element bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

nf::Batch::Element element(const Address& address) {
    return {address.bytes().begin(), address.bytes().end()};
}

void add_forwarding_chains(nf::Batch& batch, const std::string& name, const Setup& setup) {
    for (const auto& [chain, hook] :
         {std::pair{"delivered", NF_INET_LOCAL_IN}, std::pair{"forwarded", NF_INET_FORWARD}}) {
        batch.add_chain(name, {chain, hook, kBeforeConnectionTracking, NF_ACCEPT});
        batch.add_rule(name, chain, nf::Rule().from_device(device_name(setup.job)).set_mark(0));
        for (std::uint32_t way = 1; way <= setup.ways; ++way)
            batch.add_rule(name, chain, nf::Rule().from_device(way_device_name(setup.job, way)).set_mark(0));
    }
}

// What comes in by a way is for this host, and nobody else.
void add_way_chain(nf::Batch& batch, const std::string& name, const Setup& setup, std::uint32_t slot,
                   std::uint32_t way) {
    const std::string chain = "way" + std::to_string(way);
    batch.add_chain(name, {chain, NF_INET_INGRESS, 0, NF_DROP, way_device_name(setup.job, way)});
    nf::Rule to_here(setup.family());
    to_here.of_family().source_in(kHosts).destination_in(kOwn).set_mark(mark(slot, way)).accept();
    batch.add_rule(name, chain, to_here);
    batch.add_rule(name, chain, nf::Rule().count("strangers"));
}

}  // namespace

void add_inner_filter(const Setup& setup, std::uint32_t slot) {
    const std::string name = filter_name(setup.job);
    const std::string device = device_name(setup.job);
    std::vector<nf::Batch::Element> hosts;
    for (const Host& host : setup.hosts) hosts.push_back(element(host.address));
    const auto type =
        setup.family() == AF_INET6 ? nf::Batch::ElementType::ipv6_addr : nf::Batch::ElementType::ipv4_addr;
    nf::Batch batch;
    batch.add_table(name);
    for (const char* counter : {"outsiders", "strangers", "forgers"}) batch.add_counter(name, counter);
    batch.add_set(name, kHosts, type, kHostsId, hosts);
    if (setup.ways > 0) batch.add_set(name, kOwn, type, kOwnId, {element(setup.own())});
    batch.add_chain(name, {"inner", NF_INET_INGRESS, 0, NF_DROP, device});
    nf::Rule between_hosts(setup.family());
    between_hosts.of_family().source_in(kHosts).destination_in(kHosts).set_mark(mark(slot)).accept();
    batch.add_rule(name, "inner", between_hosts);
    batch.add_rule(name, "inner", nf::Rule().count("strangers"));
    for (std::uint32_t way = 1; way <= setup.ways; ++way) add_way_chain(batch, name, setup, slot, way);
    add_forwarding_chains(batch, name, setup);
    batch.commit("filter " + name);
}

// The outer packets are judged before connection tracking spends anything on them. Their network identifier is not
// looked at: segments of one buffer (UDP_SEGMENT) pass here as one packet and have one each. The port is the overlay's
// alone, unless two jobs drew the same: then their detours carry nothing, and are not taken. The overlay's socket takes
// broadcast and multicast, too. Those from a job's host must be the kernel's own there: from a port that no ordinary
// user has (network address translation between them keeps such ports below 1024), and not a container's, which this
// host would put its own address on.
void add_outer_filter(const Setup& setup) {
    const std::string name = filter_name(setup.job);
    const std::uint16_t port = setup.overlay_port;
    const int family = setup.family();
    // The overlay's socket is of one version of IP: the other one's port of that number is somebody else's.
    const auto to_here = [&] { return nf::Rule(family).of_family().destination_type_in(kHere).udp_to(port); };
    nf::Batch batch;
    batch.add_set(name, kHere, nf::Batch::ElementType::fib_addrtype, kHereId,
                  {element(RTN_LOCAL), element(RTN_BROADCAST), element(RTN_MULTICAST)});
    batch.add_chain(name, {"outer", NF_INET_PRE_ROUTING, kBeforeConnectionTracking, NF_ACCEPT});
    batch.add_rule(name, "outer", to_here().source_not_in(kHosts).count("outsiders").drop());
    batch.add_rule(name, "outer", to_here().udp_from_above(kLastSourcePort).count("forgers").drop());
    batch.add_chain(name, {"passing", NF_INET_FORWARD, kBeforeConnectionTracking, NF_ACCEPT});
    batch.add_rule(name, "passing",
                   nf::Rule(family)
                       .of_family()
                       .destination_in(kHosts)
                       .source_not_in(kHosts)
                       .udp_to(port)
                       .count("outsiders")
                       .drop());
    batch.commit("filter " + name);
}

void remove_filter(const std::string& name) {
    nf::Batch batch;
    batch.add_table(name);  // so that it is no error if there is none
    batch.delete_table(name);
    batch.commit("remove filter " + name);
}

std::vector<std::string> list_filters() {
    std::vector<std::string> names = nf::list_tables();
    std::erase_if(names, [](const std::string& name) { return !job_of(name, kFilterPrefix); });
    return names;
}

std::vector<RefusingChain> list_refusing_chains() {
    std::vector<RefusingChain> found;
    for (const nf::ShownChain& chain : nf::list_chains()) {
        if (chain.family != NFPROTO_IPV4 && chain.family != NFPROTO_INET) continue;
        if (chain.hook != NF_INET_LOCAL_IN && chain.hook != NF_INET_FORWARD) continue;
        if (chain.policy == NF_DROP || refuses_all(nf::last_rule(chain)))
            found.push_back({chain.family == NFPROTO_IPV4 ? "ip" : "inet", chain.table, chain.name,
                             chain.hook == NF_INET_FORWARD ? "forward" : "input"});
    }
    return found;
}

void try_filter(const std::string& name) {
    nf::Batch batch;
    batch.add_table(name);
    // What came last: Linux has such hooks for both versions of IP together from 5.10 on.
    batch.add_chain(name, {"try", NF_INET_INGRESS, 0, NF_ACCEPT, "lo"});
    batch.commit("nftables");
    remove_filter(name);
}

}  // namespace fairlead::guardian
