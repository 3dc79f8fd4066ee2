"""The target's end of a migration's copy: it confirms rounds, and ends with whoever copies."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fairlead.lab.migration

SINK = Path(fairlead.lab.migration.__file__).with_name("sink.py")
LIMIT_S = 20.0


@contextmanager
def copying() -> Iterator[tuple["subprocess.Popen[bytes]", socket.socket]]:
    """A sink, and a connection to it."""
    command = [sys.executable, "-I", "-S", str(SINK), "127.0.0.1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            with socket.create_connection(("127.0.0.1", int(process.stdout.readline())), LIMIT_S) as connection:
                yield process, connection
        finally:
            process.kill()


def copy(connection: socket.socket, size_B: int) -> bytes:
    connection.sendall(size_B.to_bytes(8, "big") + bytes(size_B))
    return connection.recv(8)


def test_each_round_is_confirmed_once_it_has_arrived() -> None:
    with copying() as (_, connection):
        assert [copy(connection, size_B) for size_B in (1, 1 << 20, 3)] == [b"+", b"+", b"+"]


def test_it_ends_with_its_input_while_the_connection_seems_to_live() -> None:
    """A reset that the network loses leaves the connection open here; it once held a run's stderr for ever."""
    with copying() as (process, connection):
        assert copy(connection, 1 << 20) == b"+"
        connection.sendall((1 << 20).to_bytes(8, "big"))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(LIMIT_S) == 0


def test_it_ends_with_the_connection() -> None:
    with copying() as (process, connection):
        assert copy(connection, 3) == b"+"
        connection.close()
        assert process.wait(LIMIT_S) == 0
