"""The directories of a job on its hosts, which go with it."""

import logging
import secrets
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import base
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.jobs import preload
from fairlead.errors import HostError

BREAKS = "sleep 0.5"  # as an input: it ends after that
CLUSTER = Cluster("c", "frail", (Host("h0", "127.0.0.1"),))


class Frail(Executor):
    """Runs here; what is to remove a directory fails, or never answers."""

    name = "frail"
    passes_signals = True
    end = "exit 0"

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        keeps = "rm -rf" in argv[2]
        return ["sh", "-c", f"{argv[2]}; {self.end}", *argv[3:]] if keeps else list(argv)

    def rsh_agent(self) -> Path | None:
        return None


@pytest.fixture(autouse=True)
def frail(monkeypatch: pytest.MonkeyPatch) -> type[Frail]:
    monkeypatch.setitem(base.EXECUTORS._things, "frail", Frail)
    monkeypatch.setattr(preload, "REMOVE_TIMEOUT_S", 2.0)  # hosts that answer do so in less, on a busy machine, too
    return Frail


@pytest.fixture
def job_id() -> str:
    """One of nobody else: directories in /dev/shm are called by it, and processes are ended."""
    return secrets.token_hex(4)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("exit 0", []),
        ("echo connection lost >&2; exit 255", ["h0: {path} may not be removed: connection lost"]),
        ("exit 3", ["h0: {path} may not be removed: status 3"]),
        ("exec sleep 1000", ["h0: {path} may not be removed: it does not answer"]),
    ],
)
def test_a_host_that_is_gone_at_the_end_does_not_undo_the_run(
    frail: type[Frail],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    job_id: str,
    end: str,
    said: list[str],
) -> None:
    monkeypatch.setattr(frail, "end", end)
    with caplog.at_level(logging.WARNING), preload.directory(CLUSTER, ["h0"], "test", job_id) as path:
        assert Path(path).is_dir()
    assert not Path(path).exists()
    assert [each.getMessage() for each in caplog.records] == [line.format(path=path) for line in said]


def test_a_directory_that_another_one_made_is_not_used_and_stays(job_id: str, caplog: pytest.LogCaptureFixture) -> None:
    there = Path(f"/dev/shm/fairlead-test-{job_id}")
    there.mkdir()
    try:
        with pytest.raises(HostError, match=r"^h0: no directory for the ranks: mkdir: .* File exists"):
            preload.directory(CLUSTER, ["h0"], "test", job_id).__enter__()
        assert there.is_dir()
    finally:
        there.rmdir()
    assert caplog.records == []


def test_whoever_sees_the_name_of_a_directory_sees_it_made_already(
    frail: type[Frail], monkeypatch: pytest.MonkeyPatch, job_id: str
) -> None:
    """One command a host makes it and keeps it."""
    calls: list[str] = []
    usual = Frail.command
    monkeypatch.setattr(frail, "command", lambda self, host, *rest: calls.append(host) or usual(self, host, *rest))
    cluster = Cluster("c", "frail", (Host("h0", "127.0.0.1"), Host("h1", "127.0.0.2")))
    with (
        pytest.raises(HostError, match=r"^h[01]: no directory"),  # two hosts are one here: one finds it made
        preload.directory(cluster, ["h0", "h1"], "test", job_id),
    ):
        pass
    assert calls == ["h0", "h1"]


def test_what_cannot_be_started_here_is_told_as_an_error_of_the_host(
    monkeypatch: pytest.MonkeyPatch, job_id: str
) -> None:
    """Who asked for a directory that it can do without goes on then."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(HostError, match=r"^h0: could not be asked: this process has too many open files\n.*ulimit -n"):
        preload.directory(CLUSTER, ["h0"], "test", job_id).__enter__()


def test_a_host_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch, job_id: str) -> None:
    monkeypatch.setattr(preload, "MAKE_TIMEOUT_S", 0.2)
    monkeypatch.setattr(preload, "_KEEP", "sleep 1000; rm -rf")
    with pytest.raises(HostError, match=r"^h0: no answer within 0\.2 s"):
        preload.directory(CLUSTER, ["h0"], "test", job_id).__enter__()


def test_hosts_that_do_not_answer_at_the_end_are_waited_for_together(
    frail: type[Frail], monkeypatch: pytest.MonkeyPatch, job_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(frail, "end", "exec sleep 1000")
    usual = Frail.command

    def apart(self: Frail, host: str, argv: Sequence[str], *rest: Any) -> list[str]:
        return usual(self, host, [*argv[:-1], f"{argv[-1]}-{host}"], *rest)  # they are one machine here

    monkeypatch.setattr(frail, "command", apart)
    hosts = [f"h{k}" for k in range(6)]
    cluster = Cluster("c", "frail", tuple(Host(name, f"127.0.0.{k + 1}") for k, name in enumerate(hosts)))
    with preload.directory(cluster, hosts, "test", job_id):
        ends_s = time.monotonic()
    assert time.monotonic() - ends_s < 6.0  # each by itself: 12 s
    assert len([each for each in caplog.records if "it does not answer" in each.getMessage()]) == 6


def test_only_the_host_that_does_not_answer_at_the_end_is_named(
    frail: type[Frail], monkeypatch: pytest.MonkeyPatch, job_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The last one is waited for first, until nobody is waited for any more."""

    def apart(self: Frail, host: str, argv: Sequence[str], *rest: Any) -> list[str]:
        end = "exec sleep 1000" if host == "h2" else "exit 0"
        return ["sh", "-c", f"{argv[2]}; {end}", f"{argv[-1]}-{host}"]

    monkeypatch.setattr(frail, "command", apart)
    hosts = [f"h{k}" for k in range(3)]
    cluster = Cluster("c", "frail", tuple(Host(name, f"127.0.0.{k + 1}") for k, name in enumerate(hosts)))
    with preload.directory(cluster, hosts, "test", job_id) as path:
        pass
    assert [each.getMessage() for each in caplog.records] == [f"h2: {path} may not be removed: it does not answer"]


def test_ctrl_c_waits_for_them_a_moment_only(frail: type[Frail], monkeypatch: pytest.MonkeyPatch, job_id: str) -> None:
    monkeypatch.setattr(frail, "end", "exec sleep 1000")
    monkeypatch.setattr(preload, "REMOVE_TIMEOUT_S", 60.0)
    monkeypatch.setattr(preload, "INTERRUPTED_TIMEOUT_S", 0.2)
    ends_s = 0.0
    with pytest.raises(KeyboardInterrupt), preload.directory(CLUSTER, ["h0"], "test", job_id):
        ends_s = time.monotonic()
        raise KeyboardInterrupt
    assert time.monotonic() - ends_s < 5.0


def test_a_lost_connection_leaves_the_directory_to_the_ranks_until_they_have_ended(
    frail: type[Frail], monkeypatch: pytest.MonkeyPatch, job_id: str
) -> None:
    """What ends here is ssh alone: the keeper on the host sees the end of its input."""
    monkeypatch.setattr(frail, "command", lambda self, host, argv, *rest: ["sh", "-c", f"{BREAKS} | exec {join(argv)}"])
    rank = subprocess.Popen(["sleep", "60"], env={"FAIRLEAD_JOB": job_id})
    try:
        with preload.directory(CLUSTER, ["h0"], "test", job_id) as path:
            time.sleep(1.5)
            assert Path(path).is_dir()
        assert Path(path).is_dir(), "nothing can be told to it any more"
    finally:
        rank.kill()
        rank.wait()
    deadline_s = time.monotonic() + 10
    while Path(path).exists():
        assert time.monotonic() < deadline_s, "it stays"
        time.sleep(0.05)
