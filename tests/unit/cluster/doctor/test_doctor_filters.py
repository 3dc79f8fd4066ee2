"""Checks of packet filters, and the texts from which the probe knows them."""

from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster.doctor.checks.packet_filters import admit, networks, refusing_chains
from fairlead.cluster.doctor.findings import judge
from fairlead.cluster.doctor.probing import firewalls

from .doctor_facts import NOTE, WARNING, Case, Change, check_case, healthy, named, one, setting, several

# As `nft list ruleset` prints them: firewalld 1.3 (parts), Debian's example for a workstation, Docker (iptables-nft).
FIREWALLD = """\
table inet firewalld {
	chain filter_INPUT {
		type filter hook input priority filter + 10; policy accept;
		ct state { established, related } accept
		ct status dnat accept
		iifname "lo" accept
		ct state invalid drop
		jump filter_INPUT_ZONES
		reject with icmpx admin-prohibited
	}

	chain filter_FORWARD {
		type filter hook forward priority filter + 10; policy accept;
		ct state { established, related } accept
		jump filter_FORWARD_ZONES
		reject with icmpx admin-prohibited
	}

	chain filter_IN_public_deny {
		drop
	}
}
"""
WORKSTATION = """\
table inet filter {
	set lan {
		type ipv4_addr
		elements = { 10.0.0.1 }
	}

	chain input {
		type filter hook input priority filter; policy drop;
		ct state established,related accept
		iif "lo" accept
		tcp dport 22 accept
	}

	chain forward {
		type filter hook forward priority filter; policy accept;
	}

	chain output {
		type filter hook output priority filter; policy drop;
	}
}
"""
DOCKER = """\
table ip filter {
	chain FORWARD {
		type filter hook forward priority filter; policy drop;
		counter packets 0 bytes 0 jump DOCKER-USER
	}
}
table inet fairlead_1f3a9c02 {
	chain input {
		type filter hook input priority -300; policy accept;
		udp dport 20001 counter packets 3 bytes 180 drop
		drop
	}
}
"""
EMPTY = """\
table ip filter {
	chain INPUT {
		type filter hook input priority filter; policy accept;
		counter packets 7 bytes 900 reject with icmp type host-prohibited comment "last"
	}
}
"""


def chain(family: str, table: str, name: str, hook: str, why: str) -> dict[str, str]:
    return {"family": family, "table": table, "chain": name, "hook": hook, "why": why}


WITH_NFT = chain("inet", "filter", "input", "input", "policy drop")
GUARDIAN_HINT = {
    "name": "forward_policy",
    "ok": None,
    "detail": "chain inet filter forward blocks forwarded packets that no rule accepts: this host may be unable to act "
    "as a relay",
    "fix": "accept forwarding between devices fl-*",
}


def guardian_says(data: dict[str, Any]) -> None:
    data["facts"]["guardian"]["checks"].append(GUARDIAN_HINT)


CASES: list[Case] = [
    (
        "firewall",
        WARNING,
        setting("facts", "firewall", "forward", value=["-P FORWARD DROP"]),
        "FORWARD has the policy DROP",
        "iptables -I FORWARD -i fl-+ -o fl-+ -j ACCEPT",
    ),
    (
        "firewall",
        WARNING,
        setting(
            "facts",
            "firewall",
            "forward",
            value=[
                "-P FORWARD ACCEPT",
                "-A FORWARD -i lo -j ACCEPT",
                "-A FORWARD -j REJECT --reject-with icmp-host-prohibited",
            ],
        ),
        "FORWARD ends with a rule that rejects everything",
        "iptables -I FORWARD -i fl-+ -o fl-+ -j ACCEPT",
    ),
    (
        "firewall",
        NOTE,
        setting("facts", "firewall", "input", value=["-P INPUT DROP"]),
        "iptables: INPUT has the policy DROP (Docker and ufw set it so)",
        "iptables -I INPUT -s 10.64.0.0/24 -j ACCEPT",
    ),
    (
        "firewall",
        NOTE,
        setting("facts", "firewall", "nft", value=[WITH_NFT]),
        "nft chain inet filter input has the policy drop: MPI listens on ports of the kernel's choice",
        "nft insert rule inet filter input ip saddr { 10.64.0.0/24 } accept",
    ),
    (
        "firewall",
        WARNING,
        setting("facts", "firewall", "nft", value=[WITH_NFT | {"chain": "forward", "hook": "forward", "why": "drop"}]),
        "nft chain inet filter forward ends with `drop`: this host could not relay",
        'nft insert rule inet filter forward iifname "fl-*" oifname "fl-*" accept',
    ),
    (
        "firewall",
        WARNING,
        guardian_says,
        "nft chain inet filter forward rejects what no rule allows",
        "nft insert rule inet filter forward",
    ),
    (
        "firewall",
        NOTE,
        setting("facts", "firewall", "legacy_input", value=["-P INPUT DROP"]),
        "iptables-legacy: INPUT has the policy DROP",
        "iptables-legacy -I INPUT -s 10.64.0.0/24 -j ACCEPT",
    ),
    (
        "firewall_service",
        NOTE,
        setting("facts", "firewall", "firewalld", value={"zone": "public"}),
        "firewalld runs (eth0 is in zone public)",
        "firewall-cmd --permanent --zone=trusted --add-source=10.64.0.0/24 && firewall-cmd --reload",
    ),
    (
        "firewall_service",
        NOTE,
        setting("facts", "firewall", "ufw", value=True),
        "ufw is on",
        "ufw allow from 10.64.0.0/24",
    ),
    (
        "two_firewalls",
        WARNING,
        setting("facts", "firewall", "legacy_input", value=["-P INPUT ACCEPT", "-A INPUT -p tcp -j DROP"]),
        "`iptables -S` shows only one set",
        "iptables-legacy-save | iptables-nft-restore",
    ),
]
TRIED = {case[0] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


@pytest.mark.parametrize(
    ("text", "chains"),
    [
        (
            FIREWALLD,
            [
                chain("inet", "firewalld", "filter_INPUT", "input", "reject with icmpx admin-prohibited"),
                chain("inet", "firewalld", "filter_FORWARD", "forward", "reject with icmpx admin-prohibited"),
            ],
        ),
        (WORKSTATION, [WITH_NFT]),
        (DOCKER, [chain("ip", "filter", "FORWARD", "forward", "policy drop")]),
        (
            EMPTY,
            [
                chain(
                    "ip",
                    "filter",
                    "INPUT",
                    "input",
                    'counter packets 7 bytes 900 reject with icmp type host-prohibited comment "last"',
                )
            ],
        ),
        ("", []),
    ],
    ids=["firewalld", "workstation", "docker", "reject", "none"],
)
def test_refusing_chains_of_a_ruleset(text: str, chains: list[dict[str, str]]) -> None:
    assert firewalls.refusing_chains(text) == chains


@pytest.mark.parametrize(
    ("text", "is_on"), [("# ufw\nENABLED=yes\nLOGLEVEL=low\n", True), ("ENABLED=no\n", False), ("#ENABLED=yes", False)]
)
def test_whether_ufw_is_on(text: str, is_on: bool) -> None:
    assert firewalls.ufw_is_on(text) is is_on


def test_zones_as_firewalld_names_them() -> None:
    assert firewalls.parse_zone("public") == "public"
    assert firewalls.parse_zone("no zone") is None
    assert firewalls.parse_zone(None) is None


def test_a_chain_of_iptables_that_nftables_shows_too_is_told_once() -> None:
    both = several(
        setting("facts", "firewall", "forward", value=["-P FORWARD DROP"]),
        setting("facts", "firewall", "nft", value=firewalls.refusing_chains(DOCKER)),
    )
    found = one(judge(healthy(both)), "firewall")
    assert found.text.startswith("iptables: FORWARD has the policy DROP")


def test_rules_that_only_nftables_shows() -> None:
    """Docker's policy where the program iptables is not installed."""

    def change(data: dict[str, Any]) -> None:
        data["facts"]["firewall"] = {"input": None, "forward": None, "nft": firewalls.refusing_chains(DOCKER)}

    found = one(judge(healthy(change)), "firewall")
    assert found.fix == "iptables -I FORWARD -i fl-+ -o fl-+ -j ACCEPT"


def test_firewalld_is_asked_to_forward() -> None:
    change: Change = several(
        setting("facts", "firewall", "firewalld", value={"zone": None}),
        setting("facts", "firewall", "nft", value=firewalls.refusing_chains(FIREWALLD)[1:]),
    )
    found = one(judge(healthy(change)), "firewall")
    assert found.fix == "firewall-cmd --permanent --zone=trusted --add-interface=fl-+ && firewall-cmd --reload"


def test_where_no_filter_is_seen_the_network_between_is_named() -> None:
    facts = healthy()
    assert refusing_chains(facts.hosts[1]) == []
    assert "security group" in admit(facts, facts.hosts[1])


def test_filters_of_ipv6_are_those_of_ip6tables() -> None:
    refuses = healthy(setting("facts", "firewall", "input", value=["-P INPUT DROP"]), network="fd00:64::/64")
    (chain,) = refusing_chains(refuses.hosts[1])
    assert chain.tool == "ip6tables"
    assert admit(refuses, refuses.hosts[1]) == "ip6tables -I INPUT -s fd00:64::/64 -j ACCEPT"
    of_four = firewalls.refusing_chains(DOCKER)  # of the family ip
    assert (
        refusing_chains(healthy(setting("facts", "firewall", "nft", value=of_four), network="fd::/64").hosts[1]) == []
    )
    both = [{"family": "inet", "table": "t", "chain": "c", "hook": "input", "why": "policy drop"}]
    shown = healthy(setting("facts", "firewall", "nft", value=both), network="fd00:64::/64")
    assert admit(shown, shown.hosts[1]) == "nft insert rule inet t c ip6 saddr { fd00:64::/64 } accept"


def test_rules_of_two_kinds_on_ipv6_are_joined_by_ip6tables() -> None:
    legacy = setting("facts", "firewall", "legacy_input", value=["-P INPUT ACCEPT", "-A INPUT -p tcp -j DROP"])
    found = one(judge(healthy(legacy, network="fd00:64::/64")), "two_firewalls")
    assert "`ip6tables -S` shows only one set" in found.text
    assert found.fix.startswith("ip6tables-legacy-save | ip6tables-nft-restore --noflush && ip6tables-legacy -P INPUT")
    assert " iptables" not in found.fix


def test_the_cluster_may_have_several_networks() -> None:
    facts = healthy()
    assert networks(facts) == ["10.64.0.0/24"]
    apart = healthy(setting("facts", "interfaces", 1, "addresses", value=["10.64.0.2/32"]), on=("h1",))
    assert networks(apart) == ["10.64.0.0/24"]
    unknown = healthy(setting("facts", "interfaces", value=[]), on=("h0", "h1", "h2"))
    assert networks(unknown) == ["10.64.0.1/32", "10.64.0.2/31"]


def test_files_that_are_not_there_mean_no_ufw(tmp_path: Path) -> None:
    assert firewalls.ufw_is_on(firewalls.content_of(tmp_path / "ufw.conf") or "") is False
