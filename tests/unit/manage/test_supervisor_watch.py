"""What looks at a run's events may fail; the run goes on, the others are still told, and it is said once."""

import io
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster.jobs.launch import Course
from fairlead.errors import LaunchError, StoreError
from fairlead.manage import live_runs
from fairlead.manage.audience import Audience
from fairlead.manage.narrator import Narrator
from fairlead.manage.supervisor import Outcome, _summary, timed
from fairlead.protocol.messages import AgentEvent

from ..agent_events import event

REROUTED = event("rerouted", relay=2, reason="it is high")


def watch(tmp_path: Path, said: io.StringIO, *sinks: Any) -> Audience:
    names = ["h0", "h1", "h2"]
    state = live_runs.RunState("0a0b0c0d", "c.toml", ["x"], 1, 1, 0.0)
    registration = live_runs.Registration(state, tmp_path)
    return Audience(names, Narrator(names, said), registration, sinks)


def test_a_sink_that_fails_is_told_once_and_the_others_go_on(tmp_path: Path) -> None:
    said, kept = io.StringIO(), list[tuple[int, AgentEvent]]()

    def full(_host: int, _event: AgentEvent) -> None:
        raise StoreError("results.sqlite: database or disk is full")

    watching = watch(tmp_path, said, full, lambda host, event: kept.append((host, event)))
    for _ in range(3):
        watching(0, REROUTED)
    assert kept == [(0, REROUTED)] * 3
    assert watching.reroutes == 3
    assert [str(problem) for problem in watching.problems] == ["results.sqlite: database or disk is full"]
    assert said.getvalue().count("its record has gaps: results.sqlite: database or disk is full") == 1


def test_a_sink_that_does_not_understand_an_event_does_not_keep_it_from_others(tmp_path: Path) -> None:
    said, kept = io.StringIO(), list[AgentEvent]()
    watching = watch(tmp_path, said, lambda host, event: event.nothing, lambda host, event: kept.append(event))
    watching(0, REROUTED)
    watching(0, REROUTED)
    assert kept == [REROUTED] * 2
    assert said.getvalue().count("its record has gaps: AttributeError(") == 1


def test_what_a_dead_agent_said_of_its_paths_is_over(tmp_path: Path) -> None:
    watching = watch(tmp_path, io.StringIO())
    for host in (0, 2):
        watching(host, replace(REROUTED, source=host))
        watching(host, event("level_changed", source=host, congestion_level="high", queue_delay_s=0.1))
    watching(0, event("died", reason="killed"))
    assert watching._registration.state.detours == {"h2→h1": "h2"}
    assert watching._registration.state.levels == {"h2→h1": "high"}


def test_a_registry_that_cannot_be_written_harms_nothing_else(tmp_path: Path) -> None:
    kept = list[AgentEvent]()
    watching = watch(tmp_path / "missing", io.StringIO(), lambda host, event: kept.append(event))
    watching(0, REROUTED)
    assert kept == [REROUTED]
    assert [type(problem) for problem in watching.problems] == [FileNotFoundError]


def test_a_terminal_that_is_gone_harms_nothing_else(tmp_path: Path) -> None:
    class Gone(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    kept = list[AgentEvent]()
    watching = watch(tmp_path, Gone(), lambda host, event: kept.append(event))
    watching(0, REROUTED)
    assert kept == [REROUTED]
    assert watching.problems == []


def test_tidying_up_after_a_program_is_not_its_time() -> None:
    def launch(course: Course) -> int:
        course.started()
        course.ended()
        time.sleep(1.5)  # a host that does not answer
        return 3

    begins_s: list[float] = []
    outcome = timed(launch, begins_s.append)
    assert outcome.exit_code == 3
    assert begins_s == [outcome.started_s]  # lines and reports count from the same moment
    assert outcome.time_s < 1.2


def test_what_is_set_up_beside_a_program_is_not_its_time() -> None:
    def launch(course: Course) -> int:
        time.sleep(1.5)  # until cross-traffic flows
        course.ready()
        course.started()
        course.ended()
        return 0

    begins_s: list[float] = []
    before_s = time.time()
    outcome = timed(launch, begins_s.append)
    assert outcome.time_s < 1.2
    assert begins_s == [outcome.started_s]
    assert outcome.started_s - before_s >= 1.5


def test_a_program_that_cannot_be_started_is_not_said_to_be() -> None:
    def refuse(_course: Course) -> int:
        raise LaunchError("mpirun could not be started")

    begins_s: list[float] = []
    with pytest.raises(LaunchError):
        timed(refuse, begins_s.append)
    assert begins_s == []


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome(0, 12.834, 0.0, reroutes=8), "program ended after 12.83 s; 8 reroutes"),
        (Outcome(3, 1.0, 0.0), "program ended with exit code 3 after 1.00 s; no reroutes"),
        (Outcome(130, 1.0, 0.0, reroutes=1, migrations=2, relayed=1),
         "program ended with exit code 130 (SIGINT) after 1.00 s; 1 reroute, 2 migrations, 1 message relayed"),
    ],
)  # fmt: skip
def test_the_last_line_has_the_exit_code_of_the_command(outcome: Outcome, told: str) -> None:
    assert _summary(outcome) == told
