"""What commands on hosts read, and what is heard of them."""

import errno
import os
import subprocess
import threading
import time

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote import execute
from fairlead.errors import HostError

from ... import thread_limit

HERE = executor_of(Cluster("c", "local", (Host("here", "127.0.0.1"),)))


def test_a_command_that_reads_late_gets_all_of_its_input() -> None:
    """Later than it is looked whether the command was given up, and more than a pipe holds."""
    content = b"0123456789abcdef" * (1 << 16)
    reads = ["sh", "-c", f"sleep {3 * execute.LOOK_S}; wc -c"]
    assert execute.run_on(HERE, "here", reads, stdin=content, timeout_s=20.0).split() == [str(len(content))]
    assert execute.run_on(HERE, "here", ["wc", "-c"], timeout_s=20.0).split() == ["0"]


def test_where_few_threads_can_be_started_these_ask_all_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    thread_limit.allow(2, monkeypatch)
    used: set[int] = set()

    def ask(host: str) -> str:
        used.add(threading.get_ident())
        time.sleep(0.01)
        return host.upper()

    assert execute.on_all("abcdef", ask) == dict(zip("abcdef", "ABCDEF", strict=True))
    assert len(used) == 2


def test_where_none_can_be_started_the_limit_is_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    thread_limit.allow(0, monkeypatch)
    calls = execute.Calls()
    with pytest.raises(HostError, match=r"no further thread can be started: the limit.*\n.*ulimit -u"):
        execute.on_all("ab", str.upper, calls=calls)
    assert not calls.given_up


@pytest.mark.parametrize(("number", "way_out"), [(errno.EAGAIN, "ulimit -u"), (errno.EMFILE, "ulimit -n")])
def test_a_process_that_cannot_be_started_here_is_told_with_the_host_and_the_way_out(
    number: int, way_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(HostError, match=f"^here: could not be asked: .*\n.*{way_out}"):
        execute.run_on(HERE, "here", ["true"])
