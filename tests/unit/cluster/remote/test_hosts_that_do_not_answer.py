"""Commands on clusters of which hosts do not answer: what is said, when, and how they end. "ssh" is a shell script."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster import executors
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.remote import awaited, execute
from fairlead.cluster.remote.execute import on_all, run_on
from fairlead.errors import ConfigError, HostError
from fairlead.manage import silent_hosts

LIMIT_S = 20.0
LONG_S = 60  # a host that says nothing keeps ssh waiting for so long
LOCAL = Cluster("c", "local", (Host("here", "127.0.0.1"),))

# Called as: ssh OPTION... -- HOST COMMAND.
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
case $2 in
  silent*) echo $$ >>{directory}/waiting; exec sleep {long_s} ;;
  refused*) echo "ssh: connect to host $2 port 22: Connection refused" >&2; exit 255 ;;
  nameless*) echo "ssh: Could not resolve hostname $2: Name or service not known" >&2; exit 255 ;;
  keyless*) echo "ann@$2: Permission denied (publickey)." >&2; exit 255 ;;
esac
echo "$2 $3" >>{directory}/calls
"""
CLUSTER = '[cluster]\nname = "c"\nexecutor = "ssh"\ninterface = "eth0"\n'
HOST = '\n[[hosts]]\nname = "{name}"\naddress = "10.64.0.{number}"\nreach = "{reach}"\n'
COMMANDS = {
    "doctor": ["doctor", "{cluster}"],
    "characterize": ["characterize", "{cluster}", "--results", "{results}"],
    "run": ["run", "{cluster}", "--results", "{results}", "--", "true"],
    "measure": ["measure", "{cluster}", "noise", "--results", "{results}"],
    "clean": ["clean", "{cluster}"],
}


@dataclass(frozen=True)
class Site:
    directory: Path

    def start(self, command: str, *reached: str, options: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
        """Start a command on a cluster whose hosts h0, h1, ... are reached by these names."""
        cluster = self.directory / "c.toml"
        hosts = [HOST.format(name=f"h{k}", number=k + 1, reach=name) for k, name in enumerate(reached)]
        cluster.write_text(CLUSTER + "".join(hosts))
        words = [word.format(cluster=cluster, results=self.directory / "results") for word in COMMANDS[command]]
        main = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
        environment = os.environ | {
            "PATH": f"{self.directory}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.directory / "cache"),
            "FAIRLEAD_RUNTIME_DIR": str(self.directory / "runtime"),
        }
        return subprocess.Popen(
            [*main, *words[:2], *options, *words[2:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=self.directory,
        )

    def run(self, command: str, *reached: str, options: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
        with self.start(command, *reached, options=options) as process:
            out, err = process.communicate(timeout=LIMIT_S)
        assert "Traceback" not in err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def waiting(self) -> list[int]:
        """Processes that stand for an ssh to a silent host."""
        file = self.directory / "waiting"
        return [int(word) for word in file.read_text().split()] if file.exists() else []

    def calls(self) -> list[str]:
        file = self.directory / "calls"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH.format(directory=tmp_path, long_s=LONG_S))
    ssh.chmod(0o755)
    site = Site(tmp_path)
    yield site
    deadline_s = time.monotonic() + 5  # what was just killed may take a moment to go
    while left := [pid for pid in site.waiting() if is_alive(pid)]:
        assert time.monotonic() < deadline_s, f"an ssh was left behind: {left}"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        return "sleep" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def wait_for(what: Callable[[], Any]) -> None:
    deadline_s = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


def test_doctor_names_each_host_what_happened_and_the_way_out(site: Site) -> None:
    done = site.run("doctor", "refused", "nameless", "keyless", options=("--json",))
    assert (done.returncode, done.stderr) == (1, "")
    found = {tuple(item["hosts"]): item for item in json.loads(done.stdout) if item["check"] == "reachable"}
    said = {hosts: (item["severity"], item["text"]) for hosts, item in found.items()}
    could_not = "ssh could not reach the host:"
    assert said == {
        ("h0",): ("error", f"{could_not} ssh: connect to host refused port 22: Connection refused"),
        ("h1",): ("error", f"{could_not} ssh: Could not resolve hostname nameless: Name or service not known"),
        ("h2",): ("error", f"{could_not} ann@keyless: Permission denied (publickey)."),
    }
    assert all(f"-- {name} true` must work without" in item["fix"]
               for name, item in zip(("refused", "nameless", "keyless"), found.values(), strict=True))  # fmt: skip


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("doctor", "clean")])
def test_other_commands_name_the_first_host_with_its_reason_and_the_others(site: Site, command: str) -> None:
    done = site.run(command, "refused", "nameless", "keyless")
    assert done.returncode == 1
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("fairlead: ")]
    assert said.startswith("fairlead: h0: ")
    assert said.endswith("ssh: connect to host refused port 22: Connection refused (also failed: h1, h2)")
    assert done.stderr.splitlines()[-1].startswith(("  `ssh ", "  `fairlead doctor CLUSTER` shows"))


def test_hosts_that_answer_are_cleaned_and_the_others_named(site: Site) -> None:
    done = site.run("clean", "well", "refused", "well-too", "keyless")
    assert done.returncode == 1
    said = done.stderr.splitlines()
    assert said[0] == "fairlead: could not be cleaned:"
    told = [line for line in said if line.startswith("h")]
    assert told == [
        "h1: ssh could not reach the host: ssh: connect to host refused port 22: Connection refused",
        "h3: ssh could not reach the host: ann@keyless: Permission denied (publickey).",
    ]
    assert said[-1] == "  run `fairlead clean` again once this is fixed"
    cleaned = [call.split()[0] for call in site.calls() if "--clean" in call]
    assert sorted(cleaned) == ["well", "well-too"]


@pytest.mark.parametrize("command", COMMANDS)
def test_silent_hosts_are_named_while_they_are_waited_for_and_ctrl_c_ends_at_once(site: Site, command: str) -> None:
    reached = ["silent0", "silent1", "silent2"]
    with site.start(command, *reached) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "no answer yet from" in line:
                break
        else:
            pytest.fail("nothing was said")
        hosts = line.strip().rpartition(" from ")[2].split(", ")
        assert hosts[0] in ("h0", "h1", "h2")
        assert site.waiting()
        process.send_signal(signal.SIGINT)
        sent_s = time.monotonic()
        _, err = process.communicate(timeout=LIMIT_S)
        assert time.monotonic() - sent_s < LONG_S / 6
    assert process.returncode == 128 + signal.SIGINT
    assert "\nfairlead: interrupted\n" in f"\n{err}"
    assert "Traceback" not in err


def test_what_is_waited_for_is_known_by_how_long() -> None:
    assert awaited.silent(0) == []
    with awaited.awaited("h1"), awaited.awaited("h0"), awaited.awaited("h1"):
        assert awaited.silent(0) == ["h1", "h0"]
        assert awaited.silent(60) == []
        assert awaited.words(awaited.silent(0)) == "no answer yet from h1, h0"
    assert awaited.words(awaited.silent(0)) == ""


def test_the_silent_are_told_until_something_else_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silent_hosts, "LOOK_S", 0.01)
    monkeypatch.setattr(silent_hosts, "AGAIN_S", 0.05)
    said: list[str] = []
    with awaited.awaited("h7"), silent_hosts.told(said.append, after_s=0) as over:
        wait_for(lambda: len(said) >= 2)
        over()
        time.sleep(0.5)
        number = len(said)
        time.sleep(0.2)
        assert len(said) == number
    assert set(said) == {"no answer yet from h7"}


def interrupted_after(s: float, there: Callable[[], Any] = lambda: True) -> Callable[[Any], None]:
    """In place of `wait`: as if Ctrl-C came so much later than that is there."""

    def wait(futures: Any) -> None:
        wait_for(there)
        time.sleep(s)
        raise KeyboardInterrupt

    return wait


def test_ctrl_c_gives_up_what_runs_and_what_would_be_next(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr(execute, "wait", interrupted_after(0.5, lambda: len(begun) == 2))
    monkeypatch.setattr(execute, "AT_ONCE", 2)
    local, ended = executors.executor_of(LOCAL), []

    def sleep(host: str) -> None:
        begun.append(host)
        try:
            run_on(local, "here", ["sleep", str(LONG_S)], timeout_s=LONG_S)
        except HostError as error:
            ended.append((host, error.message))

    with pytest.raises(KeyboardInterrupt):
        on_all(["a", "b", "c", "d"], sleep)
    assert sorted(ended) == [(host, "here: does not answer, and is not waited for any more") for host in ("a", "b")]


def test_ctrl_c_waits_for_what_must_not_stop_half_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "wait", interrupted_after(0.1))
    monkeypatch.setattr(execute, "AT_ONCE", 2)
    local, done, guard = executors.executor_of(LOCAL), [], threading.Lock()

    def sleep(host: str) -> None:
        run_on(local, "here", ["sleep", "0.3"])
        with guard:
            done.append(host)

    with pytest.raises(KeyboardInterrupt):
        on_all(["a", "b", "c"], sleep, to_the_end=True)
    assert sorted(done) == ["a", "b", "c"]


def test_a_given_up_command_ends_though_its_pipes_are_held_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    noted = tmp_path / "pid"
    monkeypatch.setattr(execute, "wait", interrupted_after(0.1, lambda: noted.exists() and noted.read_text()))
    script = f"setsid sleep {LONG_S} & echo $! >{noted}; exec sleep {LONG_S}"
    ended: list[HostError] = []

    def hang(host: str) -> None:
        try:
            run_on(executors.executor_of(LOCAL), "here", ["sh", "-c", script], timeout_s=LONG_S)
        except HostError as error:
            ended.append(error)

    begun_s = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            on_all(["a"], hang)
        assert len(ended) == 1
        assert time.monotonic() - begun_s < LONG_S / 3
    finally:
        os.kill(int(noted.read_text()), signal.SIGKILL)


def test_last_words_are_not_waited_for_where_pipes_are_held_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(execute, "LAST_WORDS_S", 2.0)
    noted = tmp_path / "pid"
    script = f"echo no luck >&2; setsid sleep {LONG_S} >/dev/null & echo $! >{noted}"
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert execute.last_words(process) == b"no luck\n"
        assert process.returncode == 0
    os.kill(int(noted.read_text()), signal.SIGKILL)


def test_of_several_errors_the_first_is_told_and_the_hosts_of_the_others() -> None:
    def fail(host: str) -> None:
        raise HostError(f"{host}: no luck", hint="try again")

    with pytest.raises(HostError) as told:
        on_all([f"h{number}" for number in range(12)], fail)
    assert str(told.value) == ("h0: no luck (also failed: h1, h2, h3, h4, h5, h6, h7, h8 and 3 more)\n  try again")
    with pytest.raises(HostError, match=r"^h0: no luck\n"):
        on_all(["h0"], fail)


def test_an_error_that_is_no_hosts_stays_as_it_is() -> None:
    wrong = ConfigError("c.toml: no such host")

    def fail(host: str) -> None:
        raise wrong

    with pytest.raises(ConfigError) as told:
        on_all(["a", "b"], fail)
    assert told.value is wrong
