"""Starting and staying with a job: exit codes, streams, signals, time-outs. The "mpirun" is a shell here."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from fairlead import interrupts
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import processes, signals
from fairlead.cluster.jobs.launch import Course, prepare, run, start
from fairlead.cluster.jobs.running_job import RunningJob
from fairlead.cluster.jobs.signals import NotedSignals
from fairlead.cluster.jobs.startup import StartupTimeout
from fairlead.cluster.launchers.base import Launcher, get
from fairlead.cluster.launchers.path_here import with_path_here
from fairlead.cluster.remote.execute import run_on
from fairlead.errors import ConfigError, HostError, LaunchError, NoProgramError

INTERRUPTED = """
import os, signal, subprocess, time
from pathlib import Path
from fairlead import interrupts
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch
from fairlead.cluster.launchers.base import get
began = subprocess.Popen
def slow(*arguments, **options):
    process = began(*arguments, **options)
    if options.get("start_new_session") and "stdin" in options:
        while not Path("{note}").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
    return process
launch.subprocess.Popen = slow
interrupts.become_exceptions()
cluster = Cluster("c", "local", (Host("here", "127.0.0.1", interface="lo"),))
job = Job(id=os.urandom(4).hex(), argv=("sh", "-c", "echo $$ >{note}; exec sleep 60"), hosts=("here",))
try:
    launch.run(cluster, get("custom")(), job, on_signal=None)
except KeyboardInterrupt:
    print("interrupted")
"""
LOCAL = Cluster("c", "local", (Host("here", "127.0.0.1", interface="lo"),))
CUSTOM = get("custom")()


class Unmarked(Launcher):
    """Starts the job's argv without the job's mark, as an mpirun whose daemons never arrive."""

    name = "unmarked"
    family = "openmpi"

    def command(self, job: Job) -> list[str]:
        return list(job.argv)


def job(script: str) -> Job:
    return Job(id=os.urandom(4).hex(), argv=("sh", "-c", script), hosts=("here",))


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # reaped before, or while it was read
        return False
    return state != "Z"


def wait_for(path: Path) -> str:
    deadline_s = time.monotonic() + 10
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline_s, f"{path} was never written"
        time.sleep(0.01)
    return path.read_text().strip()


def test_exit_code_passes() -> None:
    assert run(LOCAL, CUSTOM, job("exit 7")) == 7
    assert run(LOCAL, CUSTOM, job("exit 0")) == 0


def test_death_by_signal_is_told_as_a_shell_does() -> None:
    assert run(LOCAL, CUSTOM, job("kill -9 $$")) == 128 + 9


def test_streams_and_environment_pass(tmp_path: Path) -> None:
    what = job("cat; echo $FAIRLEAD_JOB")
    (tmp_path / "in").write_text("from stdin\n")
    with (tmp_path / "in").open() as stdin, (tmp_path / "out").open("w") as stdout:
        assert run(LOCAL, CUSTOM, what, stdin=stdin.fileno(), stdout=stdout.fileno()) == 0
    assert (tmp_path / "out").read_text() == f"from stdin\n{what.id}\n"


def test_signals_to_us_go_to_the_job(tmp_path: Path) -> None:
    note = tmp_path / "note"
    what = job(f"trap 'echo got >{note}; exit 5' USR1; echo up >{note}.up; while :; do sleep 0.05; done")
    before = signal.getsignal(signal.SIGUSR1)

    def send() -> None:
        wait_for(Path(f"{note}.up"))
        os.kill(os.getpid(), signal.SIGUSR1)

    sender = threading.Thread(target=send)
    sender.start()
    assert run(LOCAL, CUSTOM, what) == 5
    sender.join()
    assert wait_for(note) == "got"
    assert signal.getsignal(signal.SIGUSR1) == before


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As by nohup: the terminal's end is none of the job's."""
    note = tmp_path / "note"
    trap = f"trap 'echo got >>{note}' HUP USR1; echo up >{note}.up"
    what = job(f"{trap}; while ! grep -qs done {note}; do sleep 0.05; done; exit 6")

    def send() -> None:
        wait_for(Path(f"{note}.up"))
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGUSR1)
        wait_for(note)
        with note.open("a") as file:
            file.write("done\n")

    sender = threading.Thread(target=send)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        sender.start()
        assert run(LOCAL, CUSTOM, what) == 6
        sender.join()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert note.read_text().splitlines() == ["got", "done"]


def test_a_signal_while_the_job_is_started_goes_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note"
    what = job(f"trap 'exit 5' USR1; echo up >{note}; while :; do sleep 0.05; done")

    def start_slowly(*arguments: object, **options: object) -> RunningJob:
        running = start(*arguments, **options)  # type: ignore[arg-type]
        wait_for(note)
        os.kill(os.getpid(), signal.SIGUSR1)
        return running

    monkeypatch.setattr("fairlead.cluster.jobs.launch.start", start_slowly)
    before = signal.getsignal(signal.SIGUSR1)
    assert run(LOCAL, CUSTOM, what) == 5
    assert signal.getsignal(signal.SIGUSR1) == before


@pytest.fixture
def handlers() -> Iterator[dict[signal.Signals, object]]:
    """Signals that end fairlead become exceptions, as on the command line: each one's handler."""
    before = {number: signal.signal(number, interrupts._raise_once) for number in interrupts.ENDING}
    yield dict.fromkeys(interrupts.ENDING, interrupts._raise_once)
    for number, handler in before.items():
        signal.signal(number, handler)


def raise_at(place: int, number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the signal came with that call of `signal.signal`, counted from 0."""
    usual, calls = signal.signal, itertools.count()

    def handle(changed: signal.Signals, handler: Any) -> Any:
        if next(calls) == place:
            signal.raise_signal(number)
        return usual(changed, handler)

    monkeypatch.setattr(signal, "signal", handle)


def test_a_signal_while_signals_become_the_jobs_is_its_own(
    handlers: dict[signal.Signals, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[signal.Signals] = []
    running = cast(RunningJob, None)
    raise_at(2, signal.SIGTERM, monkeypatch)
    with signals.forwarding(lambda _, number: got.append(number)) as forward_to:
        forward_to(running)
        signal.raise_signal(signal.SIGHUP)
    assert got == [signal.SIGTERM, signal.SIGHUP]
    assert {number: signal.getsignal(number) for number in handlers} == handlers


def test_a_signal_while_they_cease_to_be_leaves_none_to_a_job_that_has_ended(
    handlers: dict[signal.Signals, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = len(signals.FORWARDED)
    raise_at(wanted + 2, signal.SIGINT, monkeypatch)  # its own handler is back
    with pytest.raises(interrupts.Interrupted), signals.forwarding(lambda *_: None):
        pass
    handlers = dict.fromkeys(handlers, interrupts._say_patience)  # there is one exception
    assert {number: signal.getsignal(number) for number in handlers} == handlers


def test_a_signal_to_a_job_that_is_not_started_takes_its_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> RunningJob:
        os.kill(os.getpid(), signal.SIGINT)
        raise LaunchError("it could not be started")

    monkeypatch.setattr("fairlead.cluster.jobs.launch.start", fail)
    with pytest.raises(KeyboardInterrupt):
        run(LOCAL, CUSTOM, job("exit 0"))


def test_a_signal_that_comes_too_late_is_not_what_ended_the_job() -> None:
    noted = NotedSignals()
    late = partial(os.kill, os.getpid(), signal.SIGTERM)
    assert run(LOCAL, CUSTOM, job("exit 3"), on_signal=noted, course=Course(ended=late)) == 3
    assert (noted.ended_by(), noted.exit_code(3, Unmarked())) == (None, 3)


def test_a_job_that_lasts_too_long_is_ended_with_all_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    what = job(f"setsid sleep 60 & echo $! >{note}; wait")
    with pytest.raises(LaunchError, match=r"not done within 0\.3 s"):
        run(LOCAL, CUSTOM, what, timeout_s=0.3)
    assert not alive(int(wait_for(note)))


def test_ranks_that_outlive_their_mpirun_are_ended(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    what = job(f"setsid sleep 60 & echo $! >{note}; kill -9 $$")
    assert run(LOCAL, CUSTOM, what) == 137
    assert not alive(int(wait_for(note)))


def test_a_time_out_is_kept_when_the_launching_host_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(self: RunningJob, number: signal.Signals) -> None:
        raise HostError("h0 is not reached")

    monkeypatch.setattr(RunningJob, "signal", unreachable)
    begin_s = time.monotonic()
    with pytest.raises(LaunchError, match=r"not done within 0\.3 s"):
        run(LOCAL, CUSTOM, job("exec sleep 60"), timeout_s=0.3)
    assert time.monotonic() - begin_s < 30


def test_what_may_run_on_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(self: RunningJob, **limits: float | None) -> None:
        raise HostError("h0 is not reached")

    left: list[bool] = []
    course = Course(left_behind=lambda: left.append(True))
    assert run(LOCAL, CUSTOM, job("exit 3"), course=course) == 3
    assert left == []
    monkeypatch.setattr(RunningJob, "end_leftovers", unreachable)
    assert run(LOCAL, CUSTOM, job("exit 3"), course=course) == 3
    assert left == [True]


def test_an_interrupt_while_a_job_is_started_leaves_nothing(tmp_path: Path) -> None:
    """In a process of its own, since the first signal ends it. The job's start takes longer than the signal."""
    note = tmp_path / "pid"
    script = INTERRUPTED.format(note=note)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30)
    assert ended.stdout == "interrupted\n", ended.stderr
    assert not alive(int(wait_for(note)))


def test_processes_that_cannot_be_killed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STOP_GRACE_S", 0.2)
    monkeypatch.setattr(processes, "LEFTOVERS_TIMEOUT_S", 0.3)
    running = start(LOCAL, CUSTOM, job("exit 0"))
    running.wait()
    monkeypatch.setattr(RunningJob, "_signal_left", lambda self, host, marks, name: [2**22 + 1])
    with pytest.raises(HostError, match=r"may not have ended everywhere: here: processes 4194305 do not end"):
        running.end_leftovers()


def test_a_host_for_which_no_process_could_be_started_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where the user has as many processes as the limit allows."""
    monkeypatch.setattr(processes, "POLL_S", 0.0)
    running = start(LOCAL, CUSTOM, job("exit 0"))
    running.wait()
    refused = [OSError(11, "Resource temporarily unavailable")] * 2
    signals: list[str] = []

    def marked(self: RunningJob, host: str, marks: list[str], signal: str = "") -> list[int]:
        if host == "here" and refused:
            raise refused.pop()
        signals.append(signal)
        return []

    monkeypatch.setattr(RunningJob, "_marked", marked)
    running.end_leftovers()
    assert signals == ["TERM", "TERM"]  # here, and on this machine, where the launch line ran
    refused += [OSError(11, "Resource temporarily unavailable")] * 2
    with pytest.raises(HostError, match="everywhere: here: could not be asked: the limit of processes"):
        running.end_leftovers(0.0)


def test_within_a_limit_no_host_waits_behind_those_that_do_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def marked(self: RunningJob, host: str, marks: list[str], signal: str = "") -> list[int]:
        asked.append(host)
        if host == "h49":
            return []
        if host == "h48":
            return [2**22 + 1]  # its process does not end
        run_on(self._executor, "h0", ["sleep", "60"])
        return []

    hosts = tuple(Host(f"h{k}", f"127.0.0.{k + 1}", interface="lo") for k in range(50))
    what = Job(id="0a0b0c0d", argv=("true",), hosts=tuple(host.name for host in hosts))
    running = start(Cluster("c", "local", hosts), CUSTOM, what)
    running.wait()
    monkeypatch.setattr(RunningJob, "_marked", marked)
    begin_s = time.monotonic()
    with pytest.raises(HostError) as raised:
        running.end_leftovers(0.2, 5.0)
    assert time.monotonic() - begin_s < 30
    assert "h49" in asked
    assert "h0: does not answer, and is not waited for any more" in str(raised.value)
    assert "h48: processes 4194305 do not end" in str(raised.value)
    assert "h49" not in str(raised.value)


def test_others_processes_are_left_alone() -> None:
    other = subprocess.Popen(["sleep", "60"], env={"FAIRLEAD_JOB": "ffffffff"})
    try:
        assert run(LOCAL, CUSTOM, job("exit 1")) == 1
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_no_rank_within_the_start_up_time() -> None:
    with pytest.raises(StartupTimeout, match=r"no rank was seen on here within 0\.3 s"):
        run(LOCAL, Unmarked(), job("exec sleep 60"), startup_timeout_s=0.3)


def test_a_jobs_start_and_end_are_told_before_anything_is_tidied_up(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr("fairlead.cluster.jobs.launch._tidy", lambda *_: order.append("tidied up"))
    course = Course(lambda: order.append("started"), lambda: order.append("ended"))
    assert run(LOCAL, CUSTOM, job("exit 4"), course=course) == 4
    assert order == ["started", "ended", "tidied up"]


def test_a_started_job_can_be_watched() -> None:
    running = start(LOCAL, CUSTOM, job("sleep 60 & wait"))
    deadline_s = time.monotonic() + 10
    while len(running.ranks()["here"]) < 2:
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
    assert running.poll() is None
    running.signal(signal.SIGTERM)
    assert running.wait() == 128 + 15
    running.stop()
    assert running.ranks() == {"here": []}


def test_missing_program_is_told_and_no_start() -> None:
    started: list[bool] = []
    course = Course(lambda: started.append(True))
    with pytest.raises(NoProgramError, match="no-such-mpirun is not on this machine"):
        run(LOCAL, CUSTOM, Job(id="00000000", argv=("no-such-mpirun",), hosts=("here",)), course=course)
    assert started == []


def test_what_a_launcher_refuses_is_refused_when_the_job_is_made() -> None:
    hosts = tuple(Host(name, address, interface="eth0") for name, address in (("a", "fd00::1"), ("b", "fd00::2")))
    with pytest.raises(ConfigError, match="by IPv4 addresses only"):
        prepare(Cluster("c", "local", hosts), ["./x"], 2, job_id="00000000", launcher="mpich4")


@pytest.mark.parametrize(("before", "within"), [(None, "unset"), ("plane=relay", "off")])
def test_an_srun_within_a_job_does_not_manage_it_a_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None, within: str
) -> None:
    option = "SLURM_SPANK__SLURM_SPANK_OPTION_fairlead_fairlead"
    if before is None:
        monkeypatch.delenv(option, raising=False)
    else:
        monkeypatch.setenv(option, before)
    with (tmp_path / "out").open("w") as stdout:
        assert run(LOCAL, CUSTOM, job(f"echo ${{{option}-unset}}"), stdout=stdout.fileno()) == 0
    assert (tmp_path / "out").read_text() == f"{within}\n"


@pytest.mark.parametrize("heterogeneous", [False, True])
def test_mpirun_is_called_by_its_path_here_as_the_doctor_looks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heterogeneous: bool
) -> None:
    program = tmp_path / "mpirun.site"
    program.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 5.0.11'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("SLURM_HET_SIZE", raising=False)
    if heterogeneous:
        monkeypatch.setenv("SLURM_HET_SIZE", "2")
    here, there = Host("a", "127.0.0.1", interface="lo"), Host("b", "127.0.0.2", interface="lo")
    cluster = Cluster("c", "ssh", (here, there), mpirun=program.name)
    launcher, job = prepare(cluster, ["./x"], 2, job_id="00000000", cwd="/")
    assert (launcher.name, launcher.mpirun) == ("openmpi5", str(program))
    assert launcher.command(job)[0] == str(program)
    assert with_path_here(cluster).mpirun == str(program)  # what the doctor calls


def test_mpirun_has_the_environment_for_its_daemons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    monkeypatch.setenv("SLURM_EXPORT_ENV", "NONE")
    what = job("echo $SLURM_EXPORT_ENV")
    with (tmp_path / "out").open("w") as stdout:
        assert run(LOCAL, Unmarked(), what, stdout=stdout.fileno(), startup_timeout_s=None) == 0
        assert run(LOCAL, CUSTOM, what, stdout=stdout.fileno()) == 0
    assert (tmp_path / "out").read_text() == "ALL\nNONE\n"


def test_in_a_heterogeneous_slurm_job_hosts_are_reached_by_the_agent_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(cluster: Cluster) -> bool:
        _, job = prepare(cluster, ["./x"], 2, job_id="00000000", launcher="openmpi4", cwd="/")
        return job.by_agent_alone

    here, there = Host("a", "127.0.0.1", interface="lo"), Host("b", "127.0.0.2", interface="lo")
    by_ssh = Cluster("c", "ssh", (here, there))
    monkeypatch.delenv("SLURM_HET_SIZE", raising=False)
    assert not alone(by_ssh)
    monkeypatch.setenv("SLURM_HET_SIZE", "2")
    assert alone(by_ssh)
    assert not alone(Cluster("c", "ssh", (here, there), launch_from="a"))  # there mpirun sees nothing of the job
    assert not alone(LOCAL)


def test_a_launch_line_that_cannot_be_sent_to_its_host_is_refused_before_anything_begins() -> None:
    hosts = (Host("a", "127.0.0.1", interface="lo"), Host("b", "127.0.0.2", interface="lo"))
    cluster = Cluster("c", "ssh", hosts, launch_from="a")
    with pytest.raises(ConfigError, match="goes there as one word, of which Linux takes at most"):
        prepare(cluster, ["./x"], 80_000, job_id="00000000", launcher="openmpi4", cwd="/")
    prepare(replace(cluster, launch_from=None), ["./x"], 80_000, job_id="00000000", launcher="openmpi4", cwd="/")
