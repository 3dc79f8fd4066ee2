"""The doctor's judgement: every check is triggered by one change to a healthy cluster's facts, and silent without."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairlead import __version__
from fairlead.cluster.description import DEFAULT_PORTS
from fairlead.cluster.doctor.facts import ClusterFacts, LaunchFacts
from fairlead.cluster.doctor.findings import CHECKS, Finding, Severity, check, judge
from fairlead.cluster.doctor.probing import programs
from fairlead.cluster.host_binaries import OVERLAY_PORTS
from fairlead.cluster.launchers.detect import parse_version

from . import (
    test_doctor_filters,
    test_doctor_hosts,
    test_doctor_kernel,
    test_doctor_links,
    test_doctor_mounts,
    test_doctor_mpi_setup,
    test_doctor_network,
)
from .doctor_facts import (
    ERROR,
    MPICH_4,
    NAMES,
    NOTE,
    OPEN_MPI,
    WARNING,
    Case,
    Change,
    check_case,
    healthy,
    named,
    one,
    setting,
    several,
    with_host,
)

LOADING = "error while loading shared libraries:"
INSTALL = "fairlead guardian install cluster"
GUARDIAN_WITHOUT_RIGHT = {
    "ok": False,
    "version": __version__,
    "checks": [{"name": "cap_net_admin", "ok": False, "detail": "not held", "fix": "as root: setcap ..."}],
}
GUARDIAN_WITH_HINT = {
    "ok": True,
    "version": __version__,
    "checks": [{"name": "rp_filter", "ok": None, "detail": "rp_filter is 1 (strict)", "fix": "nothing to do"}],
}
GUARDIAN_WHERE_LOW_PORTS_ARE_FREE = {
    "ok": True,
    "version": __version__,
    "checks": [{"name": "low_ports", "ok": None, "detail": "every user of this host can", "fix": "sysctl -w x=1024"}],
}
CASES: list[Case] = [
    ("host_names", ERROR, setting("facts", "hostname", value="h0"), "all have the hostname 'h0'", "hostnamectl"),
    (
        "shared_files",
        ERROR,
        setting("facts", "sees_note", value=False),
        "do not see this machine's files",
        "shared_files = false",
    ),
    ("busy", WARNING, setting("facts", "load", value=9.5), "load 9.5 on 4 cores", "ps -eo pid"),
    ("oversubscribed", WARNING, setting("facts", "cores", value=0), "1 slots on 0 cores", "lower `slots`"),
    ("clock", NOTE, setting("facts", "clock", "synchronised", value=False), "not synchronized", "chrony"),
    ("clock", WARNING, setting("facts", "clock", "source", value="hpet"), "hpet is slow to read", "echo tsc >"),
    ("scratch_space", WARNING, setting("facts", "shm_free_B", value=1 << 20), "/dev/shm has 1 MiB left", "remount"),
    ("mpirun", ERROR, setting("facts", "tools", "mpirun", value=None), "mpirun was not found", "openmpi-bin"),
    (
        "mpirun",
        ERROR,
        setting("facts", "tools", "mpirun", "output", value="Intel(R) MPI Library 2021"),
        "not a known MPI",
        "your own launch line",
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
        "MPICH 4.0.2 (ch4:ucx) over TCP is known to hang",
        "MPICH 5",
    ),
    (
        "openmpi_stdin",
        NOTE,
        setting("facts", "tools", "mpirun", "output", value=OPEN_MPI.replace("4.1.4", "5.0.11")),
        "does not forward the end of standard input",
        "Open MPI 4.1",
    ),
    (
        "unsteered_transports",
        WARNING,
        setting("facts", "infiniband", value=[{"name": "mlx5_0", "driver": "mlx5_core", "usable": True}]),
        "verbs (InfiniBand or RoCE) device mlx5_0: messages over it bypass the kernel and cannot be rerouted; "
        "`fairlead run` makes MPI use TCP instead",
        "--transport native",
    ),
    (
        "unsteered_transports",
        WARNING,
        setting("facts", "infiniband", value=[{"name": "rdmap0s6", "driver": "efa", "usable": True}]),
        "EFA device rdmap0s6",
        "--transport native",
    ),
    ("iperf3", NOTE, setting("facts", "tools", "iperf3", value=None), "iperf3 is missing", "apt install iperf3"),
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
        "the same version everywhere",
    ),
    ("agent", ERROR, setting("facts", "agent", value=None), "was not copied there", "make setup"),
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
        "install libsodium23 there (libsodium on Fedora and RHEL)",
    ),
    ("route_plane", WARNING, setting("facts", "guardian", value=GUARDIAN_WITHOUT_RIGHT), "cap_net_admin", INSTALL),
    (
        "route_plane",
        WARNING,
        several(
            setting("facts", "guardian", value=GUARDIAN_WITHOUT_RIGHT),
            setting("facts", "installed_guardians", value={"/usr/local/bin/fairlead-guardian": False}),
        ),
        "/usr/local/bin/fairlead-guardian is installed, but this user may not execute it",
        f"{INSTALL}; if you joined its group since you logged in: log in again",
    ),
    (
        "route_plane",
        WARNING,
        setting("facts", "guardian", value={"error": "x was not found"}),
        "x was not",
        "make setup",
    ),
    (
        "route_plane",
        WARNING,
        setting("facts", "guardian", value={"error": f"x: {LOADING} libother.so.1: cannot open shared object file"}),
        "libother.so.1",
        "install libother",
    ),
    (
        "route_plane",
        WARNING,
        setting("facts", "guardian", "version", value="0.0.9"),
        f"the guardian there has version 0.0.9; here it is {__version__}",
        INSTALL,
    ),
    ("route_plane", WARNING, setting("facts", "guardian", value=None), "was not copied there", "make setup"),
    ("route_plane", NOTE, setting("facts", "guardian", value=GUARDIAN_WITH_HINT), "rp_filter is 1", "nothing to do"),
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
        "ports 19600 to 19699 (agents) lie in the kernel's ephemeral range (15000 to 19600)",
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


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


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
    elsewhere = {
        "reachable",
        "enough_hosts",
        "own_name",
        "chosen_interface",
        "agent_ports",
        "launching",
        "ipv6_forwarding",
    }
    subjects = (
        test_doctor_filters,
        test_doctor_hosts,
        test_doctor_kernel,
        test_doctor_links,
        test_doctor_mounts,
        test_doctor_mpi_setup,
        test_doctor_network,
    )
    tried = {case[0] for case in CASES} | {name for subject in subjects for name in subject.TRIED}
    assert set(CHECKS.names()) == tried | elsewhere


def test_unreachable_hosts_are_not_judged_further() -> None:
    facts = with_host(healthy(), "h1", unreachable="h1: not reached: timeout", facts={}, ports={}, paths={})
    findings = judge(facts)
    found = one(findings, "reachable")
    assert (found.severity, found.hosts) == (ERROR, ("h1",))
    assert "-- h1 true` must work" in found.fix
    assert all("h1" not in item.hosts for item in findings if item.check != "reachable")


def test_what_could_not_be_brought_there() -> None:
    facts = with_host(healthy(), "h1", deploy_error="h1: no space left\n  free some")
    found = one(judge(facts), "agent")
    assert (found.severity, found.text, found.fix) == (ERROR, "h1: no space left", "free some")


def test_a_guardian_that_the_cluster_file_misnames() -> None:
    said = {"error": "`/nosuch/guard --check` does not work: [Errno 2] No such file or directory: '/nosuch/guard'"}
    found = one(judge(healthy(setting("facts", "guardian", value=said), guardian=("/nosuch/guard",))), "route_plane")
    assert (found.severity, found.fix) == (WARNING, "correct `guardian` in the cluster file")


def test_a_missing_privilege_weighs_as_much_as_the_plane_needs_it() -> None:
    """By kernel routes nothing works without it; runs that may choose use the relay plane, which needs none."""
    without = setting("facts", "guardian", value=GUARDIAN_WITHOUT_RIGHT)
    told = {
        plane: one(judge(replace(healthy(without), plane=plane)), "route_plane") for plane in ("route", "auto", "relay")
    }
    lacks = "traffic cannot be rerouted: cap_net_admin: not held"
    assert told == {
        "route": Finding(ERROR, "route_plane", told["route"].hosts, lacks, INSTALL),
        "auto": Finding(
            WARNING,
            "route_plane",
            told["route"].hosts,
            f"{lacks}. Runs use the relay plane instead, which recovers less, if their program can be preloaded",
            INSTALL,
        ),
        "relay": Finding(
            NOTE,
            "route_plane",
            told["route"].hosts,
            f"the relay plane needs none of what the route plane lacks here: {lacks}",
        ),
    }


ONLY_FOR_ROUTES = [
    ("overlay", setting("paths", "h2", "udp_overlay", value="no answer")),
    ("connection_ports", setting("facts", "connection_ports", value=[[20000, 60999]])),
    ("firewall", setting("facts", "firewall", "forward", value=["-P FORWARD DROP"])),
    ("kernel_parts", setting("facts", "modules", "vxlan", value="missing")),
    ("kernel_age", setting("facts", "system", "release", value="4.4.0")),
]


@pytest.mark.parametrize(("name", "change"), ONLY_FOR_ROUTES, ids=[name for name, _ in ONLY_FOR_ROUTES])
def test_what_only_kernel_routes_need_is_not_told_for_the_relay_plane(name: str, change: Change) -> None:
    facts = healthy(change)
    assert name in {item.check for item in judge(facts)}
    assert {item.severity for item in judge(replace(facts, plane="relay"))} == {Severity.OK}


def test_a_named_guardian_is_mended_by_hand_and_a_labs_needs_no_installation() -> None:
    without = setting("facts", "guardian", value=GUARDIAN_WITHOUT_RIGHT)
    for change in ({"guardian": ("/opt/guard",)}, {"executor": "lab", "lab": "x"}):
        assert one(judge(healthy(without, **change)), "route_plane").fix == "as root: setcap ..."


def test_the_overlays_ports_are_the_guardians() -> None:
    header = (Path(__file__).parents[4] / "native/guardian/protocol/protocol.hpp").read_text()
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
    assert programs.port_ranges(str(tmp_path / "setting")) == ranges


def test_no_port_to_listen_on() -> None:
    facts = with_host(healthy(), "h1", ports={"error": "Cannot assign requested address"}, paths={})
    found = one(judge(facts), "agent_ports")
    assert found.severity == ERROR
    assert found.text == "cannot listen on 10.64.0.2, ports 19600 to 19699: Cannot assign requested address"


def test_shared_cores_are_a_note() -> None:
    found = one(judge(healthy(setting("facts", "cores", value=2), on=NAMES, cores_shared=True)), "oversubscribed")
    assert found.severity == NOTE
    assert "3 slots share 2 cores" in found.text


@pytest.mark.parametrize("usable", [True, False])
def test_the_library_chooses_where_every_host_has_a_device_that_can_be_used(usable: bool) -> None:
    device = {"name": "mlx5_0", "driver": "mlx5_core", "usable": usable}
    facts = healthy(setting("facts", "infiniband", value=[device]), on=NAMES)
    found = one(judge(facts), "unsteered_transports")
    assert found.hosts == NAMES
    assert ("lets the MPI library choose its transport" in found.text) == usable
    assert ("--transport tcp" in found.fix) == usable
    interfaces = {each.text for each in judge(facts) if each.check == "chosen_interface"}
    assert {"chooses its own transport" in text for text in interfaces} == {usable}


def test_ranks_on_one_host_share_memory() -> None:
    facts = healthy()
    several = with_host(facts, "h1", host=replace(facts.hosts[1].host, slots=2))
    found = one(judge(several), "unsteered_transports")
    assert found.severity == NOTE
    assert "shared memory" in found.text


def test_the_local_machine_has_a_name_that_mpi_knows() -> None:
    findings = judge(healthy(setting("facts", "hostname", value="h1.example.org"), executor="local"))
    assert [item for item in findings if item.check == "own_name"] == []
    found = one(judge(healthy(setting("facts", "hostname", value="login"), executor="local")), "own_name")
    assert (found.severity, found.hosts) == (WARNING, ("h1",))
    assert found.text == "executor local means this machine, but mpirun may try to reach h1 by ssh"
    assert found.fix == "call it localhost or login in [[hosts]], or use executor ssh"


def test_one_host_is_legal_but_of_no_use() -> None:
    facts = healthy()
    alone = ClusterFacts(replace(facts.cluster, hosts=facts.cluster.hosts[:1]), facts.hosts[:1])
    assert "nothing to manage" in one(judge(alone), "enough_hosts").text


def test_two_hosts_are_enough_for_equal_cost_paths() -> None:
    facts = healthy()
    two = replace(facts.cluster, hosts=facts.cluster.hosts[:2])
    found = one(judge(ClusterFacts(two, facts.hosts[:2])), "enough_hosts")
    assert "no third host" in found.text and "ways.count" in found.fix
    with_ways = ClusterFacts(replace(two, settings={"ways.count": 2}), facts.hosts[:2])
    assert [item for item in judge(with_ways) if item.check == "enough_hosts"] == []


def test_mpirun_on_this_machine() -> None:
    facts = healthy()
    here = parse_version(OPEN_MPI, mpirun="mpirun")
    good = replace(facts, launch=LaunchFacts(here, address="10.0.0.254"))
    assert [found.text for found in judge(good) if found.check == "launching"] == [
        "Open MPI 4.1.4 starts ranks from this machine; all hosts connect to 10.0.0.254"
    ]
    assert [found for found in judge(good) if found.severity is ERROR] == []
    blind = one(judge(replace(facts, launch=LaunchFacts(here, address="10.0.0.254", blind=("h2",)))), "launching")
    assert (blind.severity, blind.hosts) == (ERROR, ("h2",))
    assert "cannot connect to 10.0.0.254" in blind.text
    assert blind.fix.startswith("iptables -I INPUT -s 10.64.0.0/24 -j ACCEPT on this machine; or start mpirun")
    six = replace(healthy(network="fd00:64::/64"), launch=LaunchFacts(here, address="fd00:64::fe", blind=("h2",)))
    assert one(judge(six), "launching").fix.startswith("ip6tables -I INPUT -s fd00:64::/64 -j ACCEPT on this machine")
    missing = LaunchFacts(problem="this machine: mpirun was not found\n  install an MPI")
    told = one(judge(replace(facts, launch=missing)), "launching")
    assert (told.severity, told.text, told.fix) == (ERROR, "this machine: mpirun was not found", "install an MPI")
    other = parse_version(OPEN_MPI.replace("4.1.4", "4.1.5"), mpirun="mpirun")
    differs = one(judge(replace(facts, launch=LaunchFacts(other))), "same_mpi")
    assert "Open MPI 4.1.4 on h0, h1, h2; Open MPI 4.1.5 on this machine" in differs.text
    assert not any(found.check == "launching" for found in judge(replace(facts, launch=LaunchFacts(here))))


def test_worst_comes_first_and_the_same_is_told_once() -> None:
    facts = healthy(setting("facts", "tools", "iperf3", value=None), on=NAMES)
    findings = judge(with_host(facts, "h1", deploy_error="h1: x"))
    severities = [item.severity for item in findings]
    assert severities == sorted(severities, reverse=True)
    assert one(findings, "iperf3").hosts == NAMES


def test_checks_have_different_names() -> None:
    with pytest.raises(ValueError, match="check 'reachable' is registered twice"):
        check(CHECKS.get("reachable"))
