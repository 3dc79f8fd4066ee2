"""Checks of links: speed, duplex, errors, members of bonds, pairs that are slower than others.

One bad cable makes one slow host, and one slow host makes a slow program: ranks wait for each other.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

from fairlead.cluster.doctor.answers import Link
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, note, warning

FEW_PACKETS = 1000  # less say nothing of a link
BAD_SHARE = 1e-5  # of packets; a healthy Ethernet link has a bit error rate of 1e-12 at most (IEEE 802.3)
LOST_SHARE = 1e-3  # dropped packets: bursts lose some on every busy host
SENT_AGAIN_SHARE = 0.01
FEW_SEGMENTS = 10_000
SLOW_FACTOR = 3.0  # so much less or longer than the median of all pairs
SLOW_ROUND_TRIP_S = 0.2e-3  # differences below that are processors', not networks'
FASTEST_FILLED_MBPS = 10_000  # what one connection fills on any processor; above, a lower rate says nothing
NOT_NEGOTIATED_MBPS = 10_000  # from here on fibres and copper assemblies have their speed without negotiation
MEASURED_PAIRS = 6  # three hosts; of fewer pairs no median says which one is slow
PHYSICAL_ERRORS = ("rx_crc_errors", "rx_frame_errors", "tx_carrier_errors")
RING_LOSSES = ("rx_missed_errors", "rx_fifo_errors")


def _links(host: HostFacts) -> Sequence[Link]:
    return host.facts.get("links") or ()


def _speed(host: HostFacts) -> int | None:
    """Speed of the interface that MPI uses in Mbit/s, where it has one."""
    return next((item["speed_Mbps"] for item in _links(host)), None)


@check
def link_speed(facts: ClusterFacts) -> Iterable[Finding]:
    """Links run at the speed that both ends can, and all hosts at the same."""
    speeds = {host.name: speed for host in facts.reached() if (speed := _speed(host))}
    most = max(speeds.values(), default=0)
    for host in facts.reached():
        told = False
        for item in _links(host):
            ends = [item["ethtool"]["best_Mbps"], item["ethtool"]["partner_best_Mbps"]]
            best = min((end for end in ends if end), default=None)
            if item["speed_Mbps"] and best and item["speed_Mbps"] < best:
                told = told or not _may_be_the_others(item)
                yield _slow_link(host, item, best)
        if not told and speeds.get(host.name, most) < most:
            others = ", ".join(name for name, speed in speeds.items() if speed == most)
            yield warning(
                [host.name],
                f"{host.host.interface} runs at {speeds[host.name]} Mbit/s, that of {others} at {most}: the "
                "slower rate limits every exchange with this host",
                f"ethtool -s {host.host.interface} autoneg on; if it stays so, use a port and cable for {most} Mbit/s",
            )


def _may_be_the_others(item: Link) -> bool:
    """Whether the other end may support no more. Without negotiation it says nothing; fast links go without it."""
    by_hand = item["ethtool"]["negotiated"] is False and (item["speed_Mbps"] or 0) < NOT_NEGOTIATED_MBPS
    return item["ethtool"]["partner_best_Mbps"] is None and not by_hand


def _slow_link(host: HostFacts, item: Link, best_Mbps: int) -> Finding:
    name = item["name"]
    if _may_be_the_others(item):
        text = (
            f"{name} runs at {item['speed_Mbps']} Mbit/s and supports {best_Mbps}; the other end, which does not "
            "report what it supports, or the transceiver may be slower"
        )
        fix = f"ethtool -m {name} shows the transceiver; use one, and a switch port, for {best_Mbps} Mbit/s"
        return note([host.name], text, fix)
    if item["ethtool"]["negotiated"] is False:
        why = "its speed is set by hand (auto-negotiation is off)"
        fix = f"ethtool -s {name} autoneg on, and the same on the switch port"
    else:
        why = "a pair of wires or the plug may be broken (1000BASE-T needs all four pairs)"
        fix = f"ethtool -s {name} autoneg on; if it stays so, replace the cable, then try another switch port"
    who = "this end supports" if item["ethtool"]["partner_best_Mbps"] is None else "both ends support"
    text = f"{name} runs at {item['speed_Mbps']} of {best_Mbps} Mbit/s that {who}: {why}"
    return warning([host.name], text, fix)


@check
def link_duplex(facts: ClusterFacts) -> Iterable[Finding]:
    """No link is half duplex: MPI sends both ways at once, and each collision costs both."""
    for host in facts.reached():
        for item in _links(host):
            if item["duplex"] == "half":
                yield warning(
                    [host.name],
                    f"{item['name']} is half duplex: MPI's simultaneous traffic in both directions has to wait",
                    f"ethtool -s {item['name']} autoneg on, and auto-negotiation on the switch port: half "
                    "duplex results when one end has it off",
                )


@check
def link_errors(facts: ClusterFacts) -> Iterable[Finding]:
    """No link damages or loses packets. TCP sends what is lost again, after 0.2 s in the worst case."""
    for host in facts.reached():
        for item in _links(host):
            counted = item["counters"]
            packets = counted.get("rx_packets", 0) + counted.get("tx_packets", 0)
            if packets >= FEW_PACKETS:
                yield from _errors(host, item, packets)


def _errors(host: HostFacts, item: Link, packets: int) -> Iterable[Finding]:
    name, counted = item["name"], item["counters"]
    damaged = {key: counted[key] for key in PHYSICAL_ERRORS if counted.get(key)}
    missed = sum(counted.get(key, 0) for key in RING_LOSSES)
    dropped = counted.get("tx_dropped", 0) + counted.get("rx_dropped", 0)
    errors = counted.get("rx_errors", 0) + counted.get("tx_errors", 0) - missed
    if sum(damaged.values()) > BAD_SHARE * packets:
        words = ", ".join(f"{key} {value}" for key, value in damaged.items())
        yield warning(
            [host.name],
            f"{name} has damaged packets ({words}; {packets} packets since it came up): the cable, plug or "
            "transceiver is bad, and TCP retransmits what they lose",
            f"replace the cable or transceiver of {name}, or use another switch port; `ip -s -s link show {name}` must "
            "then stand still",
        )
    elif errors > BAD_SHARE * packets:
        yield warning(
            [host.name],
            f"{name} counts {errors} errors in {packets} packets: TCP retransmits what they lose",
            f"ethtool -S {name} | grep -iE 'err|drop|crc' names the kind; replace cable or transceiver if crc or "
            "symbol errors grow",
        )
    if missed > LOST_SHARE * packets:
        yield warning([host.name], _ring_text(name, missed, packets), _ring_fix(item))
    elif dropped > LOST_SHARE * packets:
        yield note(
            [host.name],
            f"{name} dropped {dropped} of {packets} packets: kernel queues were full, or nothing here accepted "
            "the packets",
            "sysctl -w net.core.netdev_max_backlog=5000",
        )


def _ring_text(name: str, missed: int, packets: int) -> str:
    return (
        f"{name} lost {missed} of {packets} packets because its receive ring was full: several hosts sent "
        "bursts at the same time"
    )


def _ring_fix(item: Link) -> str:
    rings = item["rings"]
    if rings["most"] and rings["now"] and rings["now"] < rings["most"]:
        return f"ethtool -G {item['name']} rx {rings['most']}"
    return f"ethtool -L {item['name']} combined $(nproc) (more queues, each served by a core of its own)"


@check
def bond_members(facts: ClusterFacts) -> Iterable[Finding]:
    """All members of a bond carry traffic."""
    for host in facts.reached():
        members = host.facts.get("bond") or {}
        down = [name for name, is_up in members.items() if not is_up]
        if down:
            yield warning(
                [host.name],
                f"{host.host.interface} is a bond of {len(members)}, of which {', '.join(down)} carries "
                "nothing: the others take all the traffic",
                "; ".join(f"ip link set {name} up" for name in down) + "; if it stays down, replace its cable",
            )


@check
def retransmissions(facts: ClusterFacts) -> Iterable[Finding]:
    """TCP seldom sends again."""
    for host in facts.reached():
        counted = host.facts.get("segments")
        if counted and counted["sent"] >= FEW_SEGMENTS and counted["again"] > SENT_AGAIN_SHARE * counted["sent"]:
            share = 100 * counted["again"] / counted["sent"]
            yield note(
                [host.name],
                f"TCP has retransmitted {share:.1f} % of its segments since boot: some of its paths lose packets",
                f"fairlead characterize {facts.cluster.source} finds which paths share the bottleneck",
            )


@check
def slow_pair(facts: ClusterFacts) -> Iterable[Finding]:
    """No pair is much slower than the others: a collective operation takes as long as its slowest pair.

    Round trips of hosts that share processors say how those are shared, not how the network is.
    """
    rates = _of_paths(facts, "rate_Bps")
    times = {} if facts.cluster.cores_shared else _round_trips(facts)
    slow: dict[tuple[str, str], str] = {}
    if len(rates) >= MEASURED_PAIRS:
        usual = median(rates.values())
        for pair, rate in rates.items():
            if rate * SLOW_FACTOR < usual:
                slow[pair] = f"{_Mbps(rate)} Mbit/s; the median of the tried pairs is {_Mbps(usual)}"
    else:
        slow |= _slower_than_links(facts, rates)
    if 2 * len(times) >= MEASURED_PAIRS:
        usual = median(times.values())
        for pair, taken_s in times.items():
            if pair not in slow and taken_s > max(SLOW_FACTOR * usual, usual + SLOW_ROUND_TRIP_S):
                slow[pair] = (
                    f"a round trip of {taken_s * 1e3:.2f} ms; the median of the tried pairs is {usual * 1e3:.2f}"
                )
    hosts = {host.name: host for host in facts.reached()}
    yield from _slow_findings(facts, hosts, slow, {*rates, *times})


def _slower_than_links(facts: ClusterFacts, rates: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], str]:
    """Pairs of two hosts: what their network cards say is all that there is to compare with."""
    speeds = {host.name: _speed(host) for host in facts.reached() if _is_physical(host)}
    slow = {}
    for (one, other), rate in rates.items():
        ends = [speeds.get(one), speeds.get(other)]
        speed_Mbps = min((speed for speed in ends if speed), default=0) if all(ends) else 0
        if speed_Mbps <= FASTEST_FILLED_MBPS and rate * 8e-6 * SLOW_FACTOR < speed_Mbps:
            slow[one, other] = f"{_Mbps(rate)} Mbit/s, although both network cards run at {speed_Mbps}"
    return slow


def _is_physical(host: HostFacts) -> bool:
    return any(item["name"] == host.host.interface and item["kind"] == "physical" for item in _links(host))


def _of_paths(facts: ClusterFacts, key: Literal["rate_Bps", "round_trip_s"]) -> dict[tuple[str, str], float]:
    return {
        (host.name, peer): found
        for host in facts.reached()
        for peer, path in host.paths.items()
        if (found := path.get(key))
    }


def _round_trips(facts: ClusterFacts) -> dict[tuple[str, str], float]:
    """The least of what both ends measured: it is the same way there and back."""
    taken = _of_paths(facts, "round_trip_s")
    return {
        (one, other): min(time_s, taken.get((other, one), time_s))
        for (one, other), time_s in taken.items()
        if one < other or (other, one) not in taken
    }


def _Mbps(rate_Bps: float) -> str:
    return f"{rate_Bps * 8e-6:.0f}"


def _slow_findings(
    facts: ClusterFacts,
    hosts: Mapping[str, HostFacts],
    slow: Mapping[tuple[str, str], str],
    measured: Collection[tuple[str, str]],
) -> Iterable[Finding]:
    """A host all of whose paths are slow one way is told once, with its link; other pairs one by one."""
    told: set[tuple[str, str]] = set()
    for name, host in hosts.items():
        for way, end in (("from", 0), ("to", 1)):
            mine = [pair for pair in slow if pair[end] == name]
            if len(mine) == sum(pair[end] == name for pair in measured) > 1:
                told.update(mine)
                device = host.host.interface
                yield warning(
                    [name],
                    f"all paths {way} this host are slow: {slow[mine[0]]}: the cause is its own link, or what "
                    "shares it",
                    f"ethtool {device}; tc -s qdisc show dev {device}; replace the cable or remove the limit they show",
                )
    for (one, other), words in slow.items():
        if (one, other) not in told:
            yield warning(
                [one],
                f"to {other}: {words}; programs wait for the slowest pair",
                f"on {one}: tracepath -n {hosts[other].host.address} shows the hop; fairlead characterize "
                f"{facts.cluster.source} shows whether a path over another host is faster",
            )
