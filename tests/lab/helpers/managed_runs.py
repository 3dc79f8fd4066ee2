"""``fairlead`` as a process on a lab, for tests that hurt it: what it says, what it records, what it leaves behind."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlead import lab as labs
from fairlead.config import parse
from fairlead.ip import Family
from fairlead.lab.description import Description
from fairlead.manage import live_runs
from fairlead.store import Event, Run, Store

COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
LIMIT_S = 40.0
MESH = """
[lab]
name = "{name}"
topology = "mesh"
leafs = {leafs}
hosts_per_leaf = {hosts_per_leaf}
family = {family}
neighbours_per_leaf = 1
[host_link]
rate = "1gbit"
queue = "10ms"
[trunk]
rate = "{trunk}"
queue = "20ms"
"""
REROUTED = ["--no-detection", "--reroute", "h0:h1:h2"]  # a detour from the start, without a characterization
PROGRAM = "random-traffic"
OURS = ("fairlead-agent", "fairlead-guardian", "route-keeper", PROGRAM, "orted", "mpirun.openmpi")
GOING_S = 2.0  # for processes that have been ended


def mesh_text(name: str, hosts_per_leaf: int = 1, *, leafs: int = 3, trunk: str = "200mbit", family: Family = 4) -> str:
    """Description of a lab with a name of its own."""
    own = f"{name}-{os.getpid()}"
    return MESH.format(name=own, hosts_per_leaf=hosts_per_leaf, leafs=leafs, trunk=trunk, family=family)


@contextmanager
def mesh(
    name: str, share: Path, hosts_per_leaf: int = 1, *, leafs: int = 3, trunk: str = "200mbit", family: Family = 4
) -> Iterator[labs.Lab]:
    """Switches with a trunk between any two, and a neighbour of each; on each a host (h0, h1, h2), or several."""
    text = mesh_text(name, hosts_per_leaf, leafs=leafs, trunk=trunk, family=family)
    lab = labs.up(parse(text, Description, source="mesh.toml"), share=[share])
    try:
        yield lab
    finally:
        lab.down()


@contextmanager
def star(name: str, share: Path, hosts: int = 3) -> Iterator[labs.Lab]:
    """Hosts h0, h1, h2, or more, on one switch."""
    tables = {
        "lab": {"name": f"{name}-{os.getpid()}", "topology": "star", "hosts_per_leaf": hosts},
        "host_link": {"rate": "1gbit", "queue": "20ms"},
    }
    lab = labs.up(Description.model_validate(tables), share=[share])
    try:
        yield lab
    finally:
        lab.down()


def wait_for(condition: Callable[[], object], what: str, limit_s: float = LIMIT_S) -> float:
    """Wait until something holds; how long it took, in seconds, to the beginning of the look that saw it.

    On a busy machine a look may take as long as the limit. One that began before the limit does not show what holds
    then: there is always another that begins after it.
    """
    begin_s = time.monotonic()
    while True:
        looked_s = time.monotonic()
        if condition():
            return looked_s - begin_s
        assert looked_s - begin_s < limit_s, f"{what} did not happen within {limit_s} s"
        # Looks that are not cheap shall not take the processors from what is waited for.
        time.sleep(min(max(0.01, 2 * (time.monotonic() - looked_s)), 0.2))


def cluster_file(lab: labs.Lab, directory: Path, old: str = "", new: str = "") -> Path:
    """The lab's cluster file with ``old`` replaced by ``new``; Open MPI launches."""
    path = directory / "lab.cluster.toml"
    text = lab.cluster_file_text().replace('interface = "eth0"', 'interface = "eth0"\nmpirun = "mpirun.openmpi"', 1)
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else text)
    return path


@dataclass
class Command:
    """A ``fairlead`` that was started; a context manager that ends what is left of it.

    Attributes:
        told: lines of stderr so far, each with the time.monotonic() when it came.
    """

    process: subprocess.Popen[str]
    results: Path
    told: list[tuple[float, str]] = field(default_factory=list)
    output: list[str] = field(default_factory=list)

    def __enter__(self) -> "Command":
        assert self.process.stderr is not None and self.process.stdout is not None
        self._threads = [
            threading.Thread(target=self._read_stderr, daemon=True),
            threading.Thread(target=lambda: self.output.extend(self.process.stdout or []), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)  # a test that fails may have stopped it
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()

    def _read_stderr(self) -> None:
        for line in self.process.stderr or []:
            self.told.append((time.monotonic(), line.rstrip()))

    def text(self) -> str:
        """Everything told so far."""
        return "\n".join(line for _, line in self.told)

    def heard(self, part: str) -> bool:
        return any(part in line for _, line in self.told)

    def wait_to_hear(self, part: str) -> None:
        """Wait until a line with ``part`` was told."""
        while not self.heard(part):
            silent = self.process.poll() is not None and not any(t.is_alive() for t in self._threads)
            assert not silent or self.heard(part), self.text()  # it may have been the last line
            time.sleep(0.01)

    def told_after(self, part: str, since_s: float) -> float:
        """How long after a moment of time.monotonic() a line with ``part`` was told first; waits for it."""
        wait_for(lambda: self.heard(part), f"{part!r} being told", 20)
        after_s = next(at_s for at_s, line in self.told if part in line) - since_s
        print(f"{part}: {after_s:.2f} s after the fault")
        return after_s

    def end(self, limit_s: float = LIMIT_S) -> int:
        """Wait for its end; its exit code."""
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # shows where its threads stand
            self._hear_all()
            raise AssertionError(f"it had not ended after {limit_s} s; it said:\n{self.text()}") from None
        self._hear_all()
        return code

    def _hear_all(self) -> None:
        for thread in self._threads:
            thread.join(2)  # what it left behind may keep the pipe open

    def record(self) -> tuple[Run, list[Event]]:
        """The last run in the results, and its events."""
        with Store.read(self.results) as store:
            run = store.runs("run")[-1]
            return run, store.events(run.id)

    def events(self, kind: str) -> list[Event]:
        return [event for event in self.record()[1] if event.kind == kind]


def start(*arguments: object, results: Path, **env: str) -> Command:
    """Start ``fairlead`` with these arguments."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1", **env},
    )
    return Command(process, results)


def run(cluster: Path, *options: str, program: Sequence[str], results: Path, **env: str) -> Command:
    """Start ``fairlead run`` of a program, one rank a host."""
    return start("run", cluster, "--results", results, *options, "--", *program, results=results, **env)


def once(*arguments: object, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``fairlead`` to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )


def traffic(seconds: float = 60, seed: int = 1) -> list[str]:
    """A program that keeps all hosts talking, for so long or until `finish`, and verifies what it received."""
    return [PROGRAM, "--seconds", str(seconds), "--bytes", "16384", "--interval", "0.1", "--seed", str(seed)]


def finish(lab: labs.Lab, seed: int = 1) -> None:
    """Have the `traffic` of this seed end in good order, as all ranks do when one of them is told to."""

    def ranks() -> list[int]:
        """On h1, where one of another seed may run, too."""
        found = processes(lab, "h1", PROGRAM)
        return [pid for pid in found if f"--seed\0{seed}\0" in Path(f"/proc/{pid}/cmdline").read_text()]

    wait_for(ranks, "the program's start")
    (pid,) = ranks()
    wait_for(lambda: catches(pid, signal.SIGUSR1), "the program's readiness to be told")
    os.kill(pid, signal.SIGUSR1)


def talking(lab: labs.Lab) -> None:
    """Wait until the `traffic` runs on h0, h1 and h2."""
    wait_for(lambda: all(processes(lab, host, PROGRAM) for host in ("h0", "h1", "h2")), "the ranks' start")


def hit(lab: labs.Lab, host: str, name: str, number: signal.Signals = signal.SIGKILL) -> float:
    """Send the one process of this name on a host a signal; when, by time.monotonic()."""
    (pid,) = processes(lab, host, name)
    os.kill(pid, number)
    return time.monotonic()


def assert_unharmed(lab: labs.Lab, command: Command, seed: int = 1) -> None:
    """The `traffic` goes on with its messages, and ends as it should when it is told to."""
    time.sleep(0.5)
    finish(lab, seed)
    assert command.end() == 0, command.text()
    assert any("verification passed" in line for line in command.output)
    assert command.record()[0].status == "ok"


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for this signal."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (caught,) = (line.split()[1] for line in lines if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (number - 1) & 1)


def processes(lab: labs.Lab, host: str, name: str) -> list[int]:
    """Process ids, as this machine numbers them, of programs called ``name`` in a host's network namespace."""
    return _processes(lab, [host], [name])


def _processes(lab: labs.Lab, hosts: Sequence[str], names: Sequence[str]) -> list[int]:
    """Those of several names on several hosts, by one look at all processes."""
    inside = set()
    for host in hosts:
        argv = lab.enter_command(host, ["readlink", "/proc/self/ns/net"])
        inside.add(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip())
    short = {name[:15] for name in names}
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "comm").read_text().strip() in short and str((path / "ns/net").readlink()) in inside:
                found.append(int(path.name))
        except OSError:
            continue
    return sorted(found)


def kernel_state(lab: labs.Lab, host: str) -> dict[str, list[str]]:
    """What fairlead has in a host's kernel now: devices, rules, routes, packet filters. Kinds of which it has nothing
    are left out."""
    script = """
    ip -o link show
    for ip in "ip -4" "ip -6"; do
        echo ====
        $ip rule show
        echo ====
        $ip route show table all proto 70 2>/dev/null
    done
    echo ====
    nft list tables
    true
    """
    done = subprocess.run(lab.enter_command(host, ["sh", "-c", script]), capture_output=True, text=True, check=True)
    links, rules4, routes4, rules6, routes6, tables = done.stdout.split("====\n")
    state = {
        "device": sorted(set(re.findall("f[l1-7]-[0-9a-f]*", links))),
        "rule": [line.strip() for line in (rules4 + rules6).splitlines() if "proto 70" in line],
        "route": [line.strip() for line in (routes4 + routes6).splitlines()],
        "filter": [line.strip() for line in tables.splitlines() if "fairlead" in line],
    }
    return {kind: found for kind, found in state.items() if found}


def overlay(lab: labs.Lab, host: str) -> int | None:
    """The number by which a host's kernel knows the overlay device: none is given twice. None: there is no device."""
    argv = lab.enter_command(host, ["ip", "-json", "link", "show", "type", "vxlan"])
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    numbers = [int(link["ifindex"]) for link in json.loads(shown or "[]") if link.get("ifname", "").startswith("fl-")]
    return numbers[0] if numbers else None


def rerouted_routes(lab: labs.Lab, host: str) -> list[str]:
    """Routes of rerouted destinations: they pin the source address, last hops do not."""
    return [route for route in kernel_state(lab, host).get("route", []) if " src " in route]


def nothing_left(lab: labs.Lab) -> bool:
    """Whether no managed host has anything of fairlead's in its kernel or among its processes.

    Processes that have been ended are given a moment to go: a guardian outlives the agent that it has just answered.
    """
    begin_s = time.monotonic()
    while _our_processes(lab):
        if time.monotonic() - begin_s > GOING_S:
            return False
        time.sleep(0.05)
    return not any(kernel_state(lab, host) for host in _managed(lab))


def assert_all_gone(lab: labs.Lab, cluster: Path, limit_s: float = 10.0) -> None:
    """Wait until neither hosts nor records of runs have anything left of a test.

    What is left all the same is taken away before this fails: tests that follow must not find it.
    """
    try:
        wait_for(
            lambda: nothing_left(lab) and not live_runs.look().runs, "the end of all that the test started", limit_s
        )
    except AssertionError:
        states_of = {host: state for host in _managed(lab) if (state := kernel_state(lab, host))}
        print(f"left: processes {_our_processes(lab)}, {states_of}, {live_runs.look().runs}")
        for pid in _our_processes(lab):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not _our_processes(lab), "the end of processes that were killed")
        cleaned = once("clean", cluster)
        print(cleaned.stdout, cleaned.stderr)
        raise


def _managed(lab: labs.Lab) -> list[str]:
    return [host.name for host in lab.plan.hosts if host.role != "other"]


def _our_processes(lab: labs.Lab) -> list[int]:
    return _processes(lab, _managed(lab), OURS)


def states() -> list[dict[str, Any]]:
    """What ``fairlead status --json`` says."""
    found: list[dict[str, Any]] = json.loads(once("status", "--json").stdout)
    return found


def comparison_text(name: str) -> str:
    """A plan of four short runs on the lab of lab.toml, beside the plan."""
    return f"""
[comparison]
name = "{name}"
lab = "lab.toml"
replications = 1

[congestion]
bottlenecks = [{{ kind = "streams", between = ["leaf0", "leaf1"], streams = 2 }}]

[[programs]]
name = "traffic"
command = ["random-traffic", "--seconds", "1.5", "--bytes", "16384"]
ranks = 3
mpirun = "mpirun.openmpi"
"""
