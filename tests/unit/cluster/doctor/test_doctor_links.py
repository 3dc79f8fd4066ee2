"""Checks of links and slow pairs, and the texts from which the probe knows links."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster.doctor.findings import Finding, judge
from fairlead.cluster.doctor.probing import links

from .doctor_facts import NAMES, NOTE, WARNING, Case, Change, check_case, healthy, named, one, setting, several

# As ethtool 6.1 prints for a copper link that lost two of its four pairs, for a ring, and for a virtual device.
ETHTOOL = """\
Settings for eth0:
	Supported ports: [ TP ]
	Supported link modes:   10baseT/Half 10baseT/Full
						100baseT/Half 100baseT/Full
						1000baseT/Full
	Supported pause frame use: Symmetric
	Supports auto-negotiation: Yes
	Advertised link modes:  10baseT/Half 10baseT/Full
						100baseT/Half 100baseT/Full
						1000baseT/Full
	Link partner advertised link modes:  10baseT/Half 10baseT/Full
						100baseT/Half 100baseT/Full
						1000baseT/Full
	Link partner advertised auto-negotiation: Yes
	Speed: 100Mb/s
	Duplex: Full
	Auto-negotiation: on
	Port: Twisted Pair
	Link detected: yes
"""
BY_HAND = ETHTOOL.replace("Auto-negotiation: on", "Auto-negotiation: off").replace(
    "Link partner advertised link modes", "X"
)
RINGS = """\
Ring parameters for eth0:
Pre-set maximums:
RX:             4096
RX Mini:        n/a
RX Jumbo:       n/a
TX:             4096
Current hardware settings:
RX:             256
RX Mini:        n/a
RX Jumbo:       n/a
TX:             256
"""
BOND = """\
Ethernet Channel Bonding Driver: v6.1.0-18-amd64

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
MII Status: up
MII Polling Interval (ms): 100

Slave Interface: eth0
MII Status: up
Speed: 10000 Mbps
Duplex: full

Slave Interface: eth1
MII Status: down
Speed: Unknown
Duplex: Unknown
"""
SNMP = """\
Ip: Forwarding DefaultTTL InReceives
Ip: 2 64 123
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs \
RetransSegs InErrs OutRsts InCsumErrors
Tcp: 1 200 120000 -1 4211 377 12 40 9 901234 870000 9000 0 300 0
"""


def link(*keys: Any, value: Any) -> Change:
    return setting("facts", "links", 0, *keys, value=value)


CASES: list[Case] = [
    (
        "link_speed",
        WARNING,
        link("speed_Mbps", value=100),
        "eth0 runs at 100 of 1000 Mbit/s that both ends support: a pair of wires",
        "ethtool -s eth0 autoneg on; if it stays so, replace the cable",
    ),
    (
        "link_speed",
        WARNING,
        several(link("speed_Mbps", value=100), link("ethtool", "negotiated", value=False)),
        "its speed is set by hand",
        "ethtool -s eth0 autoneg on, and the same on the switch port",
    ),
    (
        "link_speed",
        WARNING,
        several(
            link("speed_Mbps", value=100),
            link("ethtool", value={"negotiated": False, "best_Mbps": 1000, "partner_best_Mbps": None}),
        ),
        "eth0 runs at 100 of 1000 Mbit/s that this end supports: its speed is set by hand",
        "ethtool -s eth0 autoneg on, and the same on the switch port",
    ),
    (
        "link_speed",
        WARNING,
        several(
            link("speed_Mbps", value=100),
            link("ethtool", value={"negotiated": None, "best_Mbps": None, "partner_best_Mbps": None}),
        ),
        "eth0 runs at 100 Mbit/s, that of h0, h2 at 1000",
        "ethtool -s eth0 autoneg on",
    ),
    ("link_duplex", WARNING, link("duplex", value="half"), "eth0 is half duplex", "ethtool -s eth0 autoneg on"),
    (
        "link_errors",
        WARNING,
        link("counters", "rx_crc_errors", value=5000),
        "eth0 has damaged packets (rx_crc_errors 5000; 10000000 packets since it came up)",
        "replace the cable or transceiver of eth0",
    ),
    (
        "link_errors",
        WARNING,
        link("counters", "rx_errors", value=5000),
        "eth0 counts 5000 errors in 10000000 packets",
        "ethtool -S eth0",
    ),
    (
        "link_errors",
        WARNING,
        link("counters", "rx_missed_errors", value=50_000),
        "eth0 lost 50000 of 10000000 packets because its receive ring was full",
        "ethtool -G eth0 rx 4096",
    ),
    (
        "link_errors",
        WARNING,
        several(link("counters", "rx_missed_errors", value=50_000), link("rings", value={"most": None, "now": None})),
        "its receive ring was full",
        "ethtool -L eth0 combined $(nproc)",
    ),
    (
        "link_errors",
        NOTE,
        link("counters", "rx_dropped", value=50_000),
        "eth0 dropped 50000 of 10000000 packets",
        "sysctl -w net.core.netdev_max_backlog=5000",
    ),
    (
        "bond_members",
        WARNING,
        setting("facts", "bond", value={"eth1": True, "eth2": False}),
        "eth0 is a bond of 2, of which eth2 carries nothing",
        "ip link set eth2 up",
    ),
    (
        "retransmissions",
        NOTE,
        setting("facts", "segments", "again", value=31_000),
        "TCP has retransmitted 3.1 % of its segments",
        "fairlead characterize cluster",
    ),
    (
        "slow_pair",
        WARNING,
        setting("paths", "h2", "rate_Bps", value=11e6),
        "to h2: 88 Mbit/s; the median of the tried pairs is 880",
        "on h1: tracepath -n 10.64.0.3",
    ),
]
TRIED = {case[0] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


@pytest.mark.parametrize(("negotiated", "speed_Mbps"), [(False, 10_000), (True, 10_000), (None, 1000)])
def test_a_switch_that_is_slower_than_the_card_is_no_broken_wire(negotiated: bool | None, speed_Mbps: int) -> None:
    """A card for 25 Gbit/s on a port for 10: fibres do not negotiate, and nobody says what the port supports."""
    ends = {"negotiated": negotiated, "best_Mbps": 25_000, "partner_best_Mbps": None}
    everywhere = several(link("speed_Mbps", value=speed_Mbps), link("ethtool", value=ends))
    found = one(judge(healthy(everywhere, on=NAMES)), "link_speed")
    assert (found.severity, found.hosts) == (NOTE, NAMES)
    assert found.text.startswith(f"eth0 runs at {speed_Mbps} Mbit/s and supports 25000; the other end")
    assert found.fix.startswith("ethtool -m eth0 shows the transceiver")


def test_a_host_whose_paths_are_all_slow_is_told_once() -> None:
    def change(data: dict[str, Any]) -> None:
        for path in data["paths"].values():
            path["rate_Bps"] = 11e6

    found = one(judge(healthy(change)), "slow_pair")
    assert found.hosts == ("h1",)
    assert found.text.startswith("all paths from this host are slow: 88 Mbit/s")
    assert found.fix.startswith("ethtool eth0; tc -s qdisc show dev eth0")


def long_round_trips(data: dict[str, Any]) -> None:
    for peer in {"h1", "h2"} & set(data["paths"]):
        data["paths"][peer]["round_trip_s"] = 4e-3


def test_a_round_trip_is_long_if_both_ends_say_so() -> None:
    found = one(judge(healthy(long_round_trips, on=("h1", "h2"))), "slow_pair")
    assert found.hosts == ("h1",)
    assert found.text.startswith("to h2: a round trip of 4.00 ms; the median of the tried pairs is 0.15")
    assert "fairlead characterize cluster" in found.fix
    once = setting("paths", "h2", "round_trip_s", value=4e-3)
    assert not [item for item in judge(healthy(once)) if item.check == "slow_pair"]


def test_round_trips_of_hosts_that_share_processors_are_not_judged() -> None:
    findings = judge(healthy(long_round_trips, on=("h1", "h2"), cores_shared=True))
    assert not [item for item in findings if item.check == "slow_pair"]


def two_hosts(change: Change) -> list[Finding]:
    facts = healthy(change)
    _, h1, h2 = facts.hosts
    return judge(replace(facts, hosts=(replace(h1, paths={"h2": h1.paths["h2"]}), replace(h2, paths={}))))


def test_of_two_hosts_the_network_cards_tell_what_is_slow() -> None:
    found = one(two_hosts(setting("paths", "h2", "rate_Bps", value=11e6)), "slow_pair")
    assert found.text.startswith("to h2: 88 Mbit/s, although both network cards run at 1000")
    unknown = several(setting("paths", "h2", "rate_Bps", value=11e6), link("kind", value="virtual"))
    assert not [item for item in two_hosts(unknown) if item.check == "slow_pair"]


def test_few_errors_or_few_packets_say_nothing() -> None:
    little = several(link("counters", "rx_crc_errors", value=3), link("counters", "rx_dropped", value=100))
    assert not [item for item in judge(healthy(little)) if item.check == "link_errors"]
    fresh = link("counters", value={"rx_packets": 90, "tx_packets": 10, "rx_crc_errors": 50})
    assert not [item for item in judge(healthy(fresh)) if item.check == "link_errors"]


def test_what_ethtool_says_of_a_link() -> None:
    assert links.parse_ethtool(ETHTOOL) == {"negotiated": True, "best_Mbps": 1000, "partner_best_Mbps": 1000}
    assert links.parse_ethtool(BY_HAND) == {"negotiated": False, "best_Mbps": 1000, "partner_best_Mbps": None}
    nothing = {"negotiated": None, "best_Mbps": None, "partner_best_Mbps": None}
    assert links.parse_ethtool("Settings for eth0:\n\tLink detected: yes\n") == nothing
    assert links.parse_ethtool("") == nothing


def test_rings() -> None:
    assert links.parse_rings(RINGS) == {"most": 4096, "now": 256}
    assert links.parse_rings("netlink error: Operation not supported") == {"most": None, "now": None}


def test_members_of_a_bond() -> None:
    assert links.parse_bond(BOND) == {"eth0": True, "eth1": False}
    assert links.parse_bond("") == {}


def test_segments_of_tcp() -> None:
    found = links.parse_snmp(SNMP)
    assert (found["OutSegs"], found["RetransSegs"]) == (870000, 9000)
    assert links.parse_snmp("") == {}


def test_a_link_as_sysfs_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / "bond0"
    (base / "statistics").mkdir(parents=True)
    (base / "bonding").mkdir()
    for name, text in {"speed": "20000", "duplex": "full", "statistics/rx_packets": "7", "lower_eth1": ""}.items():
        (base / name).write_text(f"{text}\n")
    (tmp_path / "eth1" / "statistics").mkdir(parents=True)
    (tmp_path / "eth1" / "device").mkdir()
    (tmp_path / "eth1" / "speed").write_text("-1\n")
    (tmp_path / "eth1" / "duplex").write_text("unknown\n")
    monkeypatch.setattr(links, "NETWORKS", str(tmp_path))
    bond, member = links.links("bond0")
    assert (bond["kind"], bond["speed_Mbps"], bond["duplex"]) == ("bond", 20000, "full")
    assert bond["counters"] == {"rx_packets": 7}
    assert (member["name"], member["kind"], member["speed_Mbps"], member["duplex"]) == ("eth1", "physical", None, None)
    assert links.links("nosuch0") == []


@pytest.mark.parametrize(
    ("uevent", "kind"),
    [
        ("INTERFACE=wg0\nDEVTYPE=wireguard\n", "tunnel"),
        ("DEVTYPE=vlan\nINTERFACE=eth0.5\n", "vlan"),
        ("IFINDEX=2\n", "virtual"),
    ],
)
def test_kinds_of_interfaces(tmp_path: Path, uevent: str, kind: str) -> None:
    (tmp_path / "uevent").write_text(uevent)
    assert links.kind(tmp_path) == kind


def test_settings_that_are_numbers() -> None:
    assert links.parse_settings({"a": "1", "b": "-1", "c": None, "d": "x"}) == {"a": 1, "b": -1, "c": None, "d": None}
