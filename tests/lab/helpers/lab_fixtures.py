"""Labs for tests: as root, and inside a user namespace as an ordinary user has it."""

import json
import os
import subprocess
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairlead import lab as labs
from fairlead.config import parse
from fairlead.lab import Lab
from fairlead.lab.description import Description

PRIVILEGES = [
    pytest.param(False, marks=pytest.mark.root, id="root"),
    pytest.param(True, marks=pytest.mark.userns, id="userns"),
]
RATE_BPS = 50_000_000  # slow enough for a busy machine
LINKS = """
[host_link]
rate = "200mbit"
queue = "20ms"
[trunk]
rate = "50mbit"
queue = "20ms"
"""
STAR = """
[lab]
name = "star"
topology = "star"
hosts_per_leaf = 3
[host_link]
rate = "50mbit"
queue = "20ms"
"""
MESH6 = (
    '[lab]\nname = "mesh6"\ntopology = "mesh"\nfamily = 6\nleafs = 3\nhosts_per_leaf = 1\nneighbours_per_leaf = 1\n'
    + LINKS
)
MESH = '[lab]\nname = "mesh"\ntopology = "mesh"\nleafs = 3\nhosts_per_leaf = 1\nneighbours_per_leaf = 1\n' + LINKS
LEAF_SPINE = (
    '[lab]\nname = "tree"\ntopology = "leaf-spine"\nleafs = 3\nspines = 2\nhosts_per_leaf = 1\n'
    "neighbours_per_leaf = 1\n" + LINKS
)


def describe(text: str) -> Description:
    return parse(text, Description, source="lab.toml")


@contextmanager
def running(
    text: str, *, user_namespace: bool, name: str | None = None, share: list[Path] | None = None
) -> Iterator[Lab]:
    """A lab for the length of a block."""
    if not user_namespace and os.geteuid() != 0:
        pytest.skip("a privileged lab needs root")
    lab = labs.up(describe(text), name=name, share=share or [], user_namespace=user_namespace)
    try:
        yield lab
    finally:
        lab.down()


def run(lab: Lab, host: str, *argv: str, timeout_s: float = 30) -> str:
    """Output of a command on a host, which must succeed."""
    result = subprocess.run(
        lab.enter_command(host, list(argv)), capture_output=True, text=True, timeout=timeout_s, check=False
    )
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout


def python(lab: Lab, host: str, code: str, *arguments: str, timeout_s: float = 30) -> str:
    return run(lab, host, "python3", "-c", textwrap.dedent(code), *arguments, timeout_s=timeout_s)


@contextmanager
def serving(lab: Lab, host: str, *argv: str, ready: str) -> Iterator[None]:
    """A server on a host, from when it prints ``ready``."""
    process = subprocess.Popen(lab.enter_command(host, list(argv)), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if ready in line:
                break
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def tcp_rate_bps(lab: Lab, source: str, destination: str, seconds: float = 1.0) -> float:
    """Goodput of one TCP stream after its first half second, as iperf3's receiver sees it."""
    address = lab.plan.host_by_name[destination].address
    with serving(lab, destination, "iperf3", "-s", "-1", "--forceflush", ready="listening"):
        text = run(lab, source, "iperf3", "-c", address, "-t", str(seconds), "-O", "0.5", "-J")
    return float(json.loads(text)["end"]["sum_received"]["bits_per_second"])


def best_tcp_rate_bps(lab: Lab, source: str, destination: str, enough_bps: float) -> float:
    """The best of up to three streams: a machine that is busy with others may make one slower, and never faster."""
    best_bps = 0.0
    for _ in range(3):
        best_bps = max(best_bps, tcp_rate_bps(lab, source, destination))
        if best_bps >= enough_bps:
            break
    return best_bps


ECHO = """
import socket, sys
s = socket.socket(socket.AF_INET6 if sys.argv[1] == "6" else socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 7777)); print("ready", flush=True)
while True:
    data, peer = s.recvfrom(2000); s.sendto(data, peer)
"""
PING = """
import socket, statistics, sys, time
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(5); seen = []
for _ in range(40):
    t = time.perf_counter(); s.sendto(b"x" * 64, (sys.argv[1], 7777)); s.recv(2000)
    seen.append(time.perf_counter() - t); time.sleep(0.002)
print(statistics.quantiles(seen, n=4)[0])
"""


def round_trip_s(lab: Lab, source: str, destination: str) -> float:
    """Lower quartile of round trips of small datagrams: what waits for a processor takes longer, none is faster."""
    with serving(lab, destination, "python3", "-c", ECHO, str(lab.plan.family), ready="ready"):
        return float(python(lab, source, PING, lab.plan.host_by_name[destination].address))


def processes(lab: Lab) -> list[str]:
    """Command lines of what runs in the lab, apart from its holder and the one that looks."""
    lines = run(lab, lab.plan.hosts[0].name, "ps", "-ww", "-eo", "pid=,stat=,args=").splitlines()
    found = [line.split(maxsplit=2) for line in lines]
    return [words[2] for words in found if words[0] != "1" and words[1][0] != "Z" and not words[2].startswith("ps -ww")]


def is_empty(lab: Lab, timeout_s: float = 5.0) -> bool:
    """Whether nothing runs in the lab; what was just killed may take a moment to go."""
    deadline_s = time.monotonic() + timeout_s
    while processes(lab):
        if time.monotonic() > deadline_s:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture(autouse=True)
def private_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labs of tests are not seen by other sessions of the same user."""
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
