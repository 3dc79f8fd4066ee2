"""The doctor's judgement: every check is triggered by one change to a healthy cluster's facts, and silent without."""

import copy
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairlead import __version__
from fairlead.cluster.description import DEFAULT_PORTS, Cluster, Host
from fairlead.cluster.doctor import probe
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts, LaunchFacts
from fairlead.cluster.doctor.findings import CHECKS, Finding, Severity, check, judge
from fairlead.cluster.launchers.detect import parse_version
from fairlead.cluster.parts import OVERLAY_PORTS

OPEN_MPI = "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/"
MPICH_4 = "HYDRA build details:\n    Version:                                 4.0.2\n    '--with-device=ch4:ucx'"

# As the probe answered on a host of a lab; addresses and names are put in by `healthy`.
CAPTURED: dict[str, Any] = {
    "hostname": "h0",
    "cores": 4,
    "load": 0.2,
    "interfaces": [
        {"name": "lo", "addresses": ["127.0.0.1/8"], "mtu_B": 65536, "up": True, "carrier": True, "loopback": True},
        {"name": "eth0", "addresses": ["10.64.0.1/24"], "mtu_B": 1500, "up": True, "carrier": True, "loopback": False},
    ],
    "tools": {
        "mpirun": {"path": "/usr/bin/mpirun", "output": OPEN_MPI},
        "iperf3": {"path": "/usr/bin/iperf3", "output": "iperf 3.12 (cJSON 1.7.15)"},
    },
    "infiniband": [],
    "clock": {"synchronised": True, "source": "tsc"},
    "firewall": {"input": ["-P INPUT ACCEPT"], "forward": ["-P FORWARD ACCEPT"]},
    "agent": {"version": f"fairlead-agent {__version__}"},
    "guardian": {
        "ok": True,
        "version": __version__,
        "checks": [{"name": "cap_net_admin", "ok": True, "detail": "held", "fix": None}],
    },
    "running_jobs": [],
    "connection_ports": [[32768, 60999]],
    "reserved_ports": [],
    "shm_free_B": 1 << 30,
    "tmp_free_B": 1 << 30,
    "sees_note": True,
}
PATH: dict[str, Any] = {
    "tcp_agent": None,
    "tcp_any": None,
    "udp_agent": None,
    "udp_overlay": None,
    "path_mtu_B": 1500,
    "congestion_control": "cubic",
}
NAMES = ("h0", "h1", "h2")
Change = Callable[[dict[str, Any]], None]


def healthy(change: Change | None = None, *, on: tuple[str, ...] = ("h1",), **cluster: Any) -> ClusterFacts:
    """Three hosts without a fault, but for ``change`` to the facts of the hosts ``on``."""
    hosts = []
    for number, name in enumerate(NAMES):
        captured = copy.deepcopy(CAPTURED)
        address = f"10.64.0.{number + 1}"
        captured["hostname"] = name
        captured["interfaces"][1]["addresses"] = [f"{address}/24"]
        paths = {peer: dict(PATH) for peer in NAMES if peer != name}
        if change and name in on:
            change({"facts": captured, "paths": paths})
        host = Host(name, address, reach=name)
        hosts.append(HostFacts(host, facts=captured, ports={"agent_port": 19600, "any_port": 40001}, paths=paths))
    described = Cluster("c", "ssh", tuple(host.host for host in hosts))
    return ClusterFacts(replace(described, **cluster), tuple(hosts))


def with_host(known: ClusterFacts, name: str, **changes: Any) -> ClusterFacts:
    hosts = tuple(replace(host, **changes) if host.name == name else host for host in known.hosts)
    return replace(known, hosts=hosts)


def setting(*keys: Any, value: Any) -> Change:
    """A change that sets one value, for example setting("facts", "load", value=9)."""

    def change(data: dict[str, Any]) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


def more_interfaces(data: dict[str, Any]) -> None:
    docker = {"name": "docker0", "addresses": ["172.17.0.1/16"], "mtu_B": 1500, "up": True, "carrier": True}
    data["facts"]["interfaces"].append(docker | {"loopback": False})


def moved_address(data: dict[str, Any]) -> None:
    eth0 = data["facts"]["interfaces"][1]
    data["facts"]["interfaces"].append(eth0 | {"name": "ens5"})
    eth0["addresses"] = ["192.168.1.7/24"]


def unreachable_peer(data: dict[str, Any]) -> None:
    for key in ("tcp_agent", "tcp_any", "udp_agent", "udp_overlay"):
        data["paths"]["h2"][key] = "no answer"
    data["paths"]["h2"]["path_mtu_B"] = None


LOADING = "error while loading shared libraries:"
GUARDIAN_WITHOUT_RIGHT = {
    "ok": False,
    "version": __version__,
    "checks": [{"name": "cap_net_admin", "ok": False, "detail": "not held", "fix": "as root: setcap ..."}],
}
GUARDIAN_WITH_HINT = {
    "ok": True,
    "version": __version__,
    "checks": [{"name": "input_policy", "ok": None, "detail": "chain x drops packets", "fix": "admit the ports"}],
}
GUARDIAN_WHERE_LOW_PORTS_ARE_FREE = {
    "ok": True,
    "version": __version__,
    "checks": [{"name": "low_ports", "ok": None, "detail": "every user of this host can", "fix": "sysctl -w x=1024"}],
}
ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
CASES: list[tuple[str, Severity, Change, str, str]] = [
    ("host_names", ERROR, setting("facts", "hostname", value="h0"), "call themselves 'h0'", "hostnamectl"),
    (
        "shared_files",
        ERROR,
        setting("facts", "sees_note", value=False),
        "do not see this machine's files",
        "shared_files = false",
    ),
    ("busy", WARNING, setting("facts", "load", value=9.5), "load 9.5 on 4 cores", "top"),
    ("oversubscribed", WARNING, setting("facts", "cores", value=0), "1 slots on 0 cores", "lower `slots`"),
    ("clock", NOTE, setting("facts", "clock", "synchronised", value=False), "not synchronised", "chrony"),
    ("clock", WARNING, setting("facts", "clock", "source", value="hpet"), "hpet is slow to read", "clocksource=tsc"),
    ("scratch_space", WARNING, setting("facts", "shm_free_B", value=1 << 20), "/dev/shm has 1 MiB left", "remount"),
    (
        "interface",
        ERROR,
        setting("facts", "interfaces", 1, "name", value="ens5"),
        "no interface eth0",
        "on ens5: write",
    ),
    ("interface", ERROR, setting("facts", "interfaces", 1, "up", value=False), "eth0 is down", "ip link set eth0 up"),
    ("interface", ERROR, setting("facts", "interfaces", 1, "carrier", value=False), "has no link", "check cable"),
    ("interface", ERROR, moved_address, "does not have address 10.64.0.2; it has 192.168.1.7/24", "on ens5"),
    (
        "interface",
        ERROR,
        setting("facts", "interfaces", 1, "addresses", value=[]),
        "it has none",
        "correct `address` of h1",
    ),
    ("other_interfaces", NOTE, more_interfaces, "docker0 has an address too", "btl_tcp_if_include eth0"),
    (
        "mtu",
        WARNING,
        setting("facts", "interfaces", 1, "mtu_B", value=1400),
        "1400 B on h1; 1500 B on h0, h2",
        "mtu 1400",
    ),
    ("mtu", ERROR, setting("paths", "h2", "path_mtu_B", value=1400), "1500 B do not arrive at h2", "mtu 1400 on both"),
    ("paths", ERROR, unreachable_peer, "to h2: nothing gets there (TCP: no answer)", "routes and h2's interface"),
    (
        "paths",
        ERROR,
        setting("paths", "h2", "udp_agent", value="no answer"),
        "to h2: UDP on the agents' port: no answer",
        "TCP and UDP 19600 to 19699",
    ),
    (
        "paths",
        ERROR,
        setting("paths", "h2", "tcp_any", value="Connection refused"),
        "TCP on MPI's ports: Connection refused",
        "ports of the kernel's choice",
    ),
    (
        "firewall",
        WARNING,
        setting("facts", "firewall", "forward", value=["-P FORWARD DROP"]),
        "FORWARD has the policy DROP",
        "iptables -I FORWARD",
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
        "FORWARD ends with a rule that refuses all",
        "iptables -I FORWARD",
    ),
    (
        "firewall",
        NOTE,
        setting("facts", "firewall", "input", value=["-P INPUT DROP"]),
        "INPUT has the policy DROP (Docker sets it so); what `paths` and `overlay` say was tried with it",
        "",
    ),
    (
        "overlay",
        ERROR,
        setting("paths", "h2", "udp_overlay", value="no answer"),
        "to h2: UDP on the overlay's ports: no answer",
        "admit UDP 20000 to 29999",
    ),
    (
        "congestion_control",
        WARNING,
        setting("paths", "h2", "congestion_control", value="reno"),
        "differs: cubic on h0, h1, h2; reno on h1",
        "sysctl",
    ),
    (
        "congestion_control",
        NOTE,
        setting("paths", "h2", "congestion_control", value="bbr"),
        "bbr, which gives way differently",
        "same one",
    ),
    ("mpirun", ERROR, setting("facts", "tools", "mpirun", value=None), "mpirun is not there", "openmpi-bin"),
    (
        "mpirun",
        ERROR,
        setting("facts", "tools", "mpirun", "output", value="Intel(R) MPI Library 2021"),
        "no MPI that fairlead knows",
        "launch line of your own",
    ),
    (
        "same_mpi",
        ERROR,
        setting("facts", "tools", "mpirun", "output", value=OPEN_MPI.replace("4.1.4", "4.1.5")),
        "Open MPI 4.1.4 on h0, h2; Open MPI 4.1.5 on h1",
        "one version on all hosts",
    ),
    (
        "mpich_finalize",
        WARNING,
        setting("facts", "tools", "mpirun", "output", value=MPICH_4),
        "MPICH 4.0.2 (ch4:ucx) over TCP was seen to hang",
        "MPICH 5",
    ),
    (
        "openmpi_stdin",
        NOTE,
        setting("facts", "tools", "mpirun", "output", value=OPEN_MPI.replace("4.1.4", "5.0.11")),
        "does not pass on the end of standard input",
        "Open MPI 4.1",
    ),
    (
        "unsteered_transports",
        WARNING,
        setting("facts", "infiniband", value=[{"name": "mlx5_0", "driver": "mlx5_core"}]),
        "verbs (InfiniBand or RoCE) device mlx5_0",
        "without fairlead",
    ),
    (
        "unsteered_transports",
        WARNING,
        setting("facts", "infiniband", value=[{"name": "rdmap0s6", "driver": "efa"}]),
        "EFA device rdmap0s6",
        "without fairlead",
    ),
    ("iperf3", WARNING, setting("facts", "tools", "iperf3", value=None), "iperf3 is not there", "apt install iperf3"),
    (
        "agent",
        ERROR,
        setting("facts", "agent", value={"error": "fairlead-agent does not run: GLIBC_2.36 not found"}),
        "GLIBC_2.36 not found",
        "make setup",
    ),
    (
        "agent",
        ERROR,
        setting("facts", "agent", value={"version": "fairlead-agent 0.0.1"}),
        "0.0.1",
        "the same everywhere",
    ),
    ("agent", ERROR, setting("facts", "agent", value=None), "was not brought there", "make setup"),
    (
        "agent",
        ERROR,
        setting("facts", "agent", value={"error": "x does not run: [Errno 2] No such file or directory: 'x'"}),
        "No such file",
        "at the same path there, or set shared_files = false under [ssh]",
    ),
    (
        "agent",
        ERROR,
        setting("facts", "agent", value={"error": f"x does not run: x: {LOADING} libsodium.so.23: cannot open it"}),
        "libsodium.so.23",
        "install libsodium23 there (libsodium on Fedora and its kin)",
    ),
    ("route_plane", ERROR, setting("facts", "guardian", value=GUARDIAN_WITHOUT_RIGHT), "cap_net_admin", "setcap"),
    ("route_plane", ERROR, setting("facts", "guardian", value={"error": "x is not there"}), "x is not", "make setup"),
    (
        "route_plane",
        ERROR,
        setting("facts", "guardian", value={"error": f"x: {LOADING} libother.so.1: cannot open shared object file"}),
        "libother.so.1",
        "install libother",
    ),
    (
        "route_plane",
        ERROR,
        setting("facts", "guardian", "version", value="0.0.9"),
        f"fairlead-guardian there is 0.0.9, this side is {__version__}",
        "install this one in its place",
    ),
    ("route_plane", ERROR, setting("facts", "guardian", value=None), "was not brought there", "make setup"),
    ("route_plane", NOTE, setting("facts", "guardian", value=GUARDIAN_WITH_HINT), "chain x drops", "admit the ports"),
    (
        "route_plane",
        WARNING,
        setting("facts", "guardian", value=GUARDIAN_WHERE_LOW_PORTS_ARE_FREE),
        "every user of this host",
        "sysctl",
    ),
    (
        "connection_ports",
        NOTE,
        setting("facts", "connection_ports", value=[[15000, 19600]]),
        "ports 19600 to 19699 (agents) lie among those that the kernel gives to connections (15000 to 19600)",
        "ip_local_reserved_ports=19600-19699",
    ),
    (
        "connection_ports",
        NOTE,
        setting("facts", "connection_ports", value=[[29999, 65535]]),
        "cannot reroute traffic",
        "ip_local_reserved_ports=20000-29999",
    ),
    ("other_jobs", WARNING, setting("facts", "running_jobs", value=["1f3a9c02"]), "job 1f3a9c02 is running", "wait"),
]


@pytest.mark.parametrize(
    ("name", "severity", "change", "text", "fix"), CASES, ids=[f"{c[0]}-{c[3][:20]}" for c in CASES]
)
def test_one_fault_is_found_and_named(name: str, severity: Severity, change: Change, text: str, fix: str) -> None:
    found = [item for item in judge(healthy(change)) if item.check == name and item.severity == severity]
    assert len(found) == 1, found
    assert text in found[0].text
    assert fix in found[0].fix
    assert "h1" in found[0].hosts


def test_a_healthy_cluster_has_nothing_but_good_news() -> None:
    findings = judge(healthy())
    assert {item.severity for item in findings} == {Severity.OK}
    assert {item.check for item in findings} == {
        "reachable",
        "mtu",
        "paths",
        "chosen_interface",
        "agent",
        "route_plane",
    }
    assert all(item.hosts in (NAMES, ()) for item in findings)
    (chosen,) = [item for item in findings if item.check == "chosen_interface"]
    assert chosen.text == "Open MPI 4.1.4 will use eth0 only (each host's own address on it)"


def test_every_check_is_triggered_by_some_case() -> None:
    elsewhere = {"reachable", "enough_hosts", "own_name", "chosen_interface", "agent_ports", "launching"}
    assert set(CHECKS.names()) == {case[0] for case in CASES} | elsewhere


def only(findings: list[Finding], name: str) -> Finding:
    (found,) = [item for item in findings if item.check == name and item.severity != Severity.OK]
    return found


def test_unreachable_hosts_are_not_judged_further() -> None:
    facts = with_host(healthy(), "h1", unreachable="h1: not reached: timeout", facts={}, ports={}, paths={})
    findings = judge(facts)
    found = only(findings, "reachable")
    assert (found.severity, found.hosts) == (ERROR, ("h1",))
    assert "ssh HOST true" in found.fix
    assert all("h1" not in item.hosts for item in findings if item.check != "reachable")


def test_what_could_not_be_brought_there() -> None:
    facts = with_host(healthy(), "h1", deploy_error="h1: no space left\n  free some")
    found = only(judge(facts), "agent")
    assert (found.severity, found.text, found.fix) == (ERROR, "h1: no space left", "free some")


def test_a_guardian_that_the_cluster_file_misnames() -> None:
    said = {"error": "`/nosuch/guard --check` does not work: [Errno 2] No such file or directory: '/nosuch/guard'"}
    found = only(judge(healthy(setting("facts", "guardian", value=said), guardian=("/nosuch/guard",))), "route_plane")
    assert (found.severity, found.fix) == (ERROR, "correct `guardian` in the cluster file")


def test_the_overlays_ports_are_the_guardians() -> None:
    header = (Path(__file__).parents[2] / "native/guardian/protocol.hpp").read_text()
    first, last = re.search(r"kFirstOverlayPort = ([\d']+);\s.*kLastOverlayPort = ([\d']+);", header).groups()
    assert (int(first.replace("'", "")), int(last.replace("'", ""))) == OVERLAY_PORTS


def test_the_default_ports_are_nobodys() -> None:
    """Not those that Linux gives to connections unless told otherwise, nor the overlay's, nor privileged ones."""
    first, last = DEFAULT_PORTS
    assert 1024 <= first < last < OVERLAY_PORTS[0] < OVERLAY_PORTS[1] < 32768


def test_reserved_ports_are_not_given_to_connections() -> None:
    def change(host: dict[str, Any]) -> None:
        host["facts"] |= {"connection_ports": [[1024, 65535]], "reserved_ports": [[80, 80], [19600, 29999]]}

    assert not [found for found in judge(healthy(change)) if found.check == "connection_ports"]


@pytest.mark.parametrize(
    ("written", "ranges"), [("32768\t60999\n", [[32768, 60999]]), ("\n", []), ("80,100-110", [[80, 80], [100, 110]])]
)
def test_port_ranges_as_the_kernel_writes_them(tmp_path: Path, written: str, ranges: list[list[int]]) -> None:
    (tmp_path / "setting").write_text(written)
    assert probe.port_ranges(str(tmp_path / "setting")) == ranges


def test_no_port_to_listen_on() -> None:
    facts = with_host(healthy(), "h1", ports={"error": "Cannot assign requested address"}, paths={})
    found = only(judge(facts), "agent_ports")
    assert found.severity == ERROR
    assert found.text == "cannot listen on 10.64.0.2, ports 19600 to 19699: Cannot assign requested address"


def test_same_address_on_several_hosts() -> None:
    found = only(judge(healthy(more_interfaces, on=("h0", "h1"))), "other_interfaces")
    assert found.hosts == ("h0", "h1")
    assert "same address on several hosts" in found.text


def test_shared_cores_are_a_note() -> None:
    found = only(judge(healthy(setting("facts", "cores", value=2), on=NAMES, cores_shared=True)), "oversubscribed")
    assert found.severity == NOTE
    assert "3 slots share 2 cores" in found.text


def test_ranks_on_one_host_share_memory() -> None:
    facts = healthy()
    several = with_host(facts, "h1", host=replace(facts.hosts[1].host, slots=2))
    found = only(judge(several), "unsteered_transports")
    assert found.severity == NOTE
    assert "shared memory" in found.text


def test_the_local_machine_has_a_name_that_mpi_knows() -> None:
    findings = judge(healthy(setting("facts", "hostname", value="h1.example.org"), executor="local"))
    assert [item for item in findings if item.check == "own_name"] == []
    found = only(judge(healthy(setting("facts", "hostname", value="login"), executor="local")), "own_name")
    assert (found.severity, found.hosts) == (WARNING, ("h1",))
    assert found.text == "executor local means this machine, but mpirun may look for h1 elsewhere, by ssh"
    assert found.fix == "call it localhost or login in [[hosts]], or take executor ssh"


def test_one_host_is_legal_but_of_no_use() -> None:
    facts = healthy()
    alone = ClusterFacts(replace(facts.cluster, hosts=facts.cluster.hosts[:1]), facts.hosts[:1])
    assert "nothing to manage" in only(judge(alone), "enough_hosts").text


def test_mpirun_on_this_machine() -> None:
    facts = healthy()
    here = parse_version(OPEN_MPI, mpirun="mpirun")
    good = replace(facts, launch=LaunchFacts(here, address="10.0.0.254"))
    assert [found.text for found in judge(good) if found.check == "launching"] == [
        "Open MPI 4.1.4 starts ranks from this machine; all hosts connect to 10.0.0.254"
    ]
    assert [found for found in judge(good) if found.severity is ERROR] == []
    blind = only(judge(replace(facts, launch=LaunchFacts(here, address="10.0.0.254", blind=("h2",)))), "launching")
    assert (blind.severity, blind.hosts) == (ERROR, ("h2",))
    assert "cannot connect to 10.0.0.254" in blind.text
    missing = LaunchFacts(problem="this machine: mpirun is not there\n  install an MPI")
    told = only(judge(replace(facts, launch=missing)), "launching")
    assert (told.severity, told.text, told.fix) == (ERROR, "this machine: mpirun is not there", "install an MPI")
    other = parse_version(OPEN_MPI.replace("4.1.4", "4.1.5"), mpirun="mpirun")
    differs = only(judge(replace(facts, launch=LaunchFacts(other))), "same_mpi")
    assert "Open MPI 4.1.4 on h0, h1, h2; Open MPI 4.1.5 on this machine" in differs.text
    assert not any(found.check == "launching" for found in judge(replace(facts, launch=LaunchFacts(here))))


def test_worst_comes_first_and_the_same_is_told_once() -> None:
    facts = healthy(setting("facts", "tools", "iperf3", value=None), on=NAMES)
    findings = judge(with_host(facts, "h1", deploy_error="h1: x"))
    severities = [item.severity for item in findings]
    assert severities == sorted(severities, reverse=True)
    assert only(findings, "iperf3").hosts == NAMES


def test_checks_have_different_names() -> None:
    with pytest.raises(ValueError, match="check 'reachable' is registered twice"):
        check(CHECKS.get("reachable"))
