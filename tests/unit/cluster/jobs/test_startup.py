"""Looks at a job that starts, which end with the job: the interpreter waits for threads of pools at its own end."""

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.jobs import startup
from fairlead.cluster.jobs.startup import LAST_LOOK_S, POLL_S, StartWatch
from fairlead.cluster.remote.execute import run_on

CLUSTER = Cluster("c", "deaf", (Host("h0", "127.0.0.1"),))


class Deaf(Executor):
    """Hosts that do not answer."""

    name = "deaf"
    passes_signals = True
    shares_files = True

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return ["sleep", "60"]

    def rsh_agent(self) -> Path | None:
        return None


@pytest.mark.parametrize("told_to_end", [False, True])
def test_a_look_at_hosts_that_do_not_answer_ends_with_the_job(
    monkeypatch: pytest.MonkeyPatch, told_to_end: bool
) -> None:
    """At once where somebody wants the end; else they have a moment more to answer."""
    if told_to_end:
        monkeypatch.setattr(startup, "LAST_LOOK_S", 30.0)
    asked: list[str] = []

    def ranks_of(host: str) -> list[int]:
        asked.append(host)
        run_on(Deaf(CLUSTER), host, ["true"])
        return []

    hosts = [f"h{k}" for k in range(100)]  # more than are asked at a time
    job = SimpleNamespace(id="1", ranks_on=lambda: hosts)
    running: Any = SimpleNamespace(job=job, ranks_of=ranks_of, told_to_end=told_to_end)
    before = set(threading.enumerate())
    with StartWatch(running, startup_timeout_s=60.0, timeout_s=None) as watch:
        time.sleep(POLL_S + 0.5)
        assert asked
        ends_s = time.monotonic()
    ended_s = time.monotonic()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert set(threading.enumerate()) - before == set()
    assert time.monotonic() - ended_s < LAST_LOOK_S + 8.0
    assert ended_s - ends_s < 10.0
    assert len(asked) < len(hosts)
    assert watch.failure is None


def test_an_end_that_the_system_does_not_let_happen_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stop() -> None:
        raise OSError(11, "Resource temporarily unavailable")

    unseen: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unseen.append)
    running: Any = SimpleNamespace(
        job=SimpleNamespace(id="0a0b0c0d", ranks_on=lambda: ["h0"]), stop=stop, told_to_end=False
    )
    with StartWatch(running, startup_timeout_s=None, timeout_s=0.0) as watch:
        time.sleep(POLL_S + 0.2)
    assert str(watch.failure) == "the job was not done within 0 s and was ended"
    assert "what job 0a0b0c0d left behind could not be removed: " in caplog.text
    assert unseen == []
