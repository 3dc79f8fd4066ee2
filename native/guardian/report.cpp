// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <linux/fib_rules.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

#include "kernel/presence.hpp"
#include "kernel/privileges.hpp"
#include "plane/filter.hpp"
#include "plane/footprint.hpp"
#include "plane/overlay.hpp"
#include "protocol/low_ports.hpp"
#include "protocol/names.hpp"

namespace fairlead::guardian {

namespace {

using json = nlohmann::ordered_json;

// Names of devices, packet filters and files need not be UTF-8.
std::string line_of(const json& said) {
    return said.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

json status_of(const Footprint& footprint) {
    std::map<Address, Address> relays;  // by their addresses as gateways
    for (const ShownRoute& route : footprint.routes)
        if (route.last_hop() && route.destination && route.gateway) relays[*route.gateway] = *route.destination;
    json rerouted = json::array();
    for (const ShownRoute& route : footprint.routes) {
        if (!route.rerouted() || !route.destination || !route.gateway) continue;
        const auto relay = relays.find(*route.gateway);
        const Address& shown = relay == relays.end() ? *route.gateway : relay->second;
        json entry{{"destination", to_string(*route.destination)}, {"relay", to_string(shown)}};
        for (const WayRecord& way : footprint.ways) {
            if (way.index == route.device_index)
                entry = {{"destination", to_string(*route.destination)}, {"way", way.way}};
        }
        rerouted.push_back(entry);
    }
    return {{"job", footprint.job},
            {"alive", footprint.alive},
            {"device", footprint.device ? json(footprint.device->name) : json(nullptr)},
            {"ways", footprint.ways.size()},
            {"underlay", footprint.device ? json(footprint.device->underlay) : json(nullptr)},
            {"filter", footprint.filter ? json(*footprint.filter) : json(nullptr)},
            {"rules", footprint.rules.size()},
            {"rerouted", rerouted}};
}

constexpr const char* kPrivilegeFix =
    "as root: `fairlead guardian install --local --user NAME` (docs/guides/run.md), or run as root";

json attempt(const std::string& name, const std::string& fix, const std::function<void()>& trial) {
    try {
        trial();
        return {{"name", name}, {"ok", true}, {"detail", "works"}, {"fix", nullptr}};
    } catch (const KernelError& failure) {
        return {{"name", name},
                {"ok", false},
                {"detail", failure.what()},
                {"fix", failure.error == EPERM || failure.error == EACCES ? kPrivilegeFix : fix}};
    } catch (const std::exception& failure) {
        return {{"name", name}, {"ok", false}, {"detail", failure.what()}, {"fix", fix}};
    }
}

// A VXLAN device that is never up, under a name and address that --clean would know, were we killed here.
void try_vxlan(Netlink& netlink, const std::string& job) {
    const std::array<std::uint8_t, 6> mac{0x02, 0x46, 0x4c, 0x00, 0x00, 0x00};
    Message message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
    message.family<ifinfomsg>();
    message.put_text(IFLA_IFNAME, device_name(job));
    message.put(IFLA_ADDRESS, mac.data(), mac.size());
    message.nest(IFLA_LINKINFO, [&] {
        message.put_text(IFLA_INFO_KIND, "vxlan");
        message.nest(IFLA_INFO_DATA, [&] { message.put_u32(IFLA_VXLAN_ID, 1); });
    });
    netlink.transact(message, "device of kind vxlan");
    delete_device(netlink, device_name(job));
}

// A rule that does nothing, in the place of the last slot's user rule.
void try_rule(Netlink& netlink) {
    const auto rule = [](std::uint16_t type, std::uint16_t flags) {
        Message message(type, flags);
        auto& family = message.family<fib_rule_hdr>();
        family.family = AF_INET;
        family.action = FR_ACT_NOP;
        message.put_u32(FRA_PRIORITY, kUserPriority + kSlots - 1);
        message.put_u8(FRA_PROTOCOL, kRouteProtocol);
        const fib_rule_uid_range range{geteuid(), geteuid()};
        message.put(FRA_UID_RANGE, &range, sizeof(range));
        return message;
    };
    Message add = rule(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL);
    netlink.transact(add, "rule with uidrange");
    Message remove_again = rule(RTM_DELRULE, 0);
    netlink.remove(remove_again, "remove rule with uidrange");
}

json hint(const std::string& name, const std::string& detail, const std::string& fix) {
    return {{"name", name}, {"ok", nullptr}, {"detail", detail}, {"fix", fix}};
}

// Packet filters of others that block what no rule of theirs accepts.
void add_filter_hints(json& checks) {
    for (const RefusingChain& chain : list_refusing_chains()) {
        const std::string name = chain.family + " " + chain.table + " " + chain.chain;
        if (chain.hook == "forward")
            checks.push_back(
                hint("forward_policy",
                     "chain " + name +
                         " blocks forwarded packets that no rule accepts: this host may be unable to act as a relay",
                     "accept forwarding between devices fl-*: iptables -I FORWARD -i fl-+ -o fl-+ -j ACCEPT; "
                     "with firewalld: firewall-cmd --zone=trusted --add-interface=fl-+"));
        else
            checks.push_back(hint("input_policy", "chain " + name + " blocks incoming packets that no rule accepts",
                                  "accept the agents' UDP and TCP ports and UDP " + std::to_string(kFirstOverlayPort) +
                                      " to " + std::to_string(kLastOverlayPort) + " from the job's hosts"));
    }
}

void add_rp_filter_hint(Netlink& netlink, json& checks) {
    // Device 1 is the loopback device of every network namespace; only `all` is of interest.
    if (get_rp_filter(netlink, 1).all == 1)
        checks.push_back(hint("rp_filter", "net.ipv4.conf.all.rp_filter is 1 (strict)",
                              "nothing to do: the guardian sets 2 (loose) on the two devices it uses and restores it"));
}

void add_low_ports_hint(json& checks) {
    const LowPorts ports = low_ports();
    const std::string safe = std::to_string(kLastSourcePort + 1);
    if (ports.whom == LowPorts::For::everybody)
        checks.push_back(
            hint("low_ports",
                 "net.ipv4.ip_unprivileged_port_start is " + std::to_string(ports.first) +
                     ": every user of this host can inject packets into the rerouted traffic of all jobs on it",
                 "sysctl -w net.ipv4.ip_unprivileged_port_start=" + safe));
    if (ports.whom == LowPorts::For::not_known)
        checks.push_back(
            hint("low_ports",
                 std::string(kLowPortsSetting) +
                     " cannot be read: it is not known whether every user of this host can inject packets into "
                     "the rerouted traffic of all jobs on it",
                 "make sure that net.ipv4.ip_unprivileged_port_start is " + safe + " or more"));
}

// Longer than a guardian takes whose agent is gone: its grace time, and its patience for the lock.
constexpr std::chrono::seconds kWakePatience{3};

// A guardian that is stopped keeps what it made, and maybe the lock. Its agent cannot end it where it is root's, by
// sudo. One whose agent is gone removes everything once it goes on; any other serves on. Returns when they have had the
// time. Throws KernelError if it is the one that was asked for, and it stays stopped.
void wake_stopped(Netlink& netlink, const std::string& job) {
    std::vector<ProcessId> woken;
    for (const DeviceRecord& device : list_devices(netlink))
        if ((job.empty() || device.name == device_name(job)) && device.maker && device.maker->stopped())
            woken.push_back(*device.maker);
    for (const ProcessId& guardian : woken) guardian.wake();
    const auto deadline = std::chrono::steady_clock::now() + kWakePatience;
    const auto busy = [](const ProcessId& guardian) { return !guardian.gone() && !guardian.stopped(); };
    while (std::any_of(woken.begin(), woken.end(), busy) && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    for (const ProcessId& guardian : woken)
        if (!job.empty() && guardian.stopped())
            throw KernelError(EBUSY, "the guardian of job " + job + ", process " + std::to_string(guardian.pid) +
                                         ", is stopped and does not go on: end it as root");
}

}  // namespace

void print_status(Netlink& netlink, std::ostream& out) {
    json jobs = json::array();
    for (const Footprint& footprint : survey(netlink)) jobs.push_back(status_of(footprint));
    out << line_of(json{{"jobs", jobs}});
}

void clean(Netlink& netlink, const std::string& job, bool dry_run, std::ostream& out) {
    if (!dry_run) wake_stopped(netlink, job);
    // Told when the lock is free again: who reads may be slow.
    std::ostringstream lines;
    std::exception_ptr failure;
    try {
        const NamespaceLock lock = lock_namespace();
        for (const Footprint& footprint : survey(netlink)) {
            if (footprint.alive || (!job.empty() && footprint.job != job)) continue;
            remove(netlink, footprint, dry_run, [&](const std::string& kind, const std::string& name) {
                lines << line_of(json{{"job", footprint.job}, {"kind", kind}, {"name", name}, {"removed", !dry_run}});
            });
        }
    } catch (const std::exception&) {
        failure = std::current_exception();
    }
    out << lines.str();
    if (failure) std::rethrow_exception(failure);
}

bool print_check(Netlink& netlink, std::ostream& out) {
    const std::string job = "chk" + std::to_string(getpid());
    json checks = json::array();
    checks.push_back({{"name", "cap_net_admin"},
                      {"ok", has_net_admin()},
                      {"detail", has_net_admin() ? "held" : "not held"},
                      {"fix", has_net_admin() ? json(nullptr) : json(kPrivilegeFix)}});
    const Presence presence = claim_presence(job);
    std::optional<NamespaceLock> lock;
    if (has_net_admin()) lock = lock_namespace();
    checks.push_back(attempt("vxlan", "load the kernel module vxlan", [&] { try_vxlan(netlink, job); }));
    checks.push_back(attempt("rule_uidrange", "a kernel of 4.17 or later with CONFIG_IP_MULTIPLE_TABLES",
                             [&] { try_rule(netlink); }));
    checks.push_back(attempt("nftables", "load the kernel module nf_tables, and have Linux 5.10 or newer",
                             [&] { try_filter(filter_name(job)); }));
    bool ok = true;
    for (const json& check : checks) ok = ok && check["ok"].get<bool>();
    if (ok) add_filter_hints(checks);
    add_rp_filter_hint(netlink, checks);
    add_low_ports_hint(checks);
    lock.reset();  // who reads may be slow

    std::error_code unknown;  // without /proc, say
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    out << line_of(json{{"ok", ok}, {"version", FAIRLEAD_VERSION}, {"program", program}, {"checks", checks}});
    return ok;
}

}  // namespace fairlead::guardian
