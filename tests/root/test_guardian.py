"""The guardian alone: what each request does in the kernel, read back by iproute2, and that nothing is left."""

from __future__ import annotations

import errno
import json
import signal
import socket
import time
from collections.abc import Callable

import pytest

from fairlead import native

from .guardian_lab import (
    LAST_HOP_TABLE,
    REROUTED_TABLE,
    Guardian,
    Host,
    Mesh,
    best_of,
    clean,
    encode_setup,
    filters,
    rerouted_routes,
    status,
    wait_until,
)


def test_setup_makes_the_overlay_as_designed(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    (link,) = host.ip_json("link", "show", "fl-test1")
    vxlan = link["linkinfo"]["info_data"]
    assert (vxlan["id"], vxlan["port"], vxlan["local"], vxlan["link"]) == (4242, 28000, host.address, "eth0")
    assert vxlan["learning"] is False
    assert vxlan["port_range"] == {"low": 665, "high": 1024}  # the second is not in it
    assert link["mtu"] == 1450 and "UP" in link["flags"]
    assert link["gso_max_size"] == 65536 - 50  # with the outer headers it still fits the underlay
    # No address: MPI libraries would take it for a network of its own.
    assert host.ip_json("address", "show", "fl-test1")[0]["addr_info"] == []
    peers = [mesh.hosts[1].address, mesh.hosts[2].address]
    entries = json.loads(host.run("bridge", "-json", "fdb", "show", "dev", "fl-test1"))
    assert sorted(entry["dst"] for entry in entries) == peers
    neighbours = host.ip_json("neighbour", "show", "dev", "fl-test1", "nud", "permanent")
    assert {n["dst"]: n["lladdr"] for n in neighbours} == {
        peers[0]: "02:46:4c:00:00:01",
        peers[1]: "02:46:4c:00:00:02",
    }


def test_setup_makes_rules_and_last_hops(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host, uid_first=1000, uid_last=1001))
    rules = [r for r in host.ip_json("rule") if r.get("protocol") == "70"]
    assert [rule["priority"] for rule in rules] == [5000, 5000, 5020, 5020, 5020, 5040, 5080]
    assert rules[0]["iif"] == "fl-test1" and rules[0]["table"] == str(LAST_HOP_TABLE)
    exempt = [(r.get("sport", 0), r.get("dport", 0), r.get("ipproto"), r.get("uid_start")) for r in rules[2:5]]
    assert sorted(exempt, key=str) == [(0, 28000, "udp", None), (0, 47011, None, 1000), (47011, 0, None, 1000)]
    assert (rules[5]["uid_start"], rules[5]["uid_end"], rules[5]["table"]) == (1000, 1001, str(REROUTED_TABLE))
    last_hops = host.ip_json("route", "show", "table", str(LAST_HOP_TABLE))
    assert [(r.get("type", "unicast"), r["dst"], r.get("gateway"), r.get("dev")) for r in last_hops] == [
        ("blackhole", "default", None, None),
        ("unicast", mesh.hosts[1].address, mesh.hosts[1].address, "fl-test1"),
        ("unicast", mesh.hosts[2].address, mesh.hosts[2].address, "fl-test1"),
    ]
    assert all(route["protocol"] == "70" for route in last_hops)


def test_the_filter_is_what_nft_would_make(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    made, reference = filters(mesh, host)
    assert made == reference


def test_the_filter_knows_all_hosts_of_a_large_job(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    others = [f"10.78.{index // 250}.{index % 250 + 1}" for index in range(1021)]
    addresses = [*(each.address for each in mesh.hosts), *others]
    start(host, encode_setup(self_index=host.index, addresses=addresses))
    listed = json.loads(host.run("nft", "--json", "list", "set", "inet", "fairlead_test1", "hosts"))
    (known,) = [entry["set"]["elem"] for entry in listed["nftables"] if "set" in entry]
    assert sorted(known) == sorted(addresses)


def test_forwarding_is_on_for_the_overlay_only(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    start(host, mesh.setup_request(host))
    assert host.sysctl("conf.fl-test1.forwarding") == 1
    assert (host.sysctl("ip_forward"), host.sysctl("conf.eth0.forwarding")) == (0, 0)


def test_strict_reverse_path_filter_is_loosened_and_restored(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    guardian = start(host, mesh.setup_request(host))
    assert (host.sysctl("conf.all.rp_filter"), host.sysctl("conf.eth0.rp_filter")) == (1, 2)
    assert guardian.tear_down().error == 0
    assert (host.sysctl("conf.all.rp_filter"), host.sysctl("conf.eth0.rp_filter")) == (1, 1)


@pytest.mark.parametrize("device_value", [0, 2])
def test_reverse_path_filter_that_is_not_strict_is_left(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], device_value: int
) -> None:
    host.sysctl("conf.all.rp_filter", 0)
    host.sysctl("conf.eth0.rp_filter", device_value)
    try:
        guardian = start(host, mesh.setup_request(host))
        assert host.sysctl("conf.eth0.rp_filter") == device_value
        assert guardian.tear_down().error == 0
        assert host.sysctl("conf.eth0.rp_filter") == device_value
    finally:
        host.sysctl("conf.all.rp_filter", 1)
        host.sysctl("conf.eth0.rp_filter", 1)


# Reroutes -----------------------------------------------------------------------------------------------------------


def test_reroute_replace_return(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    h1, h2 = mesh.hosts[1].address, mesh.hosts[2].address
    guardian = start(host, mesh.setup_request(host))
    assert guardian.reroute(destination=1, relay=2).error == 0
    (route,) = rerouted_routes(host)
    assert (route["dst"], route["gateway"], route["dev"], route["prefsrc"]) == (h1, h2, "fl-test1", host.address)
    assert (route["protocol"], route["metrics"]) == ("70", [{"mtu": 1450}])
    assert "mtu lock 1450" in host.run("ip", "route", "show", "table", str(REROUTED_TABLE))
    assert host.ip_json("route", "get", h1, "uid", "0")[0]["gateway"] == h2
    assert status(host, binary)[0]["rerouted"] == [{"destination": h1, "relay": h2}]

    assert guardian.reroute(destination=2, relay=1).error == 0
    assert guardian.reroute(destination=1, relay=2).error == 0  # again: replaced, not added
    assert len(rerouted_routes(host)) == 2
    assert guardian.give_back(1).error == 0
    assert guardian.give_back(1).error == 0  # already there
    assert [route["dst"] for route in rerouted_routes(host)] == [h2]
    assert host.ip_json("route", "get", h1, "uid", "0")[0]["dev"] == "eth0"


def test_a_rerouted_route_keeps_what_was_set_on_the_direct_one(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    """Congestion control, windows: connections made while traffic is away shall be like those made before."""
    h1, h2 = mesh.hosts[1].address, mesh.hosts[2].address
    direct = ("ip", "route", "replace", f"{h1}/32", "dev", "eth0", "src", host.address)
    host.run(*direct, "congctl", "reno", "initcwnd", "20", "advmss", "lock", "1300", "mtu", "1400")
    try:
        guardian = start(host, mesh.setup_request(host))
        for relay in (2, 2):  # the second replaces the first, and finds the rerouted route as the present one
            assert guardian.reroute(destination=1, relay=relay).error == 0
            shown = host.run("ip", "route", "show", "table", str(REROUTED_TABLE))
            for part in (f"{h1} via {h2}", "congctl reno", "initcwnd 20", "advmss lock 1300", "mtu lock 1400"):
                assert part in shown, shown
        guardian.give_back(1)
    finally:
        host.run("ip", "route", "del", f"{h1}/32", "dev", "eth0")


def test_other_users_and_the_agents_stay(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host, uid_first=1000, uid_last=1000))
    assert guardian.reroute(destination=1, relay=2).error == 0
    to = ["route", "get", mesh.hosts[1].address, "ipproto", "udp"]
    assert host.ip_json(*to, "uid", "1000", "dport", "7")[0]["dev"] == "fl-test1"
    for stays in (["uid", "1001", "dport", "7"], ["uid", "0", "dport", "7"]):
        assert host.ip_json(*to, *stays)[0]["dev"] == "eth0"
    for agents in (["dport", "47011"], ["sport", "47011"], ["dport", "28000"]):
        assert host.ip_json(*to, "uid", "1000", *agents)[0]["dev"] == "eth0"
    assert (
        host.ip_json("route", "get", mesh.hosts[1].address, "ipproto", "tcp", "uid", "1000", "dport", "47011")[0]["dev"]
        == "eth0"
    )


# Ends ---------------------------------------------------------------------------------------------------------------


def test_teardown_removes_all_and_allows_another_setup(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    before = host.state()
    guardian = start(host, mesh.setup_request(host))
    assert guardian.reroute(destination=1, relay=2).error == 0
    assert guardian.tear_down().error == 0
    assert host.state() == before
    assert guardian.reroute(destination=1, relay=2).error == errno.ENOTCONN
    assert guardian.exchange(mesh.setup_request(host)).error == 0


def test_agents_death_withdraws_at_once_and_keeps_the_overlay(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    def withdrawn_after_s() -> float:
        guardian = start(host, mesh.setup_request(host, grace_ms=3000))
        assert guardian.reroute(destination=1, relay=2).error == 0
        assert guardian.reroute(destination=2, relay=1).error == 0
        guardian.close()
        taken_s = wait_until(lambda: rerouted_routes(host) == [], within_s=2)
        time.sleep(0.4)
        assert host.sysctl("conf.fl-test1.forwarding") == 1
        assert guardian.wait() == 0
        assert status(host, str(native.program("fairlead-guardian"))) == []
        return taken_s

    assert best_of(withdrawn_after_s, 0.2) < 0.2


def test_an_agent_that_is_silent_while_it_reroutes_counts_as_dead(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    before = host.state()
    guardian = start(host, mesh.setup_request(host, grace_ms=300))
    assert guardian.hold_lease(2000).error == 0
    time.sleep(2.5)
    assert guardian.reroute(destination=1, relay=2).error == 0, "while nothing was rerouted it did not have to speak"
    for _ in range(6):
        time.sleep(0.5)
        assert guardian.attempt(2, 1).error == 0, "whatever it says"
    silent_s = wait_until(lambda: rerouted_routes(host) == [], within_s=6)
    assert silent_s > 1.4
    assert guardian.wait() == 0
    assert host.state() == before


def test_a_guardians_own_pause_is_no_silence_of_its_agent(
    mesh: Mesh, host: Host, start: Callable[..., Guardian]
) -> None:
    """As in a container that was frozen with both."""
    guardian = start(host, mesh.setup_request(host))
    assert guardian.hold_lease(2000).error == 0
    assert guardian.reroute(destination=1, relay=2).error == 0
    guardian.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    guardian.process.send_signal(signal.SIGCONT)
    time.sleep(0.1)
    assert guardian.hold_lease(60_000).error == 0
    time.sleep(0.5)
    assert len(rerouted_routes(host)) == 1


@pytest.mark.parametrize("moment", ["serving", "grace"])
def test_sigterm_removes_all_at_once(mesh: Mesh, host: Host, start: Callable[..., Guardian], moment: str) -> None:
    guardian = start(host, mesh.setup_request(host, grace_ms=60_000))
    if moment == "grace":
        guardian.close()
        time.sleep(0.1)
    guardian.process.terminate()
    assert guardian.wait(timeout_s=10) == 0  # not for the grace time


@pytest.mark.parametrize("ignored", [signal.SIGINT, signal.SIGHUP])
def test_signals_of_a_terminal_do_not_end_it(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], ignored: signal.Signals
) -> None:
    guardian = start(host, mesh.setup_request(host))
    guardian.process.send_signal(ignored)
    assert guardian.reroute(destination=1, relay=2).error == 0


def test_clean_removes_exactly_what_the_dead_left(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    before = host.state()
    dead = start(host, mesh.setup_request(host, job="dead"))
    assert dead.reroute(destination=1, relay=2).error == 0
    dead.kill()
    dead.wait()
    host.ip("rule add priority 5010 to 10.99.0.0/16 lookup 99", "link add fl-mine type veth peer name fl-mine2")
    others = host.state()
    (left,) = status(host, binary)
    assert (left["job"], left["alive"], left["rules"]) == ("dead", False, 7)

    announced = clean(host, binary, "--dry-run")
    assert host.state() == others
    assert clean(host, binary, "--job", "other") == []
    removed = clean(host, binary)
    assert [(r["kind"], r["name"]) for r in removed] == [(r["kind"], r["name"]) for r in announced]
    kinds = [str(r["kind"]) for r in removed]
    assert {"rule", "route", "device", "filter", "rp_filter"} == set(kinds)
    assert kinds.index("rp_filter") < kinds.index("device"), "killed in between, nothing would know the old value"
    assert clean(host, binary) == []
    host.ip("rule delete priority 5010", "link delete fl-mine")
    assert host.state() == before


def test_clean_leaves_the_living_alone(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    dead = start(host, mesh.setup_request(host, job="dead"))
    living = start(host, mesh.setup_request(host, job="living", network_id=7, overlay_port=28001))
    assert living.reroute(destination=1, relay=2).error == 0
    dead.kill()
    dead.wait()
    assert {r["job"] for r in clean(host, binary)} == {"dead"}
    assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("living", True)]
    # The other job still needs the underlay loose.
    assert host.sysctl("conf.eth0.rp_filter") == 2
    assert living.tear_down().error == 0
    assert host.sysctl("conf.eth0.rp_filter") == 1


def test_setup_clears_away_the_dead(mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str) -> None:
    for job in ("dead", "again"):
        dead = start(host, mesh.setup_request(host, job=job))
        dead.kill()
        dead.wait()
    start(host, mesh.setup_request(host, job="again"))
    assert [(job["job"], job["alive"]) for job in status(host, binary)] == [("again", True)]


def test_a_failed_setup_leaves_nothing(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    before = host.state()
    with host.socket(socket.SOCK_DGRAM) as taken:
        taken.bind(("0.0.0.0", 28000))
        guardian = start(host)
        reply = guardian.exchange(mesh.setup_request(host))
        assert (reply.error, "UDP port" in reply.reason) == (errno.EADDRINUSE, True)
        assert host.state() == before
    assert guardian.exchange(mesh.setup_request(host)).error == 0


def test_status_does_not_take_a_trial_for_a_reroute(
    mesh: Mesh, host: Host, binary: str, start: Callable[..., Guardian]
) -> None:
    guardian = start(host, mesh.setup_request(host))
    assert guardian.attempt(destination=1, relay=2).error == 0
    assert [job["rerouted"] for job in status(host, binary)] == [[]]
    assert guardian.reroute(destination=2, relay=1).error == 0
    rerouted = [{"destination": mesh.hosts[2].address, "relay": mesh.hosts[1].address}]
    assert [job["rerouted"] for job in status(host, binary)] == [rerouted]
