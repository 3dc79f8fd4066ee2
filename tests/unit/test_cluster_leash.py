"""What is on a leash ends with who holds it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fairlead.cluster.leash import Leash

LOOPS = ["sh", "-c", "trap 'echo ended; exit 3' TERM; echo begun; while :; do sleep 0.05; done"]
HOLDER = """
import subprocess, time
from fairlead.cluster.leash import Leash
leash = Leash()
subprocess.Popen(leash.command(["sh", "-c", "echo $$; exec sleep 1000"]), stdin=leash.stdin)
time.sleep(1000)
"""


def test_what_runs_is_ended_when_it_is_let_go() -> None:
    with Leash() as leash:
        process = subprocess.Popen(leash.command(LOOPS), stdin=leash.stdin, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
    assert process.communicate(timeout=10) == ("ended\n", None)
    assert process.returncode == 3


@pytest.mark.parametrize("code", [0, 7])
def test_what_ends_by_itself_has_its_own_exit_code_and_leaves_nothing_open(code: int) -> None:
    with Leash() as leash:
        command = leash.command(["sh", "-c", f"cat; echo said; exit {code}"])
        done = subprocess.run(command, stdin=leash.stdin, stdout=subprocess.PIPE, timeout=10, check=False)
    assert (done.stdout, done.returncode) == (b"said\n", code)


def test_it_ends_also_when_its_starter_is_killed() -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
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
