"""What fails after a program has ended is said and kept; the program's exit code stands."""

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.cluster.remote.end_limit import EndLimit
from fairlead.errors import AgentError
from fairlead.interrupts import Interrupted
from fairlead.manage import live_runs, supervisor
from fairlead.manage.components import STAGES
from fairlead.manage.management import Management, OtherPlaneError
from fairlead.manage.supervisor import Outcome
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

READY = SimpleNamespace(plane="none", plane_reason="it may not", low_port=None)


class FakeAgents:
    """Agents that say things from other threads, and end as they are told to."""

    error: BaseException | None = None

    def __init__(self, _make_group: Any, told: Any, _limit: EndLimit) -> None:
        self._told = told
        self.group = SimpleNamespace(ready=[READY, READY])

    def __enter__(self) -> "FakeAgents":
        return self

    def renew(self, host: int, why: str) -> None: ...

    def begin_stop(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        self._told.put(1, event("rerouted", relay=0, reason="it is high"))
        self._told.drain()
        if self.error is not None:
            raise self.error


@pytest.fixture(autouse=True)
def _no_hosts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(supervisor, "AgentThread", FakeAgents)
    monkeypatch.setattr(supervisor, "check_versions", lambda *_: None)
    monkeypatch.setattr(supervisor, "check_interfaces", lambda *_: None)
    monkeypatch.setattr(supervisor, "check_reachable", lambda *_: None)
    monkeypatch.setattr(live_runs, "_directory", lambda: tmp_path)
    monkeypatch.setattr(FakeAgents, "error", None)


def supervised(
    sinks: list[Callable[[int, AgentEvent], None]], mover: Any = None, stage: str = "detours", **more: Any
) -> Outcome:
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(2))
    management = Management(STAGES[stage], {}, HostBinaries("/agent", ("/guardian",)), mover=mover, **more)
    cluster = Cluster("c", "local", hosts, source="c.toml")
    return supervisor.supervise(cluster, management, lambda _course: 0, argv=["x"], sinks=sinks)


def test_agents_that_do_not_end_in_order_do_not_replace_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FakeAgents, "error", AgentError("the agents could not be stopped cleanly: h1 hangs"))
    outcome = supervised([])
    assert (outcome.exit_code, outcome.reroutes) == (0, 1)
    assert [str(problem) for problem in outcome.problems] == ["the agents could not be stopped cleanly: h1 hangs"]
    said = capsys.readouterr().err
    assert "the program has ended, but cleaning up after it failed: the agents could not be stopped cleanly" in said
    assert "program ended after" in said


def test_nor_does_a_signal_while_they_end(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(FakeAgents, "error", Interrupted(signal.SIGTERM))
    outcome = supervised([])
    assert outcome.exit_code == 0
    assert [type(problem) for problem in outcome.problems] == [Interrupted]
    assert "SIGTERM cut it short; `fairlead clean` removes what is left" in capsys.readouterr().err


def test_a_note_that_cannot_be_removed_does_not_replace_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/tmp/runs/0a.json")

    monkeypatch.setattr(live_runs.Registration, "__exit__", refuse)
    outcome = supervised([])
    assert outcome.exit_code == 0
    assert "/tmp/runs/0a.json: you have no permission" in capsys.readouterr().err


@pytest.mark.parametrize("wanted", [False, True])
def test_where_somebody_wants_the_end_agents_stop_before_who_asks_them_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    """What asks one that is cut off would wait for its answer otherwise."""
    order: list[str] = []

    class Mover:
        def __init__(self, *_: Any) -> None: ...

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None:
            order.append("waited for")

        def __call__(self, *_: object) -> None: ...

    def launch(_course: Any) -> int:
        if wanted:
            limit.begin(1.0)
        return 0

    limit = EndLimit()
    monkeypatch.setattr(FakeAgents, "begin_stop", lambda agents: order.append("stop"))
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(2))
    mover: Any = Mover
    management = Management(STAGES["detection"], {}, HostBinaries("/agent", ("/guardian",)), mover=mover)
    supervisor.supervise(Cluster("c", "local", hosts, source="c.toml"), management, launch, argv=["x"], limit=limit)
    assert order == (["stop", "waited for"] if wanted else ["waited for"])


def test_a_host_that_the_end_has_given_up_is_not_cleaned_and_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(agents: FakeAgents) -> FakeAgents:
        agents._told.put(1, event("died", reason="silent"))
        return agents

    def launch(_course: Any) -> int:
        limit.begin(1.0)
        limit.give_up("h1", "its ranks")
        return 0

    limit = EndLimit()
    looked: list[str] = []
    monkeypatch.setattr(FakeAgents, "__enter__", die)
    monkeypatch.setattr(supervisor, "clean_host", lambda *_, **__: pytest.fail("it was asked again"))
    hosts = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(2))
    management = Management(STAGES["detours"], {}, HostBinaries("/agent", ("/guardian",)))
    cluster = Cluster("c", "local", hosts, source="c.toml")

    def look(_host: int, said: AgentEvent) -> None:
        looked.append(said.TYPE)

    supervisor.supervise(cluster, management, launch, argv=["x"], sinks=[look], limit=limit)
    assert limit.words() == [
        "h1: does not answer, and is not waited for any more: its ranks; what its guardian left in the kernel stays "
        "until `fairlead clean`"
    ]
    assert "error" not in looked


def test_what_fails_before_the_program_ends_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise AgentError("h1 is not reached")

    monkeypatch.setattr(supervisor, "check_reachable", unreachable)
    with pytest.raises(AgentError, match="h1 is not reached"):
        supervised([])


def test_a_plane_that_is_decided_by_the_first_answers_takes_no_other_agents(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []

    def decide(ready: Any) -> Management:
        assert ready == [READY, READY]
        return Management(STAGES["detours"], {}, HostBinaries("/agent", ("/guardian",)), remarks=["plane: route"])

    supervised([lambda _host, said: told.append(said.TYPE)], decide=decide)
    assert "rerouted" in told
    assert "plane: route" in capsys.readouterr().err


def test_agents_of_another_plane_are_of_no_run() -> None:
    told: list[str] = []
    relay = Management(STAGES["detours"], {}, HostBinaries("/agent", ("/guardian",)), plane="relay")
    with pytest.raises(OtherPlaneError) as raised:
        supervised([lambda _host, said: told.append(said.TYPE)], decide=lambda ready: relay)
    assert raised.value.management is relay
    assert told == []


def test_whoever_reports_an_event_it_is_looked_at_in_the_events_thread() -> None:
    looked: list[tuple[str, str]] = []

    class Mover:
        """Says something from a thread of its own, as `migration.Mover` does."""

        def __init__(self, _names: Any, report: Any, *_: Any) -> None:
            self._thread = threading.Thread(target=report, args=(0, event("died", reason="rerouted away")))

        def __enter__(self) -> None:
            self._thread.start()

        def __exit__(self, *_: object) -> None:
            self._thread.join()

        def __call__(self, *_: object) -> None: ...

    def look(_host: int, said: AgentEvent) -> None:
        looked.append((said.TYPE, threading.current_thread().name))

    supervised([look], Mover)
    # Hosts without a plane are told by the main thread, the mover has its own, and so has what cleans up after it.
    assert {thread for _, thread in looked} == {"events"}
    assert [kind for kind, _ in looked][:4] == ["plane", "plane", "died", "rerouted"]


@pytest.mark.parametrize(
    ("stage", "plane", "guardians"),
    [("detours", "route", True), ("detours", "relay", False), ("detection", "route", False)],
)
def test_after_an_agents_death_hosts_are_cleaned_only_where_there_are_guardians(
    monkeypatch: pytest.MonkeyPatch, stage: str, plane: str, guardians: bool
) -> None:
    cleaned: list[str] = []
    noted: list[bool] = []

    def clean_host(_cluster: Cluster, host: str, _guardian: Any, **_: Any) -> list[Any]:
        cleaned.append(host)
        return []

    def die(agents: FakeAgents) -> FakeAgents:
        agents._told.put(1, event("died", reason="killed"))
        noted.extend(run.guardians for run in live_runs.look().runs)
        return agents

    monkeypatch.setattr(supervisor, "clean_host", clean_host)
    monkeypatch.setattr(FakeAgents, "__enter__", die)
    assert supervised([], stage=stage, plane=plane).exit_code == 0
    assert cleaned == (["h1"] if guardians else [])
    assert noted == [guardians]


def test_a_host_of_another_version_keeps_the_program_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(cluster: Cluster, ready: list[Any]) -> None:
        raise AgentError(f"{cluster.source}: fairlead is of version 0.0.9 on h1, of {len(ready)}")

    monkeypatch.setattr(supervisor, "check_versions", check)
    with pytest.raises(AgentError, match=r"version 0\.0\.9 on h1, of 2"):
        supervised([])
