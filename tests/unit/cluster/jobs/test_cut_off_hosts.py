"""Jobs that are told to end while a host is cut off: nothing fails there, and nothing answers. "mpirun" is a shell."""

import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import base
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import preload, processes
from fairlead.cluster.jobs.ending import Ending
from fairlead.cluster.jobs.launch import Course, run
from fairlead.cluster.jobs.signals import NotedSignals

from .test_ending import DEAF, Known

HOSTS = ("a", "b", "c")
CLUSTER = Cluster("c", "cut-off", tuple(Host(name, f"127.0.0.{k + 1}") for k, name in enumerate(HOSTS)))
LONG_S = 60  # what a host that is cut off keeps a command waiting


class CutOff(Executor):
    """Hosts that are this machine, each with directories of its own, and that may be cut off."""

    name = "cut-off"
    passes_signals = True
    directory: ClassVar[Path] = Path()
    asked: ClassVar[list[str]] = []

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        self.asked.append(host)
        cut = self.directory / f"cut-{host}"
        if cut.exists():
            return ["sleep", str(LONG_S)]
        if "rm -rf" in argv[2]:  # one that begins now and ends when the host may be cut off
            return ["sh", "-c", f"{argv[2]}; [ ! -e {cut} ] || exec sleep {LONG_S}", f"{argv[3]}-{host}"]
        return list(argv)

    def rsh_agent(self) -> Path | None:
        return None


@pytest.fixture(autouse=True)
def hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(base.EXECUTORS._things, "cut-off", CutOff)
    monkeypatch.setattr(CutOff, "directory", tmp_path)
    monkeypatch.setattr(CutOff, "asked", [])


@pytest.fixture
def note(tmp_path: Path) -> Iterator[Path]:
    """The program writes it once b is cut off; SIGTERM comes then."""
    note, over = tmp_path / "note", threading.Event()

    def send() -> None:
        while not (note.exists() and note.read_text().endswith("\n")):
            if over.wait(0.01):
                return
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, lambda *_: None)
    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    yield note
    over.set()
    sender.join()
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("ends", [False, True], ids=["stuck", "by-itself"])
def test_what_comes_after_it_does_not_wait_for_that_host_again(
    note: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, ends: bool
) -> None:
    """Its ranks, and directories of two kinds. Each would be waited for for 3 s, 5 s and 5 s."""
    ending = Ending(60.0 if ends else 0.3, tell=lambda text: None, announce=lambda text: None)
    program = f"trap 'exit 4' TERM; echo up >{note}; while :; do sleep 0.05; done" if ends else DEAF.format(note=note)
    job = Job(id=os.urandom(4).hex(), argv=("sh", "-c", f"touch {tmp_path}/cut-b; {program}"), hosts=HOSTS)
    left: list[str] = []
    course = Course(left_behind=lambda: left.append("something"))
    with (
        preload.directory(CLUSTER, HOSTS, "one", job.id, ending.limit) as one,
        preload.directory(CLUSTER, HOSTS, "two", job.id, ending.limit) as two,
    ):
        code = run(CLUSTER, Known(), job, startup_timeout_s=None, on_signal=NotedSignals(ending), course=course)
    taken_s = time.time() - note.stat().st_mtime
    for path in (one, two):
        shutil.rmtree(f"{path}-b", ignore_errors=True)  # it may have been killed before it was removed
    assert code == (4 if ends else 128 + signal.SIGKILL)
    goes = "goes once the job's processes and the connection have ended"
    assert ending.limit.words() == [
        f"b: does not answer, and is not waited for any more: {processes.remains(job.id)}; {two} {goes}; {one} {goes}"
    ]
    assert caplog.messages == []
    assert left == ["something"]
    assert CutOff.asked.count("b") == 3  # for its directories, and for its ranks
    assert not Path(f"{one}-a").exists() and not Path(f"{two}-c").exists()
    assert taken_s < 9.0


def test_what_ends_processes_that_could_not_be_ended_is_told(tmp_path: Path) -> None:
    """The command does it."""
    identity = os.urandom(4).hex()
    told = re.search(r"this ends there: (kill .*)$", processes.remains(identity))
    assert told is not None
    ranks = [
        os.spawnvpe(os.P_NOWAIT, "sleep", ["sleep", str(LONG_S)], {**os.environ, mark: value})
        for mark, value in (("FAIRLEAD_JOB", identity), ("FAIRLEAD_LAUNCH", identity), ("FAIRLEAD_JOB", f"{identity}0"))
    ]
    try:
        while any(b"sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in ranks):
            time.sleep(0.01)
        assert os.system(told[1]) == 0
        assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in ranks[:2]] == [-signal.SIGKILL] * 2
        assert os.waitpid(ranks[2], os.WNOHANG) == (0, 0)
    finally:
        os.kill(ranks[2], signal.SIGKILL)
        os.waitpid(ranks[2], 0)
