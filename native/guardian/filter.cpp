// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include <nftables/libnftables.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "names.hpp"
#include "netlink.hpp"

namespace fairlead::guardian {

namespace {

using json = nlohmann::json;

// Runs nftables commands and returns their output; all commands of one call take effect together or not at all.
std::string run(const std::string& commands, const std::string& what, bool as_json = false) {
    const std::unique_ptr<nft_ctx, void (*)(nft_ctx*)> context(nft_ctx_new(NFT_CTX_DEFAULT), nft_ctx_free);
    if (!context) throw KernelError(ENOMEM, what + ": no nftables context");
    if (as_json) nft_ctx_output_set_flags(context.get(), NFT_CTX_OUTPUT_JSON);
    nft_ctx_buffer_output(context.get());
    nft_ctx_buffer_error(context.get());
    errno = 0;
    if (nft_run_cmd_from_buffer(context.get(), commands.c_str()) == 0) return nft_ctx_get_output_buffer(context.get());
    const int error = errno != 0 ? errno : EIO;
    std::string first_line;
    std::istringstream text(nft_ctx_get_error_buffer(context.get()));
    std::getline(text, first_line);
    throw KernelError(error, what + ": " + first_line);
}

// The objects of one kind in nftables' JSON output.
std::vector<json> list(const std::string& command, const std::string& kind) {
    std::vector<json> objects;
    const json output = json::parse(run(command, command, true), nullptr, false);
    if (!output.contains("nftables")) throw KernelError(EBADMSG, command + ": output is not what was expected");
    for (const json& object : output["nftables"])
        if (object.contains(kind)) objects.push_back(object[kind]);
    return objects;
}

// Whether every packet that reaches a rule is refused by it: it has a verdict, and nothing to compare with. A rule of
// iptables' own kind ("xt") is known by its target's name only.
bool refuses_all(const json& rule) {
    bool refuses = false;
    for (const json& statement : rule.value("expr", json::array())) {
        const json xt = statement.value("xt", json::object());
        const std::string target = xt.is_object() ? xt.value("name", "") : "";
        if (statement.contains("drop") || statement.contains("reject") || target == "DROP" || target == "REJECT")
            refuses = true;
        else if (!statement.contains("counter") && !statement.contains("log"))
            return false;
    }
    return refuses;
}

bool ends_in_refusal(const std::string& family, const std::string& table, const std::string& chain) {
    const std::vector<json> rules = list("list chain " + family + " " + table + " " + chain, "rule");
    return !rules.empty() && refuses_all(rules.back());
}

constexpr const char* kInner = R"(
table inet <NAME> {
    counter outsiders { }
    counter strangers { }
    counter forgers { }
    set hosts { type ipv4_addr; elements = { <HOSTS> }; }
    chain inner {
        type filter hook ingress device "<DEVICE>" priority 0; policy drop;
        ip saddr @hosts ip daddr @hosts meta mark set <MARK> accept;
        counter name strangers;
    }
    chain delivered { type filter hook input priority -300; iifname "<DEVICE>" meta mark set 0; }
    chain forwarded { type filter hook forward priority -300; iifname "<DEVICE>" meta mark set 0; }
}
)";

// The outer packets are judged before connection tracking (priority -200) spends anything on them. Their network
// identifier is not looked at: segments of one buffer (UDP_SEGMENT) pass here as one packet and have one each. The port
// is the overlay's alone, unless two jobs drew the same: then their detours carry nothing, and are not taken. The
// overlay's socket takes broadcast and multicast, too. Those from a job's host must be the kernel's own there: from a
// port that no ordinary user has (network address translation between them keeps such ports below 1024), and not a
// container's, which this host would put its own address on.
constexpr const char* kOuter = R"(
table inet <NAME> {
    chain outer {
        type filter hook prerouting priority -300; policy accept;
        fib daddr type { local, broadcast, multicast } udp dport <PORT> ip saddr != @hosts counter name outsiders drop;
        fib daddr type { local, broadcast, multicast } udp dport <PORT> meta nfproto ipv6 counter name outsiders drop;
        fib daddr type { local, broadcast, multicast } udp dport <PORT> udp sport > <LAST> counter name forgers drop;
    }
    chain passing {
        type filter hook forward priority -300; policy accept;
        ip daddr @hosts ip saddr != @hosts udp dport <PORT> counter name outsiders drop;
    }
}
)";

// Replaces each <KEY> of a template. The values are checked beforehand: names, addresses and numbers only.
std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [key, value] : values) {
        const std::string placeholder = "<" + key + ">";
        for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size())
            text.replace(at, placeholder.size(), value);
    }
    return text;
}

}  // namespace

void add_inner_filter(const Setup& setup, std::uint32_t slot) {
    std::string hosts;
    for (const Host& host : setup.hosts) hosts += (hosts.empty() ? "" : ", ") + to_string(host.address);
    const std::string name = filter_name(setup.job);
    const std::string commands = fill(
        kInner,
        {{"NAME", name}, {"HOSTS", hosts}, {"DEVICE", device_name(setup.job)}, {"MARK", std::to_string(mark(slot))}});
    run(commands, "filter " + name);
}

void add_outer_filter(const Setup& setup) {
    const std::string name = filter_name(setup.job);
    const std::string commands =
        fill(kOuter,
             {{"NAME", name}, {"PORT", std::to_string(setup.overlay_port)}, {"LAST", std::to_string(kLastSourcePort)}});
    run(commands, "filter " + name);
}

void remove_filter(const std::string& name) {
    // Added first, so that it is no error if there is none.
    run("add table inet " + name + "; delete table inet " + name, "remove filter " + name);
}

std::vector<std::string> list_filters() {
    std::vector<std::string> names;
    for (const json& table : list("list tables inet", "table"))
        if (const std::string name = table.value("name", ""); job_of(name, kFilterPrefix)) names.push_back(name);
    return names;
}

std::vector<RefusingChain> list_refusing_chains() {
    std::vector<RefusingChain> found;
    for (const json& chain : list("list chains", "chain")) {
        const std::string hook = chain.value("hook", "");
        const std::string family = chain.value("family", "");
        if ((hook != "input" && hook != "forward") || (family != "ip" && family != "inet")) continue;
        const std::string table = chain.value("table", "");
        const std::string name = chain.value("name", "");
        if (chain.value("policy", "") == "drop" || ends_in_refusal(family, table, name))
            found.push_back({family, table, name, hook});
    }
    return found;
}

void try_filter(const std::string& name) {
    run("add table inet " + name, "nftables");
    remove_filter(name);
}

}  // namespace fairlead::guardian
