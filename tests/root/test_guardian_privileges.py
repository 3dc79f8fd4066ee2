"""What the guardian may do, for whom, and what it says where it may not."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairlead import __version__

from .guardian_lab import (
    AGENT_PORT,
    AS_USER,
    Guardian,
    Host,
    Mesh,
    rerouted_routes,
)

CAP_NET_ADMIN = 12


def test_keeps_one_capability_and_no_network_socket(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host))
    process = Path(f"/proc/{guardian.process.pid}")
    fields = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    assert {name: int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")} == {
        "CapPrm": 1 << CAP_NET_ADMIN,
        "CapEff": 1 << CAP_NET_ADMIN,
        "CapBnd": 1 << CAP_NET_ADMIN,
        "CapInh": 0,
        "CapAmb": 0,
    }
    assert fields["NoNewPrivs"] == "1"
    sockets = {
        str(target)[8:-1]
        for target in (fd.readlink() for fd in (process / "fd").iterdir())
        if str(target).startswith("socket:")
    }
    for kind in ("tcp", "udp", "raw", "packet", "tcp6", "udp6"):
        table = process / "net" / kind
        inodes = {word for line in table.read_text().splitlines() for word in line.split()} if table.exists() else set()
        assert not inodes & sockets, kind
    assert os.getsid(guardian.process.pid) == guardian.process.pid


@pytest.fixture
def ordinary(binary: str) -> Iterator[str]:
    """A guardian installed as docs/guides/run.md says, where an ordinary user can execute it."""
    folder = Path(tempfile.mkdtemp(prefix="fairlead-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    shutil.copy(binary, folder / "fairlead-guardian")
    subprocess.run(["setcap", "cap_net_admin+ep", folder / "fairlead-guardian"], check=True)
    yield str(folder / "fairlead-guardian")
    shutil.rmtree(folder)


def test_file_capability_lets_an_ordinary_user_reroute_only_his_own_sockets(
    mesh: Mesh, host: Host, ordinary: str
) -> None:
    guardian = Guardian(ordinary, host, AS_USER, options=["--user", "0"])
    foreign = guardian.exchange(mesh.setup_request(host, uid_first=0, uid_last=0))
    assert (foreign.error, "only their own" in foreign.reason) == (errno.EPERM, True)
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == 0
    assert guardian.reroute(destination=1, relay=2).error == 0
    assert len(rerouted_routes(host)) == 1
    assert guardian.tear_down().error == 0
    guardian.close()
    assert guardian.wait() == 0


def test_an_ordinary_users_guardian_leads_no_other_users_echoes(mesh: Mesh, host: Host, ordinary: str) -> None:
    guardian = Guardian(ordinary, host, AS_USER)
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == 0
    assert guardian.lead_echoes(5001, 5002).error == 0
    assert guardian.reroute(destination=1, relay=2).error == 0
    assert guardian.attempt(destination=2, relay=1).error == 0

    def way(user: int, port: int, peer: Host) -> object:
        udp = ["ipproto", "udp", "sport", str(port), "dport", str(AGENT_PORT)]
        return host.ip_json("route", "get", peer.address, "from", host.address, *udp, "uid", str(user))[0]["dev"]

    for port, peer in ((5001, mesh.hosts[1]), (5002, mesh.hosts[2])):
        assert [way(user, port, peer) for user in (1234, 1235, 0)] == ["fl-test1", "eth0", "eth0"]
    guardian.close()
    assert guardian.wait() == 0


def test_a_sudo_rule_can_bind_it_to_one_user(mesh: Mesh, host: Host, binary: str) -> None:
    guardian = Guardian(binary, host, options=["--user", "1234"])
    assert guardian.exchange(mesh.setup_request(host, uid_first=0, uid_last=0)).error == errno.EPERM
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == 0
    guardian.process.terminate()
    assert guardian.wait() == 0


def test_without_privilege_setup_is_refused_and_check_says_why(mesh: Mesh, host: Host, ordinary: str) -> None:
    subprocess.run(["setcap", "-r", ordinary], check=True)
    guardian = Guardian(ordinary, host, AS_USER)
    assert guardian.exchange(mesh.setup_request(host, uid_first=1234, uid_last=1234)).error == errno.EPERM
    guardian.close()
    assert guardian.wait() == 0
    report = json.loads(host.run(*AS_USER, ordinary, "--check", check=False))
    assert report["ok"] is False
    assert {c["name"] for c in report["checks"] if c["ok"] is False} == {
        "cap_net_admin",
        "vxlan",
        "rule_uidrange",
        "nftables",
    }
    assert all("fairlead guardian install" in c["fix"] for c in report["checks"] if c["ok"] is False)


def test_check_works_leaves_nothing_and_hints(host: Host, binary: str) -> None:
    before = host.state()
    report = json.loads(host.run(binary, "--check"))
    assert host.state() == before
    assert report["ok"] is True
    assert [c["name"] for c in report["checks"]] == ["cap_net_admin", "vxlan", "rule_uidrange", "nftables", "rp_filter"]
    # As Docker leaves it:
    host.run(
        "nft", "add table ip filter; add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }"
    )
    report = json.loads(host.run(binary, "--check"))
    host.run("nft", "delete table ip filter")
    assert [c["name"] for c in report["checks"] if c["ok"] is None] == ["forward_policy", "rp_filter"]


def test_check_tells_of_names_that_are_no_text(host: Host, binary: str, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    program = shutil.copy(binary, folder / "fairlead-guardian")
    report = json.loads(host.run(str(program), "--check"))
    assert report["program"] == str(tmp_path / "caf\N{REPLACEMENT CHARACTER}" / "fairlead-guardian")


UNREADABLE = 'mount --bind /dev/null /proc/sys/net/ipv4/ip_unprivileged_port_start && exec "$0" --check'


def test_check_says_where_it_cannot_know_who_has_low_ports(host: Host, binary: str) -> None:
    report = json.loads(host.run("unshare", "--mount", "sh", "-c", UNREADABLE, binary))
    (told,) = [check for check in report["checks"] if check["name"] == "low_ports"]
    assert (told["ok"], "is not known" in told["detail"]) == (None, True)


# As firewalld writes it: nothing is dropped by a policy, but what no rule admits is refused.
FIREWALLD = """
table inet firewalld {
    chain filter_INPUT {
        type filter hook input priority filter + 10; policy accept;
        ct state { established, related } accept
        iifname "lo" accept
        reject with icmpx admin-prohibited
    }
    chain filter_FORWARD {
        type filter hook forward priority filter + 10; policy accept;
        ct state { established, related } accept
        log prefix "no: " counter reject with icmpx admin-prohibited
    }
    chain filter_OUTPUT {
        type filter hook output priority filter + 10; policy accept;
        ip daddr 192.0.2.1 reject with icmpx admin-prohibited
    }
}
table ip others {
    chain some {
        type filter hook forward priority 0; policy accept;
        reject with icmp admin-prohibited
        accept
    }
    chain one {
        type filter hook input priority 0; policy accept;
        ip saddr 192.0.2.1 drop
    }
}
"""


def test_check_hints_at_chains_that_end_with_a_refusal(host: Host, binary: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.write_text(FIREWALLD)
    host.run("nft", "-f", str(rules))
    report = json.loads(host.run(binary, "--check"))
    host.run("nft", "flush ruleset")
    assert report["version"] == __version__
    assert [(c["name"], c["detail"].split(" blocks")[0]) for c in report["checks"] if c["ok"] is None] == [
        ("input_policy", "chain inet firewalld filter_INPUT"),
        ("forward_policy", "chain inet firewalld filter_FORWARD"),
        ("rp_filter", "net.ipv4.conf.all.rp_filter is 1 (strict)"),
    ]
    fixes = {c["name"]: c["fix"] for c in report["checks"]}
    assert fixes["input_policy"] == "accept the agents' UDP and TCP ports and UDP 20000 to 29999 from the job's hosts"
    assert fixes["forward_policy"] == (
        "accept forwarding between devices fl-*: iptables -I FORWARD -i fl-+ -o fl-+ -j ACCEPT; with "
        "firewalld: firewall-cmd --zone=trusted --add-interface=fl-+"
    )


def test_version(binary: str) -> None:
    assert subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout == (
        f"fairlead-guardian {__version__}\n"
    )


def test_started_by_a_person_says_what_it_is(host: Host, binary: str) -> None:
    done = subprocess.run([binary], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "fairlead-agent" in done.stderr
