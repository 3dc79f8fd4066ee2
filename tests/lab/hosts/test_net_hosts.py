"""``fairlead net show``, ``apply`` and ``restore`` on hosts whose ip(8) and /sys/class/net are imitated.

The scripts are run as on a real host, in mount namespaces of their own. The kernel's own bonding driver is in
tests/unit/bonding/test_net_driver.py; real switches and ssh connections that are cut are tested nowhere.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import fake_ip
import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import base
from fairlead.cluster.executors.base import Executor
from fairlead.errors import ConfigError, HostError
from fairlead.experiment.evaluations.experiment import Evaluation
from fairlead.experiment.plans import plan_file
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.net import apply as on_hosts
from fairlead.net import dhcp
from fairlead.net.change import Wanted
from fairlead.net.journal import JOURNAL
from fairlead.store import Store

pytestmark = pytest.mark.userns

NAMES = ("s0", "s1")
STATE: dict[str, Any] = {
    "links": {
        "lo": fake_ip.nic("00:00:00:00:00:00"),
        "eth0": fake_ip.nic("02:00:00:00:00:10", [{"local": "10.0.0.1", "prefixlen": 24, "scope": "global"}]),
        "eth1": fake_ip.nic(
            "02:00:00:00:00:11",
            [{"local": "10.1.0.1", "prefixlen": 24, "scope": "global", "broadcast": "10.1.0.255"}],
            speed=1000,
            duplex="full",
        ),
        "eth2": fake_ip.nic("02:00:00:00:00:12", speed=1000, duplex="full", up=False),
        "eth3": fake_ip.nic("02:00:00:00:00:13", speed=10000, duplex="full"),
    },
    "routes": [["10.1.0.0/24 proto kernel scope link src 10.1.0.1", "eth1"], ["10.9.0.0/16 via 10.1.0.254", "eth1"]],
    "partner": "02:00:00:00:00:aa",
}
AD = Wanted("bond7", ("eth1", "eth2"), "802.3ad", "layer3+4", 100, "fast")
ENTER = """
mount --bind "$1/state/net" /sys/class/net && mount -t tmpfs none /sys/module && mkdir /sys/module/bonding &&
mount -t tmpfs none /run && echo ready && exec sleep 1000
"""


class Imitated(Executor):
    """Hosts are mount namespaces; their imitated ip comes first in PATH."""

    name = "imitated"
    passes_signals = True

    def __init__(self, directory: Path) -> None:
        super().__init__(Cluster("c", "imitated", tuple(Host(name, f"10.0.0.{k + 1}") for k, name in enumerate(NAMES))))
        self.directory = directory
        self.holders: dict[str, subprocess.Popen[str]] = {}

    def state(self, host: str) -> dict[str, Any]:
        state = json.loads((self.directory / host / "state" / "state.json").read_text())
        assert isinstance(state, dict)
        return state

    def change(self, host: str, **more: Any) -> None:
        state = self.state(host) | more
        (self.directory / host / "state" / "state.json").write_text(json.dumps(state))

    def start(self, host: str) -> None:
        own = self.directory / host
        (own / "state" / "net").mkdir(parents=True)
        (own / "state" / "state.json").write_text(json.dumps(STATE))
        shutil.copy(fake_ip.__file__, own / "ip")
        (own / "ip").chmod(0o755)
        line = ["unshare", "-Urm", "sh", "-c", ENTER, "sh", str(own)]
        self.holders[host] = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        out = self.holders[host].stdout
        assert out is not None
        assert out.readline() == "ready\n"
        line = [sys.executable, str(own / "ip"), "-4", "route", "show", "table", "all"]
        subprocess.run(line, stdout=subprocess.DEVNULL, check=True)

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        own = self.directory / host
        if (own / "state" / "cut").exists():
            return ["sh", "-c", "echo 'Connection timed out' >&2; exit 255"]
        path = f"PATH={own}:/usr/sbin:/usr/bin:/sbin:/bin"
        enter = ["nsenter", "-t", str(self.holders[host].pid), "-U", "-m", "--preserve-credentials"]
        return [*enter, "env", path, *argv]

    def rsh_agent(self) -> Path | None:
        return None

    def client(self, host: str, nic: str) -> "subprocess.Popen[bytes]":
        """A process that looks like a DHCP client; whoever starts it ends it."""
        path = self.directory / host / "dhclient"
        path.write_text("#!/bin/sh\nwhile :; do read -r line || exit 0; done\n")
        path.chmod(0o755)
        enter = ["nsenter", "-t", str(self.holders[host].pid), "-U", "-m", "--preserve-credentials"]
        return subprocess.Popen([*enter, str(path), nic], stdin=subprocess.PIPE)

    def lines(self, host: str) -> list[str]:
        """What ip was called for, without looking."""
        lines = (self.directory / host / "state" / "log").read_text().splitlines()
        return [line for line in lines if "show" not in line]


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Imitated]:
    executor = Imitated(tmp_path)
    try:
        for host in NAMES:
            executor.start(host)
        yield executor
    finally:
        for holder in executor.holders.values():
            holder.kill()
            holder.wait()
            assert holder.stdout is not None
            holder.stdout.close()


def as_before(executor: Imitated, host: str) -> bool:
    """The kernel's own route comes back with the address, which is not imitated."""
    now = executor.state(host)
    routes = [route for route in STATE["routes"] if "proto kernel" not in route[0]]
    return now["links"] == STATE["links"] and [r for r in now["routes"] if "proto kernel" not in r[0]] == routes


def wait_until_as_before(executor: Imitated, host: str) -> None:
    deadline_s = time.monotonic() + 30
    while not as_before(executor, host):
        assert time.monotonic() < deadline_s, executor.state(host)
        time.sleep(0.2)


def journal(executor: Imitated, host: str) -> bool:
    return on_hosts.show(executor, [host])[host].has_journal


def test_a_bond_takes_over_addresses_and_routes_is_read_back_and_taken_back(hosts: Imitated) -> None:
    found = on_hosts.apply(hosts, NAMES, AD, within_s=30)
    for host in NAMES:
        bond = found[host].bonds["bond7"]
        assert (bond.mode, bond.policy, bond.members, bond.lacp_rate) == ("802.3ad", "layer3+4", AD.nics, "fast")
        assert bond.partner == "02:00:00:00:00:aa"
        assert [each.text for each in found[host].nics["bond7"].addresses] == ["10.1.0.1/24"]
        assert found[host].nics["bond7"].routes == ("10.9.0.0/16 via 10.1.0.254",)
        assert found[host].nics["eth1"].addresses == ()
        assert found[host].has_journal
    assert hosts.lines("s0") == [
        "link add bond7 type bond mode 802.3ad miimon 100 xmit_hash_policy layer3+4 lacp_rate fast",
        "link set bond7 mtu 1500",
        *("address flush dev eth1 scope global", "link set eth1 down", "link set eth1 master bond7"),
        *("address flush dev eth2 scope global", "link set eth2 down", "link set eth2 master bond7"),
        "link set bond7 up",
        "address add 10.1.0.1/24 broadcast 10.1.0.255 dev bond7",
        "route replace 10.9.0.0/16 via 10.1.0.254 dev bond7",
    ]
    with pytest.raises(ConfigError, match="fairlead has already made a bond"):
        on_hosts.apply(hosts, NAMES, AD, within_s=30)
    assert on_hosts.restore(hosts, NAMES) == list(NAMES)
    assert all(as_before(hosts, host) for host in NAMES)
    assert not any(journal(hosts, host) for host in NAMES)
    assert on_hosts.restore(hosts, NAMES) == []  # nothing is there: nothing happens


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (Wanted("bond7", ("eth1", "eth3"), "balance-rr"), r"differ in speed: eth1 1000 Mbit/s, eth3 10000 Mbit/s"),
        (Wanted("bond7", ("eth0", "eth1"), "802.3ad"), r"eth0 reports no speed, which 802\.3ad needs"),
        (Wanted("bond7", ("eth1", "eth9"), "802.3ad"), r"there is no interface eth9"),
        (Wanted("eth3", ("eth1",), "802.3ad"), r"an interface eth3 already exists"),
        (Wanted("bond7", tuple(f"eth{k}" for k in range(9)), "balance-rr"), r"name 1 to 8 NICs"),
        (Wanted("bond7", ("lo",), "balance-rr"), r"lo is not a NIC"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_touched(hosts: Imitated, wanted: Wanted, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        on_hosts.apply(hosts, NAMES, wanted, within_s=30)
    assert hosts.lines("s0") == hosts.lines("s1") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (
            {"refuse": "route replace 10.9.0.0/16 via 10.1.0.254 dev bond7"},
            r"s1: `sh` ended .*refused",
        ),
        ({"partner": "00:00:00:00:00:00"}, r"s1: no LACP partner answers"),
        ({"no_link": ["eth2"]}, r"s1: eth2 has no link"),
    ],
)
def test_if_one_host_fails_all_are_restored(hosts: Imitated, broken: dict[str, Any], reason: str) -> None:
    hosts.change("s1", **broken)
    with pytest.raises(HostError, match=reason):
        on_hosts.apply(hosts, NAMES, AD, within_s=30, settle_s=0.1)
    for host in NAMES:
        assert as_before(hosts, host)
        assert not journal(hosts, host)


@pytest.mark.slow
def test_a_host_that_is_not_reached_any_more_goes_back_by_itself(hosts: Imitated) -> None:
    """eth1 carries the management connection of s1: it is cut when that goes down."""
    hosts.change("s1", management="eth1")
    with pytest.raises(HostError):
        on_hosts.apply(hosts, NAMES, AD, within_s=3)
    assert as_before(hosts, "s0")  # at once
    wait_until_as_before(hosts, "s1")  # its guard


@pytest.fixture
def client(hosts: Imitated) -> Iterator["subprocess.Popen[bytes]"]:
    """Of eth1 of s0, which has an address for 91 s."""
    links = hosts.state("s0")["links"]
    links["eth1"]["addresses"][0] |= {"dynamic": True, "valid_life_time": 91}
    hosts.change("s0", links=links)
    process = hosts.client("s0", "eth1")
    try:
        while Path(f"/proc/{process.pid}/comm").read_text() != "dhclient\n":
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()


def is_stopped(process: "subprocess.Popen[bytes]") -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].startswith("T")


def valid_s(executor: Imitated, nic: str) -> int:
    (address,) = executor.state("s0")["links"][nic]["addresses"]
    return int(address["valid_life_time"])


def test_a_lease_moves_to_the_bond_and_back_with_what_is_left_of_it(
    hosts: Imitated, client: "subprocess.Popen[bytes]"
) -> None:
    now = on_hosts.apply(hosts, ["s0"], AD, within_s=30)["s0"]
    assert is_stopped(client)
    assert [each.text for each in now.nics["bond7"].addresses] == ["10.1.0.1/24"]
    assert 60 < valid_s(hosts, "bond7") <= 91
    assert now.until_s is not None and 30 < now.until_s - now.uptime_s <= 61
    moved_s = valid_s(hosts, "bond7")
    time.sleep(1.1)
    assert on_hosts.restore(hosts, ["s0"]) == ["s0"]
    assert not is_stopped(client)
    assert 30 < valid_s(hosts, "eth1") < moved_s
    assert ["10.9.0.0/16 via 10.1.0.254", "eth1"] in hosts.state("s0")["routes"]


@pytest.mark.slow
def test_a_confirmed_bond_goes_by_itself_before_the_lease_ends(
    hosts: Imitated, client: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dhcp, "ENDS_BEFORE_S", 76)
    on_hosts.apply(hosts, ["s0"], AD, within_s=1000)
    assert is_stopped(client) and journal(hosts, "s0")
    deadline_s = time.monotonic() + 30
    while is_stopped(client):  # which is let go last; the imitated ip runs once at a time
        assert time.monotonic() < deadline_s
        time.sleep(0.2)
    time.sleep(0.5)
    assert not journal(hosts, "s0")
    assert 70 < valid_s(hosts, "eth1") <= 76
    assert "bond7" not in hosts.state("s0")["links"]


@pytest.mark.slow
def test_a_bond_stays_while_its_lease_is_renewed_and_goes_when_its_address_goes(
    hosts: Imitated, client: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    def have(*addresses: dict[str, Any]) -> None:
        links = hosts.state("s0")["links"]
        links["bond7"]["addresses"] = list(addresses)
        hosts.change("s0", links=links)

    monkeypatch.setattr(dhcp, "ENDS_BEFORE_S", 50)
    now = on_hosts.apply(hosts, ["s0"], AD, within_s=1000)["s0"]
    assert now.renewed_by == "dhclient"
    (leased,) = hosts.state("s0")["links"]["bond7"]["addresses"]
    have(leased | {"valid_life_time": 500})
    time.sleep(45)
    assert is_stopped(client) and journal(hosts, "s0")
    now = on_hosts.show(hosts, ["s0"])["s0"]
    assert now.until_s is not None and 380 < now.until_s - now.uptime_s <= 450
    have()
    deadline_s = time.monotonic() + 30
    while is_stopped(client):
        assert time.monotonic() < deadline_s
        time.sleep(0.2)
    assert "bond7" not in hosts.state("s0")["links"]
    assert hosts.state("s0")["links"]["eth1"]["addresses"] == []  # its client asks for another


@pytest.mark.slow
def test_a_client_is_let_go_if_its_host_is_not_reached_any_more(
    hosts: Imitated, client: "subprocess.Popen[bytes]"
) -> None:
    hosts.change("s0", management="eth1")
    with pytest.raises(HostError):
        on_hosts.apply(hosts, ["s0"], AD, within_s=3)
    deadline_s = time.monotonic() + 30
    while is_stopped(client) or (hosts.directory / "s0" / "state" / "cut").exists():
        assert time.monotonic() < deadline_s
        time.sleep(0.2)
    assert valid_s(hosts, "eth1") > 30


def test_a_change_that_is_refused_leaves_the_bond_that_is_there(
    hosts: Imitated, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_before = on_hosts.plans(hosts, NAMES, AD)
    on_hosts.apply(hosts, NAMES, AD, within_s=30)
    monkeypatch.setattr(on_hosts, "plans", lambda *_: seen_before)  # two that begin at once see no bond of the other
    with pytest.raises(HostError, match="is there already"):
        on_hosts.apply(hosts, NAMES, AD, within_s=30)
    assert all(journal(hosts, host) for host in NAMES)
    assert not any(as_before(hosts, host) for host in NAMES)
    mode = subprocess.run(hosts.command("s0", ["stat", "-c", "%a", JOURNAL]), check=True, capture_output=True).stdout
    assert mode == b"755\n"  # who may not change it may see that it is there


@pytest.mark.slow
def test_what_a_killed_fairlead_left_goes_back_by_itself_or_by_restore(hosts: Imitated) -> None:
    change = on_hosts.plans(hosts, ["s0", "s1"], AD)
    for host, within_s in (("s0", 2), ("s1", 1000)):  # it died before it confirmed
        subprocess.run(hosts.command(host, ["sh", "-c", on_hosts.begin(change[host], within_s, "a-token")]), check=True)
    wait_until_as_before(hosts, "s0")
    assert not as_before(hosts, "s1")
    assert on_hosts.restore(hosts, NAMES) == ["s1"]
    assert as_before(hosts, "s1")


@pytest.mark.slow
def test_a_journal_stays_until_everything_is_back(hosts: Imitated) -> None:
    on_hosts.apply(hosts, ["s0"], AD, within_s=30)
    hosts.change("s0", refuse="address add")
    with pytest.raises(HostError, match=r"address add 10\.1\.0\.1/24"):
        on_hosts.restore(hosts, ["s0"])
    assert journal(hosts, "s0")
    hosts.change("s0", refuse=None)
    on_hosts.restore(hosts, ["s0"])
    assert as_before(hosts, "s0")


CLUSTER = """
[cluster]
name = "servers"
executor = "imitated"
interface = "eth1"
[[hosts]]
name = "s0"
address = "10.1.0.1"
[[hosts]]
name = "s1"
address = "10.1.0.2"
"""
PLAN = """
[evaluation]
name = "networks"
cluster = "servers.cluster.toml"
[factors]
network = ["none", "ad-2"]
[run]
command = ["true"]
launcher = "custom"
[network]
factor = "network"
interfaces = ["eth1", "eth2"]
name = "bond7"
levels = { none = {}, ad-2 = { nics = 2, bond = { mode = "802.3ad", hash = "layer3+4" } } }
[replications]
count = 3
[whole_plot]
factors = ["network"]
"""


@pytest.mark.slow
def test_networks_of_real_hosts_are_a_factor_and_taken_back_after_a_crash(
    hosts: Imitated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Those(Imitated):
        def __new__(cls, cluster: Cluster) -> Imitated:  # type: ignore[misc]
            return hosts

    monkeypatch.setitem(base.EXECUTORS._things, "imitated", Those)
    cluster = tmp_path / "servers.cluster.toml"
    cluster.write_text(CLUSTER)
    (tmp_path / "plan.toml").write_text(PLAN)
    with Store.open(tmp_path / "results") as store:
        Evaluation(plan_file.read(tmp_path / "plan.toml"), store).run()
        rows = store.runs("evaluation_row")
    assert len(rows) == 6
    for row in rows:
        if row.labels["network"] == "none":
            assert row.facts["network"] == {"nics": 1}
            continue
        network = row.facts["network"]
        assert (network["way"], network["mode"], network["hash"]) == ("kernel", "802.3ad", "layer3+4")
        assert {host: bond["members"] for host, bond in network["bonds"].items()} == {
            host: ["eth1", "eth2"] for host in NAMES
        }
    assert hosts.lines("s0").count("link delete bond7") == 3  # once a block
    assert all(as_before(hosts, host) for host in NAMES)

    ledger = CleanupLedger(tmp_path / "results")
    ledger.note_cluster(str(cluster))
    ledger.note_bonds()
    on_hosts.apply(hosts, NAMES, AD, within_s=1000)  # and then it was killed
    assert CleanupLedger(tmp_path / "results").end() == ["bonds"]
    assert all(as_before(hosts, host) for host in NAMES)
