"""What is kept of a trial whose management had problems."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.jobs.launch import Course
from fairlead.errors import AgentError, StoreError
from fairlead.experiment.factors.congestion import Episode
from fairlead.experiment.running import trial
from fairlead.experiment.running.congestion_schedule import CongestionSchedule
from fairlead.manage.supervisor import Outcome
from fairlead.store import Event

CLUSTER = Cluster("c", "local", (Host("h0", "10.0.0.1"), Host("h1", "10.0.0.2")))


@contextmanager
def as_it_is(_cluster: Any, job: Any, management: Any) -> Iterator[tuple[Any, Any]]:
    yield job, management


def events_after(monkeypatch: pytest.MonkeyPatch, *problems: Exception) -> list[Event]:
    """What is recorded of a row when these were the problems of its supervision."""
    monkeypatch.setattr(trial, "joined", as_it_is)
    monkeypatch.setattr(trial, "supervise", lambda *_, **__: Outcome(0, 1.0, 0.0, problems=list(problems)))
    management: Any = SimpleNamespace(plane="route")
    job: Any = SimpleNamespace(argv=["x"])
    row = trial.Trial(CLUSTER, CLUSTER, launcher=None, job=job, timeout_s=1.0, management=management)
    said: list[Event] = []
    assert trial._supervised(row, lambda *_: 0, said).exit_code == 0
    return said


def test_problems_are_events_of_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    said = events_after(
        monkeypatch, AgentError("h1 hangs", hint="end it"), PermissionError(13, "Permission denied", "/run/x.json")
    )
    assert [each.kind for each in said] == ["problem"] * 2
    assert said[0].data == {"reason": "h1 hangs\n  end it"}
    assert said[1].data["reason"].startswith("/run/x.json: you have no permission")


def test_a_programs_time_begins_when_the_congestion_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    class Traffic:
        def check(self) -> None: ...

    @contextmanager
    def congest(_bottleneck: int) -> Iterator[Traffic]:
        order.append("traffic flows")
        yield Traffic()

    def launched(*_: Any, **__: Any) -> int:
        order.append("launched")
        return 0

    monkeypatch.setattr("fairlead.cluster.jobs.launch.run", launched)
    job: Any = SimpleNamespace(argv=["x"])
    row = trial.Trial(CLUSTER, CLUSTER, launcher=None, job=job, timeout_s=1.0)
    schedule = CongestionSchedule([Episode(0.0, 0)], congest)
    course = Course(ready=lambda: order.append("its time begins"))
    assert trial._launched(row, 1, None, schedule, lambda: None, job, course) == 0
    assert order == ["traffic flows", "its time begins", "launched"]


def test_a_row_without_its_events_is_no_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError):
        events_after(monkeypatch, StoreError("full"), KeyError("a mistake of ours"))
