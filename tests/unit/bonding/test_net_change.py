"""What goes to a root's shell when a bond is made: names that are checked, words that are quoted, nothing in logs."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.cli.net import command
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.base import Executor
from fairlead.errors import ConfigError
from fairlead.experiment.factors.network import NetworkTable
from fairlead.net import apply
from fairlead.net.change import Wanted, plan_change
from fairlead.net.dhcp import DhcpClient
from fairlead.net.state import Address, HostNetwork, Nic, read

BAD = ["x; touch /tmp/x", "$(id)", "-f", "a b", "", "a/b", "sixteen-letters-", "x\ny"]
CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "h0"\naddress = "127.0.0.1"\n'


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_name_an_interface_is_refused(name: str) -> None:
    for wanted in (lambda: Wanted(name, ("eth1",), "802.3ad"), lambda: Wanted("b0", ("eth1", name), "802.3ad")):
        with pytest.raises(ConfigError, match=r"cannot name an interface"):
            wanted()


def test_the_command_line_refuses_it_before_a_host_is_asked(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    done = CliRunner().invoke(command, ["apply", str(tmp_path / "c.toml"), "eth1", "--name", "x;reboot", "--dry-run"])
    assert isinstance(done.exception, ConfigError) and done.exception.exit_code == 2
    assert "'x;reboot' cannot name an interface" in str(done.exception)


def test_json_has_the_interfaces_of_dhcp_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    now = HostNetwork({}, {}, True, False, (DhcpClient("systemd-networkd", 7, 70, frozenset({"eth2", "eth1"})),))
    monkeypatch.setattr(apply, "show", lambda executor, hosts: dict.fromkeys(hosts, now))
    done = CliRunner().invoke(command, ["show", str(tmp_path / "c.toml"), "--json"])
    assert json.loads(done.output)["h0"]["clients"][0]["nics"] == ["eth1", "eth2"]


@pytest.mark.parametrize("key", ['name = "x;reboot"', 'interfaces = ["eth1", "x;reboot"]'])
def test_a_plan_refuses_it_with_its_line(key: str) -> None:
    text = f'factor = "bond"\n{key}\n[levels]\none = {{}}\n'
    with pytest.raises(ConfigError, match=r"plan\.toml:2: (name|interfaces).*it must begin with a letter"):
        config.parse(text, NetworkTable, source="plan.toml")


def test_every_word_of_a_host_is_one_word_for_its_shell() -> None:
    """No kernel gives such names; nobody has to rely on it."""
    odd = "eth1;reboot"
    nic = Nic(
        **{"name": odd, "mac": "02:00:00:00:00:01", "mtu_B": 1500, "is_up": True, "has_link": True, "master": None},
        addresses=(Address("10.0.0.1/24", "10.0.0.255", False),),
        routes=("default via 10.0.0.254",),
        **{"speed_Mbps": 1000, "duplex": "full", "driver": None, "kind": {}},
    )
    wanted = Wanted("bond7", ("eth1",), "802.3ad")
    object.__setattr__(wanted, "nics", (odd,))
    change = plan_change("h0", HostNetwork({odd: nic}, {}, True, False), wanted)
    options = "mode 802.3ad miimon 100 xmit_hash_policy layer2 lacp_rate slow"
    assert change.apply[0] == f"ip link add bond7 type bond {options}"
    assert change.apply[-1] == "ip route replace default via 10.0.0.254 dev bond7"
    for line in (*change.apply, *change.restore):
        words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
        assert "reboot" not in words
    assert change.restore[0] == "! [ -e /sys/class/net/bond7 ] || ip link delete bond7"


READ = """\
== driver
yes
== journal
== leases
== uptime
100
== clients
== addresses
[{"ifname": "eth1", "mtu": 1500, "flags": ["UP"], "address": "02:00:00:00:00:01", "addr_info": [
 {"local": "10.1.0.1", "prefixlen": 24, "broadcast": "10.1.0.255", "scope": "global"}]}]
== routes
default via 10.1.0.254 dev eth1 table 100 proto static linkdown
10.1.0.0/24 dev eth1 proto kernel scope link src 10.1.0.1
default via 192.0.2.1 dev eth10
local 10.1.0.1 dev eth1 table local proto kernel scope host src 10.1.0.1
ROUTES4== routes6
fd00::/64 dev eth1 proto kernel metric 256 pref medium
fd02::/16 via fe80::1 dev eth1 metric 1024 pref medium
default via fe80::1 dev eth1 proto ra metric 1024 expires 1700sec pref medium
default proto ra metric 1024 pref medium
\tnexthop via fe80::1 dev eth1 weight 1
\tnexthop via fe80::2 dev eth1 weight 1
multicast ff00::/8 dev eth1 table local proto kernel metric 256 pref medium
== neighbours
10.1.0.9 dev eth1 lladdr 02:00:00:00:00:09 PERMANENT
10.1.0.9 dev eth10 lladdr 02:00:00:00:00:10 PERMANENT
== nic eth1
speed 1000
uppers upper_*
"""
SEVERAL = (
    "default proto static\n\tnexthop via 10.1.0.254 dev eth1 weight 1\n\tnexthop via 10.2.0.254 dev eth2 weight 1\n"
)
OBJECT = "10.8.0.0/16 nhid 7 via 10.1.0.254 dev eth1 proto bgp\n"


def test_routes_of_all_tables_are_on_the_bond_and_those_of_both_protocols_come_back() -> None:
    change = plan_change("h0", read("h0", READ.replace("ROUTES4", "")), Wanted("bond7", ("eth1",), "802.3ad"))
    route = "ip route replace default via 10.1.0.254 table 100 proto static dev"
    assert [line for line in change.apply if " route " in line] == [f"{route} bond7"]
    route6 = "ip -6 route replace fd02::/16 via fe80::1 metric 1024 pref medium dev eth1"
    assert [line for line in change.restore if " route " in line] == [
        f"{route} eth1",
        f"n=0; until {route6} 2>/dev/null; do n=$((n + 1)); [ $n -lt 5 ] || exec {route6}; sleep 1; done",
    ]


@pytest.mark.parametrize("route", [SEVERAL, OBJECT])
def test_a_route_that_could_not_be_put_back_is_refused(route: str) -> None:
    now = read("h0", READ.replace("ROUTES4", route))
    with pytest.raises(ConfigError, match=r"h0: eth1 has a route of next hops of its own, which could not be put back"):
        plan_change("h0", now, Wanted("bond7", ("eth1",), "802.3ad"))


def test_a_route_that_would_replace_another_interfaces_is_refused() -> None:
    now = read("h0", READ.replace("ROUTES4", "default via 10.1.0.254 dev eth1\n"))
    with pytest.raises(ConfigError, match="eth10 has a route like one of eth1, of which one would be lost: default"):
        plan_change("h0", now, Wanted("bond7", ("eth1",), "802.3ad"))
    member = replace(now.nics["eth1"], name="eth10")
    plan_change("h0", replace(now, nics={**now.nics, "eth10": member}), Wanted("bond7", ("eth1", "eth10"), "802.3ad"))
    apart = READ.replace("ROUTES4", "default via 10.1.0.254 dev eth1 metric 100\n")
    plan_change("h0", read("h0", apart), Wanted("bond7", ("eth1",), "802.3ad"))
    static6 = READ.replace("fd02::/16", "default via fe80::9 dev eth10 proto ra metric 1024\ndefault")
    assert read("h0", static6.replace("ROUTES4", "")).nics["eth1"].contested == (
        ("default via fe80::1 dev eth1 metric 1024 pref medium", "eth10"),
    )


def test_permanent_neighbours_come_back() -> None:
    """On the bond they would be wrong: others' addresses have other MACs on theirs."""
    change = plan_change("h0", read("h0", READ.replace("ROUTES4", "")), Wanted("bond7", ("eth1",), "802.3ad"))
    line = "ip neighbour replace 10.1.0.9 lladdr 02:00:00:00:00:09 dev eth1 nud permanent"
    assert [each for each in (*change.apply, *change.restore) if "neighbour" in each] == [line]


def test_a_nic_with_a_vlan_is_refused() -> None:
    """Setting it down sets its VLANs down as well, and their routes do not come back with them."""
    now = read("h0", READ.replace("ROUTES4", "").replace("upper_*", "upper_eth1.100 upper_eth1.200"))
    with pytest.raises(ConfigError, match=r"h0: eth1 carries eth1\.100, eth1\.200, whose routes would be lost"):
        plan_change("h0", now, Wanted("bond7", ("eth1",), "802.3ad"))


class Imitated(Executor):
    """Runs here, for a user who becomes root by sudo; ``sudo`` keeps a log, as the real one does."""

    name = "imitated"
    passes_signals = True
    path = Path()

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return ["env", f"PATH={self.path}:/usr/bin:/bin", *argv]

    def rsh_agent(self) -> Path | None:
        return None


@pytest.mark.parametrize("user", [0, 1000])
def test_a_script_for_root_does_not_stand_in_sudos_log(tmp_path: Path, user: int) -> None:
    for name, text in (("id", f"echo {user}"), ("sudo", f'echo "$*" >> {tmp_path}/log; shift; exec "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    executor = Imitated(Cluster("c", "local", (Host("h0", "127.0.0.1"),)))
    executor.path = tmp_path
    script = "a='it is \"so\"'\ncat <<'END'\n$a\nEND\ncat\necho \"$a\"\n"  # `cat` finds nothing of the script
    assert apply._as_root(executor, "h0", script) == '$a\nit is "so"\n'
    log = (tmp_path / "log").read_text() if user else ""
    assert log.splitlines() == (['-n sh -c eval "$(cat)"'] if user else [])
