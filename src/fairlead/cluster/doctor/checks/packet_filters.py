"""Checks of packet filters: nftables, iptables of both kinds, and what keeps them (firewalld, ufw, Docker).

Symptoms that users report: a program that starts on one host and hangs on two, "A process or daemon was unable to
complete a TCP connection" (Open MPI issue 12103), "unable to connect from HOST1 to HOST2" (MPICH's Hydra). MPI listens
on ports of the kernel's choice, so a list of open ports does not help: the cluster's own addresses must be admitted.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairlead.cluster.doctor.facts import RELAY, ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, note, warning
from fairlead.ip import Family, family_of

OVERLAY_DEVICES = "fl-+"


@dataclass(frozen=True)
class Chain:
    """A chain that refuses what none of its rules admits."""

    tool: str  # the command that shows and changes it
    hook: str
    name: str  # nftables: family, table and chain; else the chain alone
    why: str


def iptables_of(family: Family) -> str:
    """The tool for filters of a version of IP."""
    return "iptables" if family == 4 else "ip6tables"


def refusing_chains(host: HostFacts) -> list[Chain]:
    """All that are known on a host: from iptables, from nftables, and from the guardian, which sees them as no root."""
    rules = host.facts["firewall"]
    is_ipv6 = family_of(host.host.address) == 6
    iptables, family = iptables_of(family_of(host.host.address)), "ip6" if is_ipv6 else "ip"
    found = []
    for hook, shown, kept in (
        ("input", rules.get("input"), rules.get("legacy_input")),
        ("forward", rules.get("forward"), rules.get("legacy_forward")),
    ):
        for tool, listed in ((iptables, shown), (f"{iptables}-legacy", kept if kept != shown else None)):
            if why := _refuses(listed or ()):
                found.append(Chain(tool, hook, hook.upper(), why))
    for chain in [*_from_nft(rules.get("nft") or ()), *_from_guardian(host)]:
        if is_ipv6 and chain.name.startswith("ip "):
            continue
        is_iptables = chain.name == f"{family} filter {chain.hook.upper()}" and rules.get(chain.hook) is not None
        if not is_iptables and chain.name not in {each.name for each in found}:
            found.append(chain)
    return found


def _refuses(rules: Sequence[str]) -> str:
    """How a chain, as `iptables -S` shows it, refuses what no rule admits; empty if it does not."""
    if any(re.match(r"-P \w+ DROP\b", line) for line in rules):
        return "has the policy DROP (Docker and ufw set it so)"
    last = rules[-1] if rules else ""
    return "ends with a rule that rejects everything" if re.match(r"-A \w+ -j (DROP|REJECT)\b", last) else ""


def _from_nft(chains: Iterable[dict[str, str]]) -> list[Chain]:
    return [
        Chain(
            "nft",
            each["hook"],
            f"{each['family']} {each['table']} {each['chain']}",
            "has the policy drop" if each["why"] == "policy drop" else f"ends with `{each['why']}`",
        )
        for each in chains
    ]


def _from_guardian(host: HostFacts) -> list[Chain]:
    found = []
    for item in (host.facts["guardian"] or {}).get("checks", ()):
        named = re.match(r"chain (\w+ \S+ \S+) ", item["detail"] or "")
        if item["ok"] is None and item["name"] in ("input_policy", "forward_policy") and named:
            hook = item["name"].partition("_")[0]
            found.append(Chain("nft", hook, named.group(1), "rejects what no rule allows"))
    return found


def networks(facts: ClusterFacts) -> list[str]:
    """Networks of the cluster's addresses; an address alone where its interface is not known."""
    found = set()
    for host in facts.hosts:
        interface = host.interface() if host.reached else None
        listed = interface["addresses"] if interface else ()
        entries = [entry for entry in listed if entry.split("/")[0] == host.host.address]
        found.add(ipaddress.ip_interface(entries[0] if entries else host.host.address).network)
    return [str(network) for network in ipaddress.collapse_addresses(found)]  # type: ignore[type-var]


def admit(facts: ClusterFacts, host: HostFacts) -> str:
    """The command that admits what the cluster's hosts send, in the words of what keeps the host's rules."""
    sources = networks(facts)
    rules = host.facts["firewall"]
    if rules.get("firewalld"):
        return _each(sources, "firewall-cmd --permanent --zone=trusted --add-source={}") + " && firewall-cmd --reload"
    if rules.get("ufw"):
        return _each(sources, "ufw allow from {}")
    chains = [chain for chain in refusing_chains(host) if chain.hook == "input"]
    if not chains:
        tool = iptables_of(facts.cluster.family)
        return (
            f"{tool} -I INPUT -s {','.join(sources)} -j ACCEPT on {host.name}; if the host has no filter "
            "(`nft list ruleset` as root), allow them in the network: the cloud's security group, the switch's "
            "access list"
        )
    return "; ".join(_admit_input(chain, sources) for chain in chains)


def _admit_input(chain: Chain, sources: Sequence[str]) -> str:
    if chain.tool == "nft":
        ip = "ip6" if ":" in sources[0] else "ip"
        return f"nft insert rule {chain.name} {ip} saddr {{ {', '.join(sources)} }} accept"
    return f"{chain.tool} -I {chain.name} -s {','.join(sources)} -j ACCEPT"


def _each(sources: Sequence[str], command: str) -> str:
    return " && ".join(command.format(source) for source in sources)


def _admit_forwarding(host: HostFacts, chain: Chain) -> str:
    if host.facts["firewall"].get("firewalld"):
        return "firewall-cmd --permanent --zone=trusted --add-interface=fl-+ && firewall-cmd --reload"
    if chain.tool == "nft" and chain.name != "ip filter FORWARD":
        return f'nft insert rule {chain.name} iifname "fl-*" oifname "fl-*" accept'
    tool = "iptables" if chain.tool == "nft" else chain.tool
    return f"{tool} -I FORWARD -i {OVERLAY_DEVICES} -o {OVERLAY_DEVICES} -j ACCEPT"


@check
def firewall(facts: ClusterFacts) -> Iterable[Finding]:
    """Filters that refuse what they do not know. Trials (`paths`, `overlay`) decide for input; forwarding cannot be
    tried."""
    for host in facts.reached():
        for chain in refusing_chains(host):
            name = f"{chain.tool} chain {chain.name}" if chain.tool == "nft" else f"{chain.tool}: {chain.name}"
            if chain.hook == "forward" and facts.plane == RELAY:
                continue  # agents forward by themselves
            if chain.hook == "forward":
                yield warning(
                    [host.name],
                    f"{name} {chain.why}: this host could not relay rerouted traffic",
                    _admit_forwarding(host, chain),
                )
            else:
                yield note(
                    [host.name],
                    f"{name} {chain.why}: MPI listens on ports of the kernel's choice, so allow the cluster's "
                    "addresses; `paths` and `overlay` tested it",
                    admit(facts, host),
                )


@check
def firewall_service(facts: ClusterFacts) -> Iterable[Finding]:
    """Firewalls that a service keeps: rules that are put in by hand are gone when it reloads them."""
    for host in facts.reached():
        rules = host.facts["firewall"]
        if found := rules.get("firewalld"):
            zone = f"zone {found['zone']}" if found.get("zone") else "its default zone"
            text = (
                f"firewalld runs ({host.host.interface} is in {zone}) and allows only what that names, not MPI's ports"
            )
        elif rules.get("ufw"):
            text = "ufw is on and allows only what its rules name, not MPI's ports"
        else:
            continue
        yield note([host.name], text, admit(facts, host))


@check
def two_firewalls(facts: ClusterFacts) -> Iterable[Finding]:
    """Rules of iptables-legacy beside those of nftables: a packet has to pass both, and each tool shows its own."""
    for host in facts.reached():
        rules = host.facts["firewall"]
        kept = rules.get("legacy_input"), rules.get("legacy_forward")
        shown = rules["input"], rules["forward"]
        if any(each is not None and each != other and len(each) > 1 for each, other in zip(kept, shown, strict=True)):
            tool = iptables_of(facts.cluster.family)
            yield warning(
                [host.name],
                f"{tool}-legacy rules are loaded beside nftables rules: packets must pass both, but `{tool} "
                "-S` shows only one set",
                f"{tool}-legacy-save | {tool}-nft-restore --noflush && {tool}-legacy -P INPUT ACCEPT && "
                f"{tool}-legacy -P FORWARD ACCEPT && {tool}-legacy -F",
            )
