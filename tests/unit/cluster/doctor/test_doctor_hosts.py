"""Checks of clocks, and of hosts that the probe cannot look into."""

import ast
import json
import resource
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairlead import descriptors
from fairlead.cluster.addresses import LauncherAddress
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor import bundle, examine, plain, probing, session
from fairlead.cluster.doctor.answers import Settings
from fairlead.cluster.doctor.examine import rounds
from fairlead.cluster.doctor.facts import ClockOffset, LaunchFacts
from fairlead.cluster.doctor.findings import Severity, judge
from fairlead.cluster.doctor.probing import links, paths
from fairlead.cluster.doctor.probing.system import Facts
from fairlead.cluster.executors import executor_of
from fairlead.cluster.executors.local import LocalExecutor
from fairlead.cluster.launchers.detect import parse_version
from fairlead.errors import HostError

from .doctor_facts import ERROR, NAMES, NOTE, OPEN_MPI, WARNING, healthy, one, setting, with_host

TRIED = {"python", "not_looked_at", "clock_offset"}
PLAIN = """\
hostname h1
machine aarch64
release 5.10.0
cores 4
load 0.31
interface lo 65536 0x9 1
interface eth0 1500 0x1003 1
address lo 127.0.0.1/8
address eth0 10.64.0.2/24
tool mpirun /usr/bin/mpirun
said mpirun mpirun (Open MPI) 4.1.4
said mpirun\x20
agent fairlead-agent 0.1.0
guardian {"ok": true, "version": "0.1.0",
guardian  "checks": []}
"""


@pytest.mark.parametrize(
    ("offset", "severity", "text"),
    [
        (ClockOffset(-31.0, 0.1), WARNING, "the clock is 31 s behind this machine's"),
        (ClockOffset(7200.0 * 3, 0.1), ERROR, "the clock is 6 h ahead of this machine's"),
        (ClockOffset(900.0, 0.1), ERROR, "15 min ahead"),
    ],
)
def test_a_clock_that_is_far_off(offset: ClockOffset, severity: Severity, text: str) -> None:
    found = one(judge(with_host(healthy(), "h1", clock=offset)), "clock_offset")
    assert (found.severity, found.hosts) == (severity, ("h1",))
    assert text in found.text
    assert found.fix.startswith("chronyc makestep")
    assert ("munge" in found.text) is (severity is ERROR)


@pytest.mark.parametrize("offset", [None, ClockOffset(1.0, 0.01), ClockOffset(9.0, 8.0)])
def test_a_clock_that_is_right_or_not_known_well_enough(offset: ClockOffset | None) -> None:
    assert not [item for item in judge(with_host(healthy(), "h1", clock=offset)) if item.check == "clock_offset"]


def test_a_host_without_python_is_told_and_judged_by_what_a_shell_says() -> None:
    facts = plain.parse(PLAIN, ["mpirun", "iperf3"])
    known = with_host(healthy(), "h1", without_python="python3 is 3.6", facts=facts, ports={}, paths={})
    found = one(judge(known), "python")
    assert (found.severity, found.hosts) == (WARNING, ("h1",))
    assert found.text.startswith("python3 is 3.6: paths to and from this host were not tested")
    assert found.fix.startswith("apt install python3")
    assert one(judge(known), "architectures").severity == ERROR
    assert one(judge(known), "iperf3").hosts == ("h1",)
    assert {item.check for item in judge(known) if "h1" in item.hosts and item.severity == ERROR} == {"architectures"}


def test_what_a_shell_says() -> None:
    facts = plain.parse(PLAIN, ["mpirun", "iperf3"])
    assert (facts["hostname"], facts["cores"], facts["load"]) == ("h1", 4, 0.31)
    assert facts["interfaces"][1] == {
        "name": "eth0",
        "addresses": ["10.64.0.2/24"],
        "mtu_B": 1500,
        "up": True,
        "carrier": True,
        "loopback": False,
    }
    assert facts["interfaces"][0]["loopback"]
    assert facts["tools"]["mpirun"]["output"].startswith("mpirun (Open MPI) 4.1.4")
    assert facts["tools"]["iperf3"] is None
    assert facts["agent"] == {"version": "fairlead-agent 0.1.0"}
    assert facts["guardian"] == {"ok": True, "version": "0.1.0", "checks": []}
    broken = plain.parse("agent_error /x/agent does not run: not found\nguardian sh: not found\n", ["mpirun"])
    assert broken["agent"] == {"error": "/x/agent does not run: not found"}
    assert "--check does not work: sh: not found" in broken["guardian"]["error"]


def test_the_shells_script_runs_here() -> None:
    words = ["sh", "-c", plain._SCRIPT, "sh", "4", "sh", "no-such-tool", "--", "/bin/echo", "--"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    facts = plain.parse(said, ["sh", "no-such-tool"])
    assert "lo" in {item["name"] for item in facts["interfaces"]}
    assert facts["tools"]["sh"]["path"].endswith("/sh")
    assert facts["tools"]["no-such-tool"] is None
    assert facts["agent"] is not None
    assert facts["guardian"] is None


def test_what_the_probe_could_not_find_out_is_told() -> None:
    found = one(judge(healthy(setting("facts", "failures", value={"limits": "OSError: x"}))), "not_looked_at")
    assert (found.severity, found.text) == (NOTE, "the probe could not determine limits: OSError: x")


def test_a_question_that_fails_leaves_the_others() -> None:
    def broken() -> int:
        raise ValueError("not a number")

    found = Facts()
    found.add("one", lambda: 1)
    found.add("two", broken, default=7)
    assert found.known == {"one": 1, "two": 7}
    assert found.failures == {"two": "ValueError: not a number"}


def probe(settings: dict[str, Any], *commands: dict[str, Any]) -> list[dict[str, Any]]:
    """Answers of the whole probe, run as on a host: by a Python that has nothing of fairlead's."""
    script = bundle.script()
    boot = f"import sys; exec(compile(sys.stdin.buffer.read({len(script)}).decode(), 'probe', 'exec'))"
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in (settings, *commands))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", boot], input=script + lines, capture_output=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with a shell and its tools, and no Python."""
    for name in ("sh", "cat", "sed", "uname", "cut", "nproc", "ip"):
        if found := shutil.which(name):
            (tmp_path / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


LOCAL = Cluster("c", "local", (Host("localhost", "127.0.0.1", reach="localhost", interface="lo"),))


def imitate_python(path: Path, version: str) -> None:
    path.write_text(f'#!/bin/sh\necho "{version}"\n')
    path.chmod(0o755)


def test_an_old_python_is_told_with_its_version(programs: Path) -> None:
    imitate_python(programs / "python3", "3.6")
    imitate_python(programs / "python3.13", "3.13")
    done = subprocess.run(["sh", "-c", session._START, "sh", "x"], capture_output=True, text=True, check=True)
    assert done.stdout == "3.13\n"
    (programs / "python3.13").unlink()
    with (
        pytest.raises(session.NoPythonError, match=r"localhost: python3 is 3\.6, so doctor cannot examine the host"),
        session.ProbeSession(executor_of(LOCAL), "localhost", {}) as probing_session,
    ):
        probing_session.facts()


def test_a_host_without_python_is_looked_at_by_its_shell(programs: Path) -> None:
    facts = examine.gather(LOCAL)
    (host,) = facts.hosts
    assert host.without_python == "python3 was not found"
    assert host.facts["hostname"] == socket.gethostname()
    assert host.facts["tools"] == {"mpirun": None, "iperf3": None}
    assert (host.ports, host.paths) == ({}, {})
    assert one(judge(facts), "python").hosts == ("localhost",)


def test_probes_of_many_hosts_may_be_open_at_the_same_time(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes three descriptors, and a shell gives 1024."""
    room: list[int] = []
    monkeypatch.setattr(descriptors, "make_room", room.append)
    examine.gather(LOCAL)
    assert room == [descriptors.OF_A_HOST]


class Deaf(LocalExecutor):
    """A log-in that hangs: nothing that is sent is read."""

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return ["sleep", "60"]


def test_a_host_that_does_not_take_the_probe_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe of a user who has many holds 8 KiB and less."""
    monkeypatch.setattr(session, "START_TIMEOUT_S", 0.5)
    monkeypatch.setattr(bundle, "script", lambda: bytes(1 << 20))
    with pytest.raises(HostError, match=r"localhost: the probe was not taken within 0\.5 s"):
        session.ProbeSession(Deaf(LOCAL), "localhost", {})


def test_the_limit_of_open_files_is_told_as_the_user_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(descriptors, "as_before", lambda: ["prlimit", f"--nofile={soft - 1}:"])
    asked: Settings = {"address": "127.0.0.1", "interface": "lo", "tools": ["no-such-mpirun"]}
    with session.ProbeSession(executor_of(LOCAL), "localhost", asked) as probing_session:
        assert probing_session.facts()["limits"]["open_files"] == soft - 1


SETTINGS = {"address": "127.0.0.1", "interface": "lo", "tools": ["no-such-mpirun"]}


def test_the_probe_runs_by_itself() -> None:
    facts, clock, ports = probe(SETTINGS, {"clock": True}, {"serve": {"agent": [0, 0], "overlay": [20000, 29999]}})
    assert facts["failures"] == {}
    assert {"lo"} <= {item["name"] for item in facts["interfaces"]}
    assert facts["tools"] == {"no-such-mpirun": None}
    assert facts["links"][0]["name"] == "lo"
    assert facts["places"]["tmp"]["mount"]
    assert clock["time_s"] > 1e9
    assert set(ports) == {"agent_port", "any_port", "overlay_port"}


@pytest.mark.parametrize("own", ["127.0.0.1", "::1"])
def test_paths_of_a_host_to_itself(own: str) -> None:
    served = paths.serve(own, {"agent": [0, 0], "overlay": [20000, 29999]})
    if own == "::1" and "error" in served:
        pytest.skip("no IPv6 here")
    peer = {"name": "self", "address": own, "mtu_B": 1500, **served}
    found = paths.try_all(own, [peer])["self"]
    assert [found[key] for key in ("tcp_agent", "tcp_any", "udp_agent", "udp_overlay")] == [None] * 4
    assert found["path_mtu_B"] == 1500
    assert found["learned_mtu_B"] >= 1500
    assert found["source"] == own
    assert 0 < found["round_trip_s"] < 1
    assert paths.rate_to(own, peer)["rate_Bps"] > 0
    assert paths.rate_to(own, {"address": own, "any_port": 1})["rate_Bps"] is None


@pytest.mark.parametrize("own", ["127.0.0.1", "::1"])
def test_hosts_connect_to_the_launching_machine(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if own == "::1" and "error" in paths.serve(own, {"agent": [0, 0], "overlay": [20000, 29999]}):
        pytest.skip("no IPv6 here")
    monkeypatch.setattr(examine, "ask", lambda *_: (OPEN_MPI, False))
    monkeypatch.setattr(examine, "launcher_address_on", lambda *_: LauncherAddress(own, "lo"))
    elsewhere = Cluster("c", "ssh", (Host("localhost", own),))
    found = examine._launch(elsewhere, executor_of(LOCAL), ["localhost"])
    assert found == LaunchFacts(parse_version(OPEN_MPI), address=own, blind=())


def test_a_probe_of_ipv6_tells_addresses_of_ipv6() -> None:
    for family, loopback in ((socket.AF_INET, "127.0.0.1/8"), (socket.AF_INET6, "::1/128")):
        found = next(item for item in links.interfaces(family) if item["name"] == "lo")["addresses"]
        assert found in ([loopback], []), "the machine may be without IPv6"
        assert all((":" in address) == (family == socket.AF_INET6) for address in found)


def test_the_probe_is_written_for_python_3_7() -> None:
    directory = Path(probing.__file__).parent
    files = sorted(directory.glob("*.py"))
    assert {path.stem for path in files} == {"__init__", *bundle.MODULES}
    for path in [*files, directory.parent / "probe.py"]:
        ast.parse(path.read_text(), feature_version=bundle.LEAST_PYTHON)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_every_pair_meets_once_and_no_host_twice_in_a_round(count: int) -> None:
    names = [f"h{number}" for number in range(count)]
    schedule = rounds(names)
    pairs = [pair for pairs in schedule for pair in pairs]
    assert sorted(pairs) == sorted((a, b) for a in names for b in names if a != b)
    for each in schedule:
        taking_part = [name for pair in each for name in pair]
        assert len(set(taking_part)) == len(taking_part)


def test_all_hosts_are_judged_when_one_has_no_python() -> None:
    known = with_host(healthy(), "h1", without_python="python3 was not found", ports={}, paths={})
    assert one(judge(known), "python").hosts == ("h1",)
    assert known.reached() == known.hosts
    assert tuple(host.name for host in known.hosts) == NAMES
