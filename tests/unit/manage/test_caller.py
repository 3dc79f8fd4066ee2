"""What starts a supervised program, behind descriptors."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead.manage.caller import Caller, exit_code

# A process of its own: it becomes a session's leader.
CALLED = """
import os
from fairlead.manage.caller import Caller
caller = Caller.on_standard_streams()
print("for people")
caller.begin({"A": "1", "B": "x=y"})
print(caller.began, caller.wait(), os.getsid(0) == os.getpid())
"""


# As `fairlead supervise`, whose first files are the results' lock and its database.
SIGNALLED = """
import os, signal, sys
from fairlead import interrupts
from fairlead.manage.caller import Caller
interrupts.become_exceptions()
Caller.on_standard_streams()
files = [os.open(sys.argv[1], os.O_RDWR) for _ in range(8)]
try:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
except interrupts.Interrupted as error:
    print(error)
"""


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_signal_is_written_into_no_file_that_was_opened_later(others: int, tmp_path: Path) -> None:
    """``others``: descriptors that the caller leaves open."""
    file = tmp_path / "results.sqlite"
    file.write_bytes(b"SQLite format 3")
    inherited = [os.open("/dev/null", os.O_RDONLY) for _ in range(others)]
    command = [sys.executable, "-c", SIGNALLED, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, pass_fds=inherited, timeout=30)
    for descriptor in inherited:
        os.close(descriptor)
    assert done.stderr == "SIGTERM\n"
    assert file.read_bytes() == b"SQLite format 3"


@pytest.mark.parametrize(
    ("said", "code"),
    [("exit 0\n", 0), ("exit 137\n", 137), ("hello\nexit 3\n", 3), ("", None), ("exit\n", None), ("exit -1\n", None)],
)
def test_the_programs_exit_code(said: str, code: int | None) -> None:
    assert exit_code(said) == code


def test_orders_go_to_the_caller_and_all_else_to_people() -> None:
    done = subprocess.run([sys.executable, "-c", CALLED], input="exit 3\n", capture_output=True, text=True, check=True)
    assert done.stdout == "set A=1\nset B=x=y\nready\n"
    assert done.stderr.splitlines() == ["for people", "True 3 True"]


def test_a_caller_that_is_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", CALLED], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, check=True
    )
    os.close(writer)
    assert done.stderr.splitlines() == [b"for people", b"True None True"]


@pytest.mark.parametrize(("said", "code"), [(b"", None), (b"exit 3\n", 3)])
def test_a_caller_that_is_killed_before_it_reads_is_gone_like_any_other(said: bytes, code: int | None) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        ours.sendall(b"ready\n")
        theirs.sendall(said)
        theirs.close()  # with something unread: the kernel resets the connection
        assert Caller(ours.fileno(), ours.fileno()).wait() == code
