// SPDX-License-Identifier: Apache-2.0
// nftables over netlink (linux/netfilter/nf_tables.h): requests that make tables, sets, chains and rules of the family
// `inet`, and lists of what is there.
#pragma once

// clang-format off: the kernel's headers leave out what this one defines, not the other way round
#include <netinet/in.h>
// clang-format on

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernel/netlink.hpp"

namespace fairlead::guardian::nf {

// Requests that take effect together or not at all.
class Batch {
  public:
    Batch();

    void add_table(const std::string& table);
    void delete_table(const std::string& table);
    void add_counter(const std::string& table, const std::string& name);

    // What nft calls the type of a set's elements, by its number there; the kernel only keeps it.
    enum class ElementType : std::uint32_t { ipv4_addr = 7, ipv6_addr = 8, fib_addrtype = 38 };
    // Bytes as packets and the kernel's answers hold them, as many in each element of a set.
    using Element = std::vector<std::uint8_t>;
    // Sets of a batch have different `id`s.
    void add_set(const std::string& table, const std::string& name, ElementType type, std::uint32_t id,
                 const std::vector<Element>& elements);

    // A chain that packets pass at a hook; `device`: of those of one device only.
    struct Chain {
        std::string name;
        std::uint32_t hook;
        std::int32_t priority;
        std::uint32_t policy;  // NF_ACCEPT or NF_DROP
        std::string device = {};
    };
    void add_chain(const std::string& table, const Chain& chain);
    void add_rule(const std::string& table, const std::string& chain, const class Rule& rule);

    // Throws KernelError with `what` in its text: then nothing was changed.
    void commit(const std::string& what);

  private:
    Message& add(std::uint16_t type, std::uint16_t flags);

    std::vector<Message> messages_;
};

// The expressions of a rule, in the order in which a packet meets them.
class Rule {
  public:
    // `family`: AF_INET or AF_INET6, of the packets that it is for where it looks at their addresses.
    explicit Rule(int family = AF_INET) : family_(family) {}

    Rule& of_family();
    Rule& from_device(const std::string& name);
    Rule& destination_type_in(const std::string& set);
    Rule& source_in(const std::string& set);
    Rule& source_not_in(const std::string& set);
    Rule& destination_in(const std::string& set);
    Rule& udp_to(std::uint16_t port);
    Rule& udp_from_above(std::uint16_t port);
    Rule& set_mark(std::uint32_t value);
    Rule& count(const std::string& counter);
    Rule& accept() { return verdict(NF_ACCEPT); }
    Rule& drop() { return verdict(NF_DROP); }

    void put(Message& message) const;

  private:
    using Fill = std::function<void(Message&)>;
    Rule& add(const std::string& expression, Fill fill);
    Rule& load_meta(nft_meta_keys key);
    Rule& load(nft_payload_bases base, std::uint32_t offset_B, std::uint32_t size_B);
    Rule& compare(nft_cmp_ops operation, const void* value, std::size_t size_B);
    Rule& look_up(const std::string& set, bool inverted);
    Rule& udp();
    Rule& verdict(std::uint32_t code);

    struct Expression {
        std::string name;
        Fill fill;
    };
    int family_;
    std::vector<Expression> expressions_;
};

// Of the family `inet`. Throws KernelError.
std::vector<std::string> list_tables();

// A chain at a hook.
struct ShownChain {
    std::uint8_t family;
    std::string table, name;
    std::uint32_t hook, policy;
};
// Of all families. Throws KernelError.
std::vector<ShownChain> list_chains();

// One expression of a rule: the kernel's name of its kind, for "target" (of iptables) that target's name, for
// "immediate" whether it drops the packet.
struct ShownExpression {
    std::string kind, target;
    bool drops;
};
// Of a chain's last rule; empty if it has none. Throws KernelError.
std::vector<ShownExpression> last_rule(const ShownChain& chain);

}  // namespace fairlead::guardian::nf
