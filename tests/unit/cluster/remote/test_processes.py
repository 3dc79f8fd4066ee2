"""What is on a remote ends with who holds it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fairlead import interrupts
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.executors import Executor, executor_of
from fairlead.cluster.executors.local import LocalExecutor
from fairlead.cluster.remote import processes
from fairlead.cluster.remote.processes import RemoteProcesses

CLUSTER = """
[cluster]
name = "here"
executor = "local"
interface = "lo"
[[hosts]]
name = "here"
address = "127.0.0.1"
"""
HOLDER = """
import sys, time
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.processes import RemoteProcesses
executor = executor_of(load_cluster(sys.argv[1]))
process = RemoteProcesses().start(executor, "here", ["sh", "-c", "echo $$; exec sleep 1000"])
print(process.stdout.readline(), flush=True)
time.sleep(1000)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "here.toml"
    path.write_text(CLUSTER)
    return path


@pytest.fixture
def here(file: Path) -> Executor:
    return executor_of(load_cluster(file))


def test_what_runs_is_ended_when_it_is_let_go(here: Executor) -> None:
    with RemoteProcesses() as remote:
        process = remote.start(
            here, "here", ["sh", "-c", "trap 'exit 3' TERM; echo begun; while :; do sleep 0.05; done"]
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert process.poll() is None
    assert process.returncode == 3


def test_what_does_not_end_is_killed(here: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "END_S", 0.2)
    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print('begun', flush=True); time.sleep(1000)"
    with RemoteProcesses() as remote:
        process = remote.start(here, "here", [sys.executable, "-c", deaf])
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
    assert process.returncode == 128 + 9


def test_ctrl_c_while_it_is_let_go_closes_no_file_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    close, closed = os.close, []

    def interrupted(fd: int) -> None:
        close(fd)
        closed.append(fd)
        signal.raise_signal(signal.SIGINT)

    before = {number: signal.signal(number, interrupts._raise_once) for number in interrupts.ENDING}
    try:
        remote = RemoteProcesses()
        with monkeypatch.context() as patch:
            patch.setattr(os, "close", interrupted)
            with pytest.raises(KeyboardInterrupt):
                remote.let_go()
            remote.let_go()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert len(closed) == len(set(closed)) == 2


class CutOff(LocalExecutor):
    """The way to its hosts is cut: nothing comes back."""

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return ["sleep", "60"]


def test_hosts_that_are_not_reached_any_more_are_waited_for_together(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "END_S", 1.0)
    monkeypatch.setattr(processes, "REPORT_S", 1.0)
    cut_off = CutOff(load_cluster(file))
    begin_s = time.monotonic()
    with RemoteProcesses() as remote:
        started = [remote.start(cut_off, "here", ["true"]) for _ in range(8)]
    assert time.monotonic() - begin_s < 10  # one after the other would take 16 s
    assert {process.returncode for process in started} == {-signal.SIGKILL}


@pytest.mark.parametrize("code", [0, 7])
def test_what_ends_by_itself_has_its_own_exit_code_and_leaves_nothing_open(here: Executor, code: int) -> None:
    with RemoteProcesses() as remote:
        process = remote.start(here, "here", ["sh", "-c", f"cat; echo said; exit {code}"])
        assert process.communicate(timeout=10) == ("said\n", "")
        assert process.returncode == code


def test_it_ends_also_when_its_starter_is_killed(file: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(file)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    pid = int(holder.stdout.readline())
    assert Path(f"/proc/{pid}").exists()
    holder.kill()
    holder.wait()
    deadline_s = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()
    holder.stdout.close()
