"""Facts of a healthy cluster, as the doctor's checks get them, and ways to change one of them."""

import copy
import platform
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fairlead import __version__
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor.facts import ClockOffset, ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, Severity, judge

OPEN_MPI = "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/"
MPICH_4 = "HYDRA build details:\n    Version:                                 4.0.2\n    '--with-device=ch4:ucx'"

LINK: dict[str, Any] = {
    "name": "eth0",
    "kind": "physical",
    "speed_Mbps": 1000,
    "duplex": "full",
    "counters": {"rx_packets": 5_000_000, "tx_packets": 5_000_000, "rx_errors": 0, "tx_errors": 0, "rx_crc_errors": 0},
    "ethtool": {"negotiated": True, "best_Mbps": 1000, "partner_best_Mbps": 1000},
    "rings": {"most": 4096, "now": 256},
}
PLACE: dict[str, Any] = {
    "type": "ext4",
    "free_B": 1 << 34,
    "free_inodes": 100_000,
    "read_only": False,
    "noexec": False,
    "nosuid": False,
    "write_error": None,
}

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
    "clock": {"synchronised": True, "source": "tsc", "sources": ["tsc", "hpet"]},
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
    "python": "3.11.2",
    "failures": {},
    "links": [LINK],
    "bond": {},
    "segments": {"sent": 1_000_000, "again": 40},
    "routing": {
        "ip_forward": 0,
        "rp_filter_all": 0,
        "rp_filter": 2,
        "arp_ignore": 0,
        "arp_announce": 0,
        "tcp_mtu_probing": 0,
        "bridge_filter": None,
    },
    "system": {
        "release": "6.1.0-18-amd64",
        "machine": platform.machine(),
        "libc": "glibc 2.36",
        "distribution": "debian",
        "cpu_level": 3,
        "container": False,
        "root": False,
    },
    "user_namespaces": {"error": None, "built": True, "apparmor_restricts": None, "clone": 1, "most": 96365},
    "modules": {"vxlan": "there", "nf_tables": "loaded", "sch_netem": "there", "tcp_diag": "loaded"},
    "sock_diag": None,
    "selinux": None,
    "limits": {"open_files": 1024, "most_open_files": 1048576},
    "places": {
        "home": PLACE | {"path": "/home/alice", "mount": "/home"},
        "tmp": PLACE | {"path": "/tmp", "mount": "/tmp", "type": "tmpfs"},
        "program fairlead-agent": PLACE | {"path": "/opt/fairlead", "mount": "/"},
        "program fairlead-guardian": PLACE | {"path": "/usr/local/bin", "mount": "/"},
    },
    "mpi": {
        "compiler": {"path": "/usr/bin/mpicc", "family": "openmpi"},
        "daemons": ["orted"],
        "launchers": {},
        "parameters": [{"name": "btl", "value": "^openib", "where": "/etc/openmpi/openmpi-mca-params.conf"}],
        "own_name": [],
    },
}
PATH: dict[str, Any] = {
    "tcp_agent": None,
    "tcp_any": None,
    "udp_agent": None,
    "udp_overlay": None,
    "path_mtu_B": 1500,
    "learned_mtu_B": 1500,
    "congestion_control": "cubic",
    "source": None,
    "round_trip_s": 150e-6,
    "rate_Bps": 110e6,
}
NAMES = ("h0", "h1", "h2")
Change = Callable[[dict[str, Any]], None]
Case = tuple[str, Severity, Change, str, str]  # check, severity, what is wrong, part of the text, part of the fix
ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def named(cases: list[Case]) -> list[str]:
    """What pytest calls each case."""
    return [f"{name}-{text[:30]}" for name, _, _, text, _ in cases]


def healthy(
    change: Change | None = None, *, on: tuple[str, ...] = ("h1",), network: str = "10.64.0.0/24", **cluster: Any
) -> ClusterFacts:
    """Three hosts without a fault, but for ``change`` to the facts of the hosts ``on``."""
    first, _, prefix = network.rpartition("0/" if "." in network else "/")
    hosts = []
    for number, name in enumerate(NAMES):
        captured = copy.deepcopy(CAPTURED)
        address = f"{first}{number + 1}"
        captured["hostname"] = name
        captured["interfaces"][1]["addresses"] = [f"{address}/{prefix}"]
        captured["mpi"]["own_name"] = [address]
        paths = {peer: PATH | {"source": address} for peer in NAMES if peer != name}
        if change and name in on:
            change({"facts": captured, "paths": paths})
        host = Host(name, address, reach=name)
        hosts.append(
            HostFacts(
                host,
                facts=captured,
                clock=ClockOffset(0.004, 0.001),
                ports={"agent_port": 19600, "any_port": 40001},
                paths=paths,
            )
        )
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


def several(*changes: Change) -> Change:
    """All of these changes."""

    def change(data: dict[str, Any]) -> None:
        for each in changes:
            each(data)

    return change


def one(findings: list[Finding], name: str, severity: Severity | None = None) -> Finding:
    """The only finding of a check that is not good news."""
    wanted = [item for item in findings if item.check == name and item.severity != Severity.OK]
    (found,) = [item for item in wanted if severity is None or item.severity == severity]
    return found


def check_case(case: Case) -> None:
    """One change to a healthy cluster's h1 makes exactly one finding of that severity, with these words and fix."""
    name, severity, change, text, fix = case
    found = one(judge(healthy(change)), name, severity)
    assert text in found.text
    assert fix in found.fix
    assert "h1" in found.hosts
    assert found.fix or severity == Severity.NOTE
