"""Jobs that were told to end and do not. The "mpirun" is a shell here."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import ending, processes, startup
from fairlead.cluster.jobs.ending import Ending
from fairlead.cluster.jobs.launch import run, start
from fairlead.cluster.jobs.processes import JobProcesses, now_s
from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.cluster.jobs.signals import NotedSignals
from fairlead.cluster.jobs.startup import StartupTimeout
from fairlead.cluster.launchers.base import Launcher, get
from fairlead.errors import HostError
from fairlead.runtime import start_ticks

from ... import thread_limit

LOCAL = Cluster("c", "local", (Host("here", "127.0.0.1", interface="lo"),))
CUSTOM = get("custom")()
DEAF = "trap '' HUP INT TERM; echo up >{note}; while :; do sleep 0.05; done"  # as an mpirun whose daemons do not answer


class Known(Launcher):
    """Starts the job's argv as if it were an mpirun."""

    name = "known"
    family = "openmpi"

    def command(self, job: Job) -> list[str]:
        return list(job.argv)


def job(script: str) -> Job:
    return Job(id=os.urandom(4).hex(), argv=("sh", "-c", script), hosts=("here",))


@contextmanager
def signalled(
    note: Path, *numbers: signal.Signals, apart_s: float = 1.2, then: Callable[[], object] = lambda: None
) -> Iterator[None]:
    """Signals to this process, ``apart_s`` apart, once the note is there; ``then`` before the second one."""
    over = threading.Event()

    def send() -> None:
        while not (note.exists() and note.read_text().endswith("\n")):
            if over.wait(0.01):
                return
        for place, number in enumerate(numbers):
            if place:
                if over.wait(apart_s):
                    return
                then()
            os.kill(os.getpid(), number)

    # One that comes late, when the job has ended and with it who takes signals, must not end the tests.
    before = {number: signal.signal(number, lambda *_: None) for number in set(numbers)}
    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        yield
    finally:
        over.set()
        sender.join()
        for number, handler in before.items():
            signal.signal(number, handler)


def test_the_steps_take_less_than_five_seconds_together() -> None:
    assert ending.GRACE_S + ending.RELEASE_S + ending.INSIST_S + ending.LAST_S < 5.0


def test_a_job_that_does_not_end_is_let_go_of_and_ended(tmp_path: Path) -> None:
    note, said, released = tmp_path / "note", [], []
    announced: list[str] = []
    insisting = Ending(grace_s=0.3, tell=said.append, announce=announced.append)
    insisting.release_by(lambda: released.append(time.monotonic()))
    signals = NotedSignals(insisting)
    with signalled(note, signal.SIGTERM):
        code = run(LOCAL, Known(), job(DEAF.format(note=note)), on_signal=signals)
    ended_s = time.monotonic()
    assert code == 128 + signal.SIGKILL
    assert signals.ended_by() == signal.SIGTERM
    assert signals.exit_code(code, Known()) == 143
    assert ended_s - released[0] > 0.5  # TERM by the mark came between
    assert len(said) == 1
    assert re.fullmatch(r"the program is still running \d\.\d s after SIGTERM: killing it", said[0])
    assert announced == [
        "SIGTERM: the program has 0.3 s to end (--grace), a second signal ends it. MPI errors reported from "
        "here on are a consequence"
    ]


def test_a_job_that_ends_by_itself_is_not_let_go_of(tmp_path: Path) -> None:
    note, said = tmp_path / "note", []
    insisting = Ending(grace_s=30, tell=said.append)
    insisting.release_by(lambda: said.append("released"))
    signals = NotedSignals(insisting)
    what = job(f"trap 'sleep 0.3; exit 4' TERM; echo up >{note}; while :; do sleep 0.05; done")
    with signalled(note, signal.SIGTERM):
        assert run(LOCAL, Known(), what, on_signal=signals) == 4
    assert said == []
    assert signals.exit_code(4, Known()) == 143


def test_a_second_signal_ends_the_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "IMPATIENT_S", 0.2)
    note = tmp_path / "note"
    signals = NotedSignals(Ending(grace_s=60, tell=lambda text: None))
    with signalled(note, signal.SIGINT, signal.SIGINT):
        assert run(LOCAL, Known(), job(DEAF.format(note=note)), on_signal=signals) == 137
    assert signals.ended_by() == signal.SIGINT


@pytest.mark.parametrize("launcher", [Known(), CUSTOM], ids=["mpirun", "launch-line"])
def test_signals_that_come_close_together_are_one_wish(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As systemd sends HUP right after TERM, or somebody's wrapper the same signal twice."""
    monkeypatch.setattr(ending, "IMPATIENT_S", 20.0)  # the second one may be handled late
    note, said = tmp_path / "note", []
    insisting = Ending(grace_s=30, tell=said.append)
    signals = NotedSignals(insisting)
    what = job(f"trap '' HUP; trap 'sleep 0.5; exit 4' TERM; echo up >{note}; while :; do sleep 0.05; done")
    with signalled(note, signal.SIGTERM, signal.SIGHUP, apart_s=0.2):
        assert run(LOCAL, launcher, what, on_signal=signals) == 4
    assert said == []
    assert insisting.insisted_on is None


def test_a_program_that_ends_while_a_signal_is_delivered_does_not_go_on(tmp_path: Path) -> None:
    """The thread that waits for it is the one that delivers, and learns of the end only afterwards."""
    note, said = tmp_path / "note", []
    insisting = Ending(grace_s=3.0, tell=said.append)

    def slowly(running: RunningJob, number: signal.Signals) -> None:
        insisting.begin(running, number)
        running.signal(number)
        time.sleep(3.5)  # as over ssh

    what = job(f"trap 'exit 4' TERM; echo up >{note}; while :; do sleep 0.05; done")
    with signalled(note, signal.SIGTERM):
        assert run(LOCAL, Known(), what, on_signal=slowly) == 4
    assert said == []


def test_a_launch_line_of_ones_own_is_ended_at_the_second_signal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "IMPATIENT_S", 0.2)  # of the 1.2 s between the two: the first may be handled late
    note, released, before = tmp_path / "note", threading.Event(), []
    insisting = Ending(grace_s=0.1, tell=lambda text: None)
    insisting.release_by(released.set)
    signals = NotedSignals(insisting)

    def look() -> None:
        before.extend([released.wait(5), insisting.insisted_on])

    with signalled(note, signal.SIGTERM, signal.SIGINT, then=look):
        assert run(LOCAL, CUSTOM, job(DEAF.format(note=note)), on_signal=signals) == 137
    assert before == [True, None]
    assert insisting.insisted_on == signal.SIGTERM


def test_a_reader_of_ones_words_that_stands_still_keeps_nothing(tmp_path: Path) -> None:
    """As a pager that is not looked at: what is written to it waits for ever."""
    note, read = tmp_path / "note", threading.Event()
    signals = NotedSignals(
        Ending(0.3, tell=lambda text: bool(read.wait(60)), announce=lambda text: bool(read.wait(60)))
    )
    begin_s = time.monotonic()
    with signalled(note, signal.SIGTERM):
        assert run(LOCAL, Known(), job(DEAF.format(note=note)), on_signal=signals) == 137
    read.set()
    assert time.monotonic() - begin_s < 10
    assert signals.ended_by() == signal.SIGTERM


def test_a_release_that_hangs_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "RELEASE_S", 0.2)
    note, hang = tmp_path / "note", threading.Event()
    insisting = Ending(grace_s=0.1, tell=lambda text: None)
    insisting.release_by(lambda: bool(hang.wait(60)))
    with signalled(note, signal.SIGTERM):
        assert run(LOCAL, Known(), job(DEAF.format(note=note)), on_signal=NotedSignals(insisting)) == 137
    hang.set()


def test_what_mpirun_leaves_when_it_is_killed_is_ended_by_the_mark(tmp_path: Path) -> None:
    """A rank of which mpirun knows nothing any more, and which takes no notice of TERM."""
    note = tmp_path / "note"
    deaf = DEAF.format(note=note).replace("echo up", "echo $$").replace("'", '"')
    what = job(f"FAIRLEAD_JOB=$FAIRLEAD_LAUNCH setsid sh -c '{deaf}' & trap '' TERM; while :; do sleep 0.05; done")
    with signalled(note, signal.SIGTERM):
        assert run(LOCAL, Known(), what, on_signal=NotedSignals(Ending(0.1, lambda text: None))) == 137
    with pytest.raises(ProcessLookupError):
        start_ticks(int(note.read_text()))


@pytest.mark.parametrize(
    ("job_after_s", "ended"), [(None, True), (0.0, True), (60.0, False)], ids=["unknown", "of-the-job", "older"]
)
def test_daemons_beside_ranks_are_ended_with_them(tmp_path: Path, job_after_s: float | None, ended: bool) -> None:
    """Open MPI's do not carry the mark. They are known by their name, as the parents of ranks, by number and start.

    One that is older than the job is somebody else's.
    """
    daemon, note = tmp_path / "orted", tmp_path / "note"
    daemon.write_bytes(Path("/bin/sh").resolve().read_bytes())
    daemon.chmod(0o755)
    what = job("exit 0")
    rank = f"FAIRLEAD_JOB={what.id} sh -c 'echo $$ >{note}; exec sleep 60' & trap '' TERM; while :; do sleep 0.05; done"
    running = start(LOCAL, CUSTOM, Job(id=os.urandom(4).hex(), argv=(str(daemon), "-c", rank), hosts=("here",)))
    try:
        while not (note.exists() and note.read_text().endswith("\n")):
            time.sleep(0.01)
        traces = JobProcesses(LOCAL, what, None if job_after_s is None else now_s() + job_after_s)
        assert traces.ranks() == {"here": [int(note.read_text())]}
        os.kill(int(note.read_text()), signal.SIGKILL)  # the daemon is alone now, and was seen before
        traces.end_leftovers(0.3)
        if ended:
            assert running.process.wait(5) == -signal.SIGKILL
        else:
            assert running.poll() is None
    finally:
        running.stop()


def test_a_daemons_number_that_means_another_process_is_left_alone() -> None:
    other = start(LOCAL, CUSTOM, job("exec sleep 60"))
    try:
        traces = JobProcesses(LOCAL, job("exit 0"))
        traces._daemons["here"] = [f"{other.process.pid}:1"]  # as of one that has ended
        traces.end_leftovers(0)
        assert other.poll() is None
    finally:
        other.stop()


def test_a_machine_whose_processes_cannot_be_read_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read of /proc/PID/environ may take for ever, where that process waits for a file system that is gone."""
    note = tmp_path / "note"
    monkeypatch.setattr(processes, "_MARKED", f"sleep 60 & echo $! >{note}; wait")
    monkeypatch.setattr(processes, "ANSWER_S", 0.5)
    with pytest.raises(HostError, match=r"this machine: its processes were not looked at within 0\.5 s"):
        JobProcesses(LOCAL, Job(id=os.urandom(4).hex(), argv=(), hosts=())).end_leftovers(0.0)
    assert_ends(int(note.read_text()))


def test_a_look_at_this_machine_that_fails_is_told_as_one_at_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MARKED", "echo no memory >&2; exit 3")
    with pytest.raises(HostError, match=r"this machine: `sh` ended with exit code 3: no memory"):
        JobProcesses(LOCAL, Job(id=os.urandom(4).hex(), argv=(), hosts=())).end_leftovers(0.0)


def assert_ends(pid: int) -> None:
    for _ in range(100):
        try:
            start_ticks(pid)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} is still there")


def test_without_a_thread_for_it_a_job_gets_its_signal_and_the_next_one_ends_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    running = SimpleNamespace(launcher_known=True, ended=lambda: True)
    said: list[str] = []
    end = Ending(announce=said.append)
    with monkeypatch.context() as patch:
        thread_limit.allow(0, patch)
        end.begin(running, signal.SIGTERM)  # type: ignore[arg-type]
    assert "not ended by force if it goes on after SIGTERM" in caplog.text and "ulimit -u" in caplog.text
    end.begin(running, signal.SIGTERM)  # type: ignore[arg-type]
    assert said == [
        "SIGTERM: the program has 2 s to end (--grace), a second signal ends it. MPI errors reported from "
        "here on are a consequence"
    ]


def test_without_threads_for_its_steps_the_end_comes_nevertheless(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = threading.Event()
    running = SimpleNamespace(launcher_known=True, ended=killed.is_set, kill_here=killed.set)
    monkeypatch.setattr(ending, "INSIST_S", 0.05)
    monkeypatch.setattr(ending, "LAST_S", 0.0)
    end = Ending(grace_s=0.05)
    end.release_by(lambda: pytest.fail("no thread was left for it"))
    thread_limit.allow(1, monkeypatch)
    end.begin(running, signal.SIGTERM)  # type: ignore[arg-type]
    assert killed.wait(5.0)


def asked(monkeypatch: pytest.MonkeyPatch, answer: list[int] | HostError) -> None:
    def ranks_of(self: RunningJob, host: str) -> list[int]:
        if isinstance(answer, HostError):
            raise answer
        return answer

    monkeypatch.setattr(RunningJob, "ranks_of", ranks_of)
    monkeypatch.setattr(startup, "POLL_S", 0.05)


def test_a_host_that_cannot_be_asked_is_not_one_without_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, HostError("here: ssh could not reach the host"))
    assert run(LOCAL, Known(), job("sleep 1; exit 6"), startup_timeout_s=0.2) == 6
    asked(monkeypatch, [])
    with pytest.raises(StartupTimeout, match=r"no rank was seen on here within 0\.2 s"):
        run(LOCAL, Known(), job("sleep 60"), startup_timeout_s=0.2)


def test_the_limit_holds_for_a_host_that_could_not_be_asked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([HostError("here: ssh could not reach the host")] * 8)

    def ranks_of(self: RunningJob, host: str) -> list[int]:
        for error in looks:
            raise error
        return []

    asked(monkeypatch, [])
    monkeypatch.setattr(RunningJob, "ranks_of", ranks_of)
    with pytest.raises(StartupTimeout, match=r"no rank was seen on here within 0\.1 s"):
        run(LOCAL, Known(), job("sleep 60"), startup_timeout_s=0.1)


def test_without_a_limit_a_host_without_ranks_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, [])
    monkeypatch.setattr(startup, "TIMEOUT_S", 0.2)
    said: list[str] = []
    assert run(LOCAL, Known(), job("sleep 3; exit 6"), startup_timeout_s=None, on_late=said.append) == 6
    assert said == ["no rank was seen on here within 0.2 s; the program is left alone"]
