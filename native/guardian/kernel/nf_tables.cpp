// SPDX-License-Identifier: Apache-2.0
#include "kernel/nf_tables.hpp"

#include <arpa/inet.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace fairlead::guardian::nf {

namespace {

// Offsets in UDP headers.
constexpr std::uint32_t kUdpSource_B = 0, kUdpDestination_B = 2;
constexpr std::size_t kElementsAMessage = 64;

// Of addresses in IP headers.
struct Layout {
    std::uint32_t source_B, destination_B, address_B;
};

constexpr Layout layout(int family) {
    return family == AF_INET6 ? Layout{8, 24, sizeof(in6_addr)} : Layout{12, 16, sizeof(in_addr)};
}

constexpr std::uint8_t protocol_of(int family) {
    return family == AF_INET6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
}

constexpr std::uint16_t type_of(int message) {
    return static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

// The beginning or the end of a batch.
Message bracket(std::uint16_t type) {
    Message message(type);
    message.family<nfgenmsg>().res_id = htons(NFNL_SUBSYS_NFTABLES);
    return message;
}

// A request for a list of what is of a kind; its answers go to `visit`.
void dump(int kind, std::uint8_t family, const std::string& what, const std::function<void(Message&)>& fill,
          const std::function<void(const nlmsghdr*)>& visit) {
    Netlink netlink(NETLINK_NETFILTER);
    Message message(type_of(kind));
    message.family<nfgenmsg>().nfgen_family = family;
    fill(message);
    netlink.dump(message, what, visit);
}

ShownExpression shown(const nlattr* element) {
    const Attributes expression(element);
    const Attributes data(expression.find(NFTA_EXPR_DATA));
    const std::string kind = expression.text(NFTA_EXPR_NAME);
    if (kind == "target") return {kind, data.text(NFTA_TARGET_NAME), false};
    const Attributes value(kind == "immediate" ? data.find(NFTA_IMMEDIATE_DATA) : nullptr);
    const Attributes verdict(value.find(NFTA_DATA_VERDICT));
    return {kind, "", verdict.has(NFTA_VERDICT_CODE) && verdict.u32_network(NFTA_VERDICT_CODE) == NF_DROP};
}

}  // namespace

Batch::Batch() {
    messages_.push_back(bracket(NFNL_MSG_BATCH_BEGIN));
}

Message& Batch::add(std::uint16_t type, std::uint16_t flags) {
    Message& message = messages_.emplace_back(type_of(type), static_cast<std::uint16_t>(flags | NLM_F_ACK));
    message.family<nfgenmsg>().nfgen_family = NFPROTO_INET;
    return message;
}

void Batch::add_table(const std::string& table) {
    add(NFT_MSG_NEWTABLE, NLM_F_CREATE).put_text(NFTA_TABLE_NAME, table);
}

void Batch::delete_table(const std::string& table) {
    add(NFT_MSG_DELTABLE, 0).put_text(NFTA_TABLE_NAME, table);
}

void Batch::add_counter(const std::string& table, const std::string& name) {
    Message& message = add(NFT_MSG_NEWOBJ, NLM_F_CREATE);
    message.put_text(NFTA_OBJ_TABLE, table);
    message.put_text(NFTA_OBJ_NAME, name);
    message.put_u32_network(NFTA_OBJ_TYPE, NFT_OBJECT_COUNTER);
    message.nest(NFTA_OBJ_DATA, [] {});
}

void Batch::add_set(const std::string& table, const std::string& name, ElementType type, std::uint32_t id,
                    const std::vector<Element>& elements) {
    Message& set = add(NFT_MSG_NEWSET, NLM_F_CREATE);
    set.put_text(NFTA_SET_TABLE, table);
    set.put_text(NFTA_SET_NAME, name);
    set.put_u32_network(NFTA_SET_KEY_TYPE, static_cast<std::uint32_t>(type));
    set.put_u32_network(NFTA_SET_KEY_LEN, static_cast<std::uint32_t>(elements.at(0).size()));
    set.put_u32_network(NFTA_SET_ID, id);
    for (std::size_t start = 0; start < elements.size(); start += kElementsAMessage) {
        Message& message = add(NFT_MSG_NEWSETELEM, NLM_F_CREATE);
        message.put_text(NFTA_SET_ELEM_LIST_TABLE, table);
        message.put_text(NFTA_SET_ELEM_LIST_SET, name);
        message.nest(NFTA_SET_ELEM_LIST_ELEMENTS, [&] {
            for (std::size_t at = start; at < std::min(start + kElementsAMessage, elements.size()); ++at)
                message.nest(NFTA_LIST_ELEM, [&] {
                    message.nest(NFTA_SET_ELEM_KEY,
                                 [&] { message.put(NFTA_DATA_VALUE, elements[at].data(), elements[at].size()); });
                });
        });
    }
}

void Batch::add_chain(const std::string& table, const Chain& chain) {
    Message& message = add(NFT_MSG_NEWCHAIN, NLM_F_CREATE);
    message.put_text(NFTA_CHAIN_TABLE, table);
    message.put_text(NFTA_CHAIN_NAME, chain.name);
    message.nest(NFTA_CHAIN_HOOK, [&] {
        message.put_u32_network(NFTA_HOOK_HOOKNUM, chain.hook);
        message.put_u32_network(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(chain.priority));
        if (!chain.device.empty()) message.put_text(NFTA_HOOK_DEV, chain.device);
    });
    message.put_u32_network(NFTA_CHAIN_POLICY, chain.policy);
    message.put_text(NFTA_CHAIN_TYPE, "filter");
}

void Batch::add_rule(const std::string& table, const std::string& chain, const Rule& rule) {
    Message& message = add(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
    message.put_text(NFTA_RULE_TABLE, table);
    message.put_text(NFTA_RULE_CHAIN, chain);
    rule.put(message);
}

void Batch::commit(const std::string& what) {
    messages_.push_back(bracket(NFNL_MSG_BATCH_END));
    Netlink(NETLINK_NETFILTER).transact_all(messages_, what);
}

Rule& Rule::add(const std::string& expression, Fill fill) {
    expressions_.push_back({expression, std::move(fill)});
    return *this;
}

void Rule::put(Message& message) const {
    message.nest(NFTA_RULE_EXPRESSIONS, [&] {
        for (const Expression& expression : expressions_)
            message.nest(NFTA_LIST_ELEM, [&] {
                message.put_text(NFTA_EXPR_NAME, expression.name);
                message.nest(NFTA_EXPR_DATA, [&] { expression.fill(message); });
            });
    });
}

Rule& Rule::load_meta(nft_meta_keys key) {
    return add("meta", [key](Message& message) {
        message.put_u32_network(NFTA_META_DREG, NFT_REG_1);
        message.put_u32_network(NFTA_META_KEY, key);
    });
}

Rule& Rule::load(nft_payload_bases base, std::uint32_t offset_B, std::uint32_t size_B) {
    return add("payload", [=](Message& message) {
        message.put_u32_network(NFTA_PAYLOAD_DREG, NFT_REG_1);
        message.put_u32_network(NFTA_PAYLOAD_BASE, base);
        message.put_u32_network(NFTA_PAYLOAD_OFFSET, offset_B);
        message.put_u32_network(NFTA_PAYLOAD_LEN, size_B);
    });
}

Rule& Rule::compare(nft_cmp_ops operation, const void* value, std::size_t size_B) {
    const auto* bytes = static_cast<const char*>(value);
    return add("cmp", [operation, copy = std::string(bytes, size_B)](Message& message) {
        message.put_u32_network(NFTA_CMP_SREG, NFT_REG_1);
        message.put_u32_network(NFTA_CMP_OP, operation);
        message.nest(NFTA_CMP_DATA, [&] { message.put(NFTA_DATA_VALUE, copy.data(), copy.size()); });
    });
}

Rule& Rule::look_up(const std::string& set, bool inverted) {
    return add("lookup", [set, inverted](Message& message) {
        message.put_text(NFTA_LOOKUP_SET, set);
        message.put_u32_network(NFTA_LOOKUP_SREG, NFT_REG_1);
        if (inverted) message.put_u32_network(NFTA_LOOKUP_FLAGS, NFT_LOOKUP_F_INV);
    });
}

Rule& Rule::verdict(std::uint32_t code) {
    return add("immediate", [code](Message& message) {
        message.put_u32_network(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
        message.nest(NFTA_IMMEDIATE_DATA, [&] {
            message.nest(NFTA_DATA_VERDICT, [&] { message.put_u32_network(NFTA_VERDICT_CODE, code); });
        });
    });
}

Rule& Rule::of_family() {
    const std::uint8_t protocol = protocol_of(family_);
    return load_meta(NFT_META_NFPROTO).compare(NFT_CMP_EQ, &protocol, sizeof(protocol));
}

Rule& Rule::from_device(const std::string& name) {
    std::array<char, 16> padded{};
    std::copy_n(name.begin(), std::min(name.size(), padded.size() - 1), padded.begin());
    return load_meta(NFT_META_IIFNAME).compare(NFT_CMP_EQ, padded.data(), padded.size());
}

Rule& Rule::destination_type_in(const std::string& set) {
    add("fib", [](Message& message) {
        message.put_u32_network(NFTA_FIB_DREG, NFT_REG_1);
        message.put_u32_network(NFTA_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE);
        message.put_u32_network(NFTA_FIB_FLAGS, NFTA_FIB_F_DADDR);
    });
    return look_up(set, false);
}

Rule& Rule::source_in(const std::string& set) {
    return load(NFT_PAYLOAD_NETWORK_HEADER, layout(family_).source_B, layout(family_).address_B).look_up(set, false);
}

Rule& Rule::source_not_in(const std::string& set) {
    return load(NFT_PAYLOAD_NETWORK_HEADER, layout(family_).source_B, layout(family_).address_B).look_up(set, true);
}

Rule& Rule::destination_in(const std::string& set) {
    return load(NFT_PAYLOAD_NETWORK_HEADER, layout(family_).destination_B, layout(family_).address_B)
        .look_up(set, false);
}

Rule& Rule::udp() {
    const std::uint8_t protocol = IPPROTO_UDP;
    return load_meta(NFT_META_L4PROTO).compare(NFT_CMP_EQ, &protocol, sizeof(protocol));
}

Rule& Rule::udp_to(std::uint16_t port) {
    const std::uint16_t network = htons(port);
    return udp()
        .load(NFT_PAYLOAD_TRANSPORT_HEADER, kUdpDestination_B, sizeof(network))
        .compare(NFT_CMP_EQ, &network, sizeof(network));
}

Rule& Rule::udp_from_above(std::uint16_t port) {
    const std::uint16_t network = htons(port);
    return udp()
        .load(NFT_PAYLOAD_TRANSPORT_HEADER, kUdpSource_B, sizeof(network))
        .compare(NFT_CMP_GT, &network, sizeof(network));
}

Rule& Rule::set_mark(std::uint32_t value) {
    add("immediate", [value](Message& message) {
        message.put_u32_network(NFTA_IMMEDIATE_DREG, NFT_REG_1);
        message.nest(NFTA_IMMEDIATE_DATA, [&] { message.put_u32(NFTA_DATA_VALUE, value); });
    });
    return add("meta", [](Message& message) {
        message.put_u32_network(NFTA_META_KEY, NFT_META_MARK);
        message.put_u32_network(NFTA_META_SREG, NFT_REG_1);
    });
}

Rule& Rule::count(const std::string& counter) {
    return add("objref", [counter](Message& message) {
        message.put_u32_network(NFTA_OBJREF_IMM_TYPE, NFT_OBJECT_COUNTER);
        message.put_text(NFTA_OBJREF_IMM_NAME, counter);
    });
}

std::vector<std::string> list_tables() {
    std::vector<std::string> names;
    dump(
        NFT_MSG_GETTABLE, NFPROTO_INET, "list tables", [](Message&) {},
        [&](const nlmsghdr* shown) { names.push_back(Attributes(shown, sizeof(nfgenmsg)).text(NFTA_TABLE_NAME)); });
    return names;
}

std::vector<ShownChain> list_chains() {
    std::vector<ShownChain> chains;
    dump(
        NFT_MSG_GETCHAIN, NFPROTO_UNSPEC, "list chains", [](Message&) {},
        [&](const nlmsghdr* shown) {
            const Attributes chain(shown, sizeof(nfgenmsg));
            if (!chain.has(NFTA_CHAIN_HOOK)) return;
            const std::uint8_t family = static_cast<const nfgenmsg*>(payload(shown))->nfgen_family;
            const Attributes hook(chain.find(NFTA_CHAIN_HOOK));
            chains.push_back({family, chain.text(NFTA_CHAIN_TABLE), chain.text(NFTA_CHAIN_NAME),
                              hook.u32_network(NFTA_HOOK_HOOKNUM), chain.u32_network(NFTA_CHAIN_POLICY)});
        });
    return chains;
}

std::vector<ShownExpression> last_rule(const ShownChain& chain) {
    std::vector<ShownExpression> expressions;
    const auto of_chain = [&](Message& message) {
        message.put_text(NFTA_RULE_TABLE, chain.table);
        message.put_text(NFTA_RULE_CHAIN, chain.name);
    };
    dump(NFT_MSG_GETRULE, chain.family, "list rules of " + chain.table + " " + chain.name, of_chain,
         [&](const nlmsghdr* rule) {
             expressions.clear();
             const Attributes attributes(rule, sizeof(nfgenmsg));
             for (const nlattr* element : attributes_of(attributes.find(NFTA_RULE_EXPRESSIONS)))
                 expressions.push_back(shown(element));
         });
    return expressions;
}

}  // namespace fairlead::guardian::nf
