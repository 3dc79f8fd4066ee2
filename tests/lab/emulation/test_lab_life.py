"""A lab's life: hosts of their own, what runs in them, and the end by any means."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_fixtures import MESH, PRIVILEGES, STAR, describe, private_runtime, processes, run, running

from fairlead import lab as labs
from fairlead.errors import LabError
from fairlead.lab import state
from fairlead.runtime import start_ticks

__all__ = ["private_runtime"]
BOTH = pytest.mark.parametrize("user_namespace", PRIVILEGES)


def wait_until(is_so: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


def lives_in(pid_namespace: int) -> list[int]:
    """Living processes of the machine that are in a PID namespace (a dead one may wait for its parent to notice)."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "ns" / "pid").stat().st_ino == pid_namespace:
                start_ticks(int(entry.name))
                found.append(int(entry.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


@BOTH
def test_hosts_have_names_memory_and_temporary_files_of_their_own(user_namespace: bool, tmp_path: Path) -> None:
    (tmp_path / "seen").write_text("yes")
    with running(STAR, user_namespace=user_namespace, share=[tmp_path]) as lab:
        assert [run(lab, h, "hostname").strip() for h in ("h0", "h1")] == ["h0", "h1"]
        for directory in ("/tmp", "/dev/shm"):
            run(lab, "h0", "touch", f"{directory}/only-here")
            assert "only-here" not in run(lab, "h1", "ls", directory)
            assert not Path(directory, "only-here").exists()
        assert run(lab, "h0", "ls", "/sys/class/net").split() == ["eth0", "lo"]
        assert run(lab, "h0", "getent", "hosts", "h2").split() == ["10.64.0.3", "h2"]
        run(lab, "h1", "sh", "-c", f"cat {tmp_path}/seen > {tmp_path}/answer")
    assert (tmp_path / "answer").read_text() == "yes"


@BOTH
def test_streams_exit_status_and_signals_pass_unchanged(user_namespace: bool) -> None:
    with running(STAR, user_namespace=user_namespace) as lab:
        for line in ([str(lab.directory / "enter"), "h0"], lab.enter_command("h0", [])):
            echo = subprocess.run(
                [*line, "sh", "-c", "cat; echo problem >&2; exit 7"],
                input=b"\0\xffin",
                capture_output=True,
                check=False,
            )
            assert (echo.returncode, echo.stdout, echo.stderr) == (7, b"\0\xffin", b"problem\n")
            killed = subprocess.run([*line, "sh", "-c", "kill -SEGV $$"], check=False)
            assert killed.returncode == -signal.SIGSEGV
            missing = subprocess.run([*line, "no-such-program"], capture_output=True, check=False)
            assert missing.returncode == 127
        sleeper = subprocess.Popen(
            lab.enter_command("h1", ["sh", "-c", "trap 'exit 42' USR1; echo ready; while :; do sleep 0.01; done"]),
            stdout=subprocess.PIPE,
        )
        assert sleeper.stdout is not None
        assert sleeper.stdout.readline() == b"ready\n"
        sleeper.send_signal(signal.SIGUSR1)
        assert sleeper.wait(5) == 42
        sleeper.stdout.close()


@BOTH
def test_killing_what_entered_kills_what_it_runs(user_namespace: bool) -> None:
    with running(STAR, user_namespace=user_namespace) as lab:
        sleeper = subprocess.Popen(lab.enter_command("h0", ["sleep", "1000"]))
        wait_until(lambda: any("sleep 1000" in line for line in processes(lab)))
        sleeper.kill()
        sleeper.wait()
        wait_until(lambda: not any("sleep 1000" in line for line in processes(lab)))


@BOTH
def test_the_end_of_input_ends_the_command_also_where_it_is_an_error(user_namespace: bool) -> None:
    with running(STAR, user_namespace=user_namespace) as lab:
        _, *rest = lab.enter_command("h0", ["sleep", "1000"])
        ours, theirs = os.openpty()
        os.close(theirs)  # to read the other end fails from now on
        try:
            with pytest.raises(OSError, match="Input/output error"):
                os.read(ours, 1)
            sleeper = subprocess.Popen([lab.record["enter"], "--end-with-stdin", *rest], stdin=ours)
        finally:
            os.close(ours)
        try:
            assert sleeper.wait(10) == -signal.SIGTERM
        finally:
            sleeper.kill()
            sleeper.wait()


@BOTH
def test_the_remote_shell_agent_behaves_as_ssh(user_namespace: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOT_PASSED", "x")
    with running(STAR, user_namespace=user_namespace) as lab:
        line = [str(lab.agent_script), "-x", "h1", "echo $(hostname)", "'a  b'", "[$NOT_PASSED]"]
        assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == "h1 a  b []\n"
        # From inside the lab too, as a launcher on a host calls it.
        assert run(lab, "h2", str(lab.agent_script), "h0", "hostname") == "h0\n"


@BOTH
def test_an_unknown_host_is_told_with_those_that_exist(user_namespace: bool) -> None:
    with running(STAR, user_namespace=user_namespace) as lab:
        with pytest.raises(LabError, match="no host 'h9'"):
            lab.enter_command("h9", ["true"])
        outcome = subprocess.run([lab.directory / "enter", "h9", "true"], capture_output=True, text=True, check=False)
        assert outcome.returncode == 255
        assert 'no host "h9"' in outcome.stderr


@BOTH
def test_down_returns_when_nothing_is_left(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        subprocess.Popen(lab.enter_command("h0", ["setsid", "sleep", "1000"]))
        wait_until(lambda: any("sleep 1000" in line for line in processes(lab)))
        assert lives_in(lab.record["pid_namespace"])
        lab.down()
        assert lives_in(lab.record["pid_namespace"]) == []
        assert not lab.directory.exists()
        with pytest.raises(LabError, match="no lab 'mesh' of yours is running"):
            labs.find_lab("mesh")


@BOTH
def test_killing_the_holder_takes_everything_and_the_next_start_works(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as lab:
        daemon = subprocess.Popen(lab.enter_command("h1", ["sleep", "1000"]))
        wait_until(lambda: any("sleep 1000" in line for line in processes(lab)))
        os.kill(lab.holder.pid, signal.SIGKILL)
        wait_until(lambda: not lives_in(lab.record["pid_namespace"]))
        assert daemon.wait(5) == -signal.SIGKILL
        assert lab.directory.exists()
        refused = subprocess.run([lab.directory / "enter", "h0", "true"], capture_output=True, text=True, check=False)
        assert "has ended" in refused.stderr
        with running(MESH, user_namespace=user_namespace) as again:
            assert run(again, "h0", "hostname") == "h0\n"


@BOTH
def test_labs_run_side_by_side_under_different_names_only(user_namespace: bool) -> None:
    with running(MESH, user_namespace=user_namespace) as one:
        with pytest.raises(LabError, match="lab mesh is already running"):
            labs.up(describe(MESH), user_namespace=user_namespace)
        assert one.is_alive()
        with running(MESH, user_namespace=user_namespace, name="other") as other:
            assert [lab.name for lab in labs.running_labs()] == ["mesh", "other"]
            assert one.record["pid_namespace"] != other.record["pid_namespace"]
        assert run(one, "h0", "hostname") == "h0\n"


@pytest.mark.userns
@pytest.mark.parametrize("delay_s", [0.15, 0.3, 0.45])
def test_ctrl_c_while_starting_leaves_nothing(delay_s: float, tmp_path: Path) -> None:
    before = {path.name for path in Path("/proc").iterdir() if path.name.isdigit()}
    starter = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from fairlead.cli.main import main; main()",
            "lab",
            "up",
            str(EXAMPLES / "mesh64.toml"),
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    time.sleep(delay_s)
    starter.send_signal(signal.SIGINT)
    said, _ = starter.communicate(timeout=60)
    running_now = labs.running_labs()
    for lab in running_now:
        lab.down()  # it was quicker than we
    # The interpreter may be on its way out when the signal comes: what counts is that a lab that stays was announced.
    assert ("cluster file: " in said) == bool(running_now)
    assert not any(state.labs_directory().iterdir())
    holders = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and path.name not in before:
            try:
                command = (path / "cmdline").read_bytes()
                environment = (path / "environ").read_bytes()
            except (OSError, ProcessLookupError):
                continue
            if b"holder.py" in command and str(tmp_path).encode() in environment:
                holders.append(path.name)
    assert holders == []


EXAMPLES = Path(__file__).parents[3] / "examples"
