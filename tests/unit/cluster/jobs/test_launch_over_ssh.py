"""Jobs whose hosts are reached by ssh, which fails now and then. The "ssh" is a shell, the hosts are this machine."""

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import processes
from fairlead.cluster.jobs.ending import Ending
from fairlead.cluster.jobs.launch import end_leftovers_of, run, start
from fairlead.cluster.jobs.processes import JobProcesses
from fairlead.cluster.jobs.running_job import NOTE_SHARE, SIGNAL_TIMEOUT_S
from fairlead.cluster.jobs.signals import NotedSignals, pass_on
from fairlead.cluster.launchers.base import Launcher, get
from fairlead.cluster.remote import end_limit
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import HostError

CUSTOM = get("custom")()
LIMIT_S = 10.0
JOB = os.urandom(4).hex()  # in another process that runs tests it is another: processes with the mark are ended


class Mpirun(Launcher):
    """Starts the job's argv as if it were an mpirun."""

    name = "known"
    family = "openmpi"

    def command(self, job: Job) -> list[str]:
        return list(job.argv)


# Called as: ssh OPTION... -- HOST COMMAND. It stays beside the command, which a signal to it does not reach.
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
echo "$2" >>{directory}/calls
[ -e "{directory}/down-$2" ] && {{ echo "Connection refused" >&2; exit 255; }}
[ -e "{directory}/slow-$2" ] && sleep "$(cat "{directory}/slow-$2")"
sh -c "$3"
exit $?
"""
# The one that looks for the marked (-l) also names a process whose number came to be another's just now.
GREP = """#!/bin/sh
/usr/bin/grep "$@"
code=$?
case $1 in *l*) echo /proc/{other}/environ ;; esac
exit $code
"""
# Once the one that looks at a single process (-q) was called, all processes seem to have begun at another time.
LOOK = """#!/bin/sh
/usr/bin/grep "$@"
code=$?
case $1 in *q*) touch {directory}/reused ;; esac
exit $code
"""
CAT = """#!/bin/sh
[ -e {directory}/reused ] || exec /bin/cat "$@"
/bin/cat "$@" | awk '{{ $22 += 1; print }}'
"""


@dataclass(frozen=True)
class Ssh:
    directory: Path

    def down(self, host: str) -> None:
        """From now on the host is not reached."""
        (self.directory / f"down-{host}").touch()

    def slow(self, host: str, delay_s: float) -> None:
        """From now on commands begin so much later there."""
        (self.directory / f"slow-{host}").write_text(f"{delay_s}")

    def calls(self) -> list[str]:
        """The hosts that were called so far."""
        file = self.directory / "calls"
        return file.read_text().split() if file.exists() else []


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ssh:
    directory = tmp_path / "bin"
    directory.mkdir()
    put(directory / "ssh", SSH.format(directory=directory))
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Ssh(directory)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STOP_GRACE_S", 0.3)


def put(path: Path, script: str) -> None:
    path.write_text(script)
    path.chmod(0o755)


def cluster(*names: str) -> Cluster:
    """Hosts of these names; programs are launched from the first."""
    hosts = tuple(Host(name, "127.0.0.1", interface="lo", reach=name) for name in names)
    return Cluster("c", "ssh", hosts, launch_from=names[0])


def job(script: str, *hosts: str) -> Job:
    return Job(id=os.urandom(4).hex(), argv=("sh", "-c", script), hosts=hosts or ("a",))


def wait_until(condition: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


@pytest.fixture
def process() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts processes with a given environment, and ends them when the test is over."""
    started: list[subprocess.Popen[bytes]] = []

    def start_one(script: str = "exec sleep 60", **environment: str) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sh", "-c", script], env={"PATH": os.environ["PATH"], **environment}))
        wait_until(lambda: f"{'='.join(next(iter(environment.items())))}" in environ(started[-1].pid))
        return started[-1]

    yield start_one
    for each in started:
        each.kill()
        each.wait()


def environ(pid: int) -> str:
    """The environment that a process was started with; nothing of one that is dead."""
    try:
        return Path(f"/proc/{pid}/environ").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_a_signal_that_cannot_be_delivered_is_said_and_the_job_goes_on(
    ssh: Ssh, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    what = job(f"echo up >{tmp_path}/up; until [ -e {tmp_path}/go ]; do sleep 0.05; done; exit 6")
    signals = NotedSignals()

    def disturb() -> None:
        wait_until((tmp_path / "up").exists)
        ssh.down("a")
        os.kill(os.getpid(), signal.SIGTERM)
        wait_until(lambda: caplog.records)
        (ssh.directory / "down-a").unlink()
        (tmp_path / "go").touch()

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        with caplog.at_level(logging.WARNING):
            assert run(cluster("a"), CUSTOM, what, on_signal=signals) == 6
    finally:
        thread.join()
    (said,) = caplog.messages
    assert said.startswith(
        f"SIGTERM was not delivered to job {what.id}, which continues: a: ssh could not reach the host"
    )
    assert (signals.ended_by(), signals.exit_code(6, get("openmpi4")())) == (None, 6)  # it ended by itself


def test_a_signal_that_comes_before_mpirun_waits_for_it(ssh: Ssh) -> None:
    what = job("exec sleep 60")
    ssh.slow("a", 1.5)
    signals = NotedSignals()

    def interrupt() -> None:
        wait_until(lambda: ssh.calls())
        time.sleep(0.4)  # the first ssh has read how slow it is
        (ssh.directory / "slow-a").unlink()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        assert run(cluster("a"), CUSTOM, what, on_signal=signals) == 128 + signal.SIGINT
    finally:
        thread.join()
    assert signals.ended_by() == signal.SIGINT


def test_a_launching_host_that_is_cut_off_holds_up_no_step_of_the_end_twice(ssh: Ssh, tmp_path: Path) -> None:
    """A signal would be waited for for 10 s, and what is left there for 3 s."""
    note = tmp_path / "pid"
    sent_s: list[float] = []
    what = job(f"echo $$ >{note}; exec sleep 60")
    ending = Ending(0.3, tell=lambda text: None, announce=lambda text: None)
    signals = NotedSignals(ending)

    def interrupt() -> None:
        wait_until(lambda: note.exists() and note.read_text().endswith("\n"))
        ssh.slow("a", 60.0)
        sent_s.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        code = run(cluster("a"), Mpirun(), what, startup_timeout_s=None, on_signal=signals)
        taken_s = time.monotonic() - sent_s[0]
    finally:
        thread.join()
        os.kill(int(note.read_text()), signal.SIGKILL)  # what stood for ssh here was killed, and not what it called
    assert (code, signals.exit_code(code, Mpirun())) == (128 + signal.SIGKILL, 128 + signal.SIGINT)
    assert ending.limit.words() == [f"a: does not answer, and is not waited for any more: {processes.remains(what.id)}"]
    assert taken_s < 9.0


def test_ranks_are_ended_though_the_launching_host_is_not_reached(ssh: Ssh, tmp_path: Path, impatient: None) -> None:
    note = tmp_path / "pid"
    running = start(cluster("a", "b"), CUSTOM, job(f"setsid sleep 60 & echo $! >{note}; wait", "b"))
    wait_until(lambda: note.exists() and note.read_text().endswith("\n"))
    rank = int(note.read_text())
    wait_until(lambda: "FAIRLEAD_JOB" in environ(rank))  # empty for a moment while it becomes sleep
    ssh.down("a")
    with pytest.raises(HostError, match=r"may not have ended everywhere: a: ssh could not reach the host"):
        running.stop(0.2)
    assert not environ(rank)


def test_hosts_that_are_reached_are_tidied_up_whatever_becomes_of_the_others(
    ssh: Ssh, impatient: None, process: Callable[..., subprocess.Popen[bytes]]
) -> None:
    left = process(FAIRLEAD_JOB=JOB)
    ssh.down("a")
    ssh.down("c")
    with pytest.raises(HostError) as raised:
        end_leftovers_of(cluster("a", "b", "c"), JOB)
    assert left.wait(LIMIT_S) == -signal.SIGTERM
    said = str(raised.value.args[0])
    assert [f"{host}: ssh could not reach the host" in said for host in "abc"] == [True, False, True]
    assert "-- a true` must work without a password" in raised.value.hint


def test_a_host_that_refuses_once_is_asked_again(ssh: Ssh, process: Callable[..., subprocess.Popen[bytes]]) -> None:
    left = process(FAIRLEAD_JOB=JOB)
    ssh.down("a")

    def mend() -> None:
        wait_until(lambda: ssh.calls())
        (ssh.directory / "down-a").unlink()

    thread = threading.Thread(target=mend)
    thread.start()
    end_leftovers_of(cluster("a"), JOB)
    thread.join()
    assert left.wait(LIMIT_S) == -signal.SIGTERM


def test_what_ignores_being_asked_is_killed_however_long_asking_took(
    ssh: Ssh, impatient: None, monkeypatch: pytest.MonkeyPatch, process: Callable[..., subprocess.Popen[bytes]]
) -> None:
    monkeypatch.setattr(processes, "LEFTOVERS_TIMEOUT_S", 0.1)
    deaf = process("trap '' TERM; while :; do sleep 0.1; done", FAIRLEAD_JOB=JOB)
    ssh.slow("a", 0.7)
    end_leftovers_of(cluster("a"), JOB)
    assert deaf.wait(LIMIT_S) == -signal.SIGKILL


def test_a_host_that_answers_late_holds_up_no_other(ssh: Ssh, process: Callable[..., subprocess.Popen[bytes]]) -> None:
    """All hosts are this machine here: who gets there first ends the process."""
    deaf = process("trap '' TERM; while :; do sleep 0.1; done", FAIRLEAD_JOB=JOB)
    ssh.slow("a", 6.0)
    ended_s: list[float] = []
    waiting = threading.Thread(target=lambda: ended_s.append((deaf.wait(), time.monotonic())[1]))
    waiting.start()
    begin_s = time.monotonic()
    JobProcesses(cluster("a", "b"), Job(id=JOB, argv=(), hosts=("a", "b"))).end_leftovers(0.2)
    waiting.join()
    assert deaf.returncode == -signal.SIGKILL
    assert ended_s[0] - begin_s < 6.0


def test_a_number_that_has_come_to_mean_another_process_is_left_alone(
    ssh: Ssh, process: Callable[..., subprocess.Popen[bytes]]
) -> None:
    left, other = process(FAIRLEAD_JOB=JOB), process(FAIRLEAD_JOB="ffffffff")
    put(ssh.directory / "grep", GREP.format(other=other.pid))
    end_leftovers_of(cluster("a"), JOB)
    assert other.poll() is None
    assert left.wait(LIMIT_S) == -signal.SIGTERM


def test_nor_is_one_signalled_that_came_to_mean_another_after_its_mark_was_looked_at(
    ssh: Ssh, process: Callable[..., subprocess.Popen[bytes]]
) -> None:
    other = process(FAIRLEAD_JOB=JOB)
    for name, script in (("grep", LOOK), ("cat", CAT)):
        put(ssh.directory / name, script.format(directory=ssh.directory))
    traces = JobProcesses(cluster("a"), Job(id=JOB, argv=(), hosts=("a",)))
    assert traces._marked("a", [f"FAIRLEAD_JOB={JOB}"], "TERM") == [other.pid]
    assert (ssh.directory / "reused").exists()
    time.sleep(0.1)
    assert other.poll() is None


def test_only_the_whole_mark_is_a_mark(ssh: Ssh, process: Callable[..., subprocess.Popen[bytes]]) -> None:
    others = [
        process(NOTE=f"FAIRLEAD_JOB={JOB}"),
        process(X_FAIRLEAD_JOB=JOB),
        process(FAIRLEAD_JOB=f"{JOB}1"),
    ]
    left = process(FAIRLEAD_JOB=JOB, NOTE="two\nlines")
    end_leftovers_of(cluster("a"), JOB)
    assert left.wait(LIMIT_S) == -signal.SIGTERM
    assert [other.poll() for other in others] == [None, None, None]


def test_a_host_whose_note_is_missing_answers_within_what_the_end_leaves_it(
    ssh: Ssh, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has not lost its ranks by that, and is not given up."""
    monkeypatch.setattr(end_limit, "LEAST_S", 6.0)  # of which the missing note has half
    running = start(cluster("a"), Mpirun(), job("exec sleep 60"))
    note = Path(os.environ["HOME"]) / ".cache" / "fairlead" / "run" / running.job.id
    wait_until(lambda: note.exists() and note.read_text().endswith("\n"))
    text = note.read_text()
    note.unlink()
    limit = EndLimit()
    limit.begin(0.0)  # the least that a late step gets
    running.limit = limit
    with caplog.at_level(logging.WARNING):
        assert not pass_on(running, signal.SIGINT)
    assert caplog.messages == [
        f"SIGINT was not delivered to job {running.job.id}, which continues: a: `sh` ended with exit code 1: "
        f"mpirun has not started, or could not write {note}"
    ]
    assert not limit.gave_up("a")
    note.write_text(text)
    running.stop(0.2)


def test_a_note_that_cannot_be_written_is_not_waited_for(ssh: Ssh, caplog: pytest.LogCaptureFixture) -> None:
    """The home is full, or read-only."""
    (Path(os.environ["HOME"]) / ".cache").write_text("a file")
    running = start(cluster("a"), Mpirun(), job("exec sleep 60"))
    began_s = time.monotonic()
    with caplog.at_level(logging.WARNING):
        assert not pass_on(running, signal.SIGINT)
    assert time.monotonic() - began_s < SIGNAL_TIMEOUT_S * NOTE_SHARE
    (said,) = caplog.messages
    assert said.endswith(f"/.cache/fairlead/run/{running.job.id}: signals do not reach mpirun")
    assert ": cannot write " in said
    running.kill_here()
    running.end_leftovers(0.2)
    running.process.wait()
