"""Checks of reroutes beside a program whose traffic is simulated: what is asked of agents, and when."""

import threading
import time
from collections.abc import Callable

import pytest

from fairlead.errors import AgentError
from fairlead.manage.benefit import check, judgement
from fairlead.manage.benefit.check import BenefitCheck
from fairlead.protocol import answers, commands, events
from fairlead.protocol.enums import BenefitAction
from fairlead.protocol.messages import AgentEvent

from ...agent_events import event

HOSTS = 3
BPS = 8e6


class Job:
    """Agents of a program whose traffic moves at one rate with reroutes and at another without."""

    def __init__(self, slowed: float, dead: int | None = None) -> None:
        self.slowed = slowed  # rate without reroutes, by that with them
        self.dead = dead
        self.detours = 2
        self.pauses: list[tuple[float, tuple[int, ...]]] = []
        self.stopped = False
        self.lock = threading.Lock()
        self._paused_until_s = self._since_s = time.monotonic()
        self._sent_B = 0.0

    @property
    def paused(self) -> bool:
        return time.monotonic() < self._paused_until_s

    def _advance(self) -> None:
        now_s = time.monotonic()
        begin_s, self._since_s = self._since_s, now_s
        paused_s = max(0.0, min(now_s, self._paused_until_s) - begin_s)
        self._sent_B += BPS / 8 * (now_s - begin_s - paused_s + self.slowed * paused_s)

    def command_each(self, asked, timeout_s):
        if self.stopped:
            raise AgentError("the agents were stopped")
        with self.lock:
            self._advance()
            first = next(iter(asked.values()))
            if isinstance(first, commands.Pause):
                self._paused_until_s = time.monotonic() + first.for_s
                self.pauses.append((first.for_s, tuple(asked)))
                return {host: answers.Done() for host in asked}
            detours = 0 if self.paused else self.detours
            found = {host: answers.Progress(delivered_B=int(self._sent_B), detours=detours) for host in asked}
            if self.dead is not None:
                found[self.dead] = AgentError("it died")
            return found


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """Times are a twentieth of what they are; windows are longer: on a busy machine a look may be late by 50 ms."""
    for name in ("FIRST_S", "SETTLE_S", "RETURN_S"):
        monkeypatch.setattr(check, name, getattr(check, name) / 100)
    monkeypatch.setattr(judgement, "WINDOW_S", 0.3)
    for name in ("WAIT_S", "SUSPENDED_S"):
        monkeypatch.setattr(judgement, name, getattr(judgement, name) / 20)


def rerouted(manual: bool = False) -> AgentEvent:
    return event("rerouted", relay=2, manual=manual)


def until(holds: Callable[[], bool], limit_s: float = 60.0) -> None:
    deadline_s = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def actions(said: list[events.Benefit[int]]) -> list[BenefitAction]:
    return [each.action for each in said]


def test_reroutes_that_pay_are_compared_and_go_on(monkeypatch):
    monkeypatch.setattr(judgement, "WAIT_S", 30.0)  # no second one before the first is looked at
    said: list[events.Benefit[int]] = []
    job = Job(slowed=0.5)
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        until(lambda: len(said) == 1)
        assert not job.paused
    (found,) = said
    assert found.action == BenefitAction.COMPARED
    assert found.ratio == pytest.approx(2.0, rel=0.25)
    assert found.with_bps == pytest.approx(HOSTS * BPS, rel=0.25)
    assert (found.comparisons, found.low, found.high) == (1, None, None)
    assert (
        checks.summary()
        == f"with reroutes the program's traffic moved {found.ratio:.2f} times as fast as without (1 comparison)"
    )
    assert [for_s > 0.0 for for_s, _ in job.pauses] == [True, False]
    assert all(hosts == (0, 1, 2) for _, hosts in job.pauses)


def test_reroutes_that_harm_are_suspended_and_tried_again():
    said: list[events.Benefit[int]] = []
    job = Job(slowed=1.3)
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        until(lambda: BenefitAction.SUSPENDED in actions(said))
        assert job.paused
        checks(1, events.Restarted(t_s=None, attempt=1, plane=None, plane_reason=None))
        until(lambda: BenefitAction.RESUMED in actions(said))
    suspended = actions(said).index(BenefitAction.SUSPENDED)
    assert suspended >= judgement.FEWEST
    assert said[suspended].reason.startswith("reroutes slow the program, so there are none for 3 s: with reroutes ")
    assert said[suspended - 1].high is not None and said[suspended - 1].high < 1.0
    told_again = [pause for pause in job.pauses if pause[1] == (1,)]
    assert len(told_again) == 1 and 0.0 < told_again[0][0] <= 3.0


def test_nothing_is_paused_where_nothing_is_rerouted_but_by_hand():
    job = Job(slowed=1.0)
    with BenefitCheck(job, HOSTS, lambda *_: None) as checks:
        checks(0, rerouted(manual=True))
        time.sleep(0.5)
    assert job.pauses == []
    assert checks.summary() is None


def test_comparisons_rest_while_nothing_is_rerouted_and_do_not_begin_with_the_congestion():
    said: list[events.Benefit[int]] = []
    job = Job(slowed=1.0)
    job.detours = 0  # each ends before it is looked for
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        until(lambda: len(said) == 1)
        time.sleep(2.5 * judgement.WAIT_S)
        checks(0, event("rerouted", relay=2, again=True))
        assert len(job.pauses) == 2
        begin_s = time.monotonic()
        checks(0, rerouted())
        until(lambda: len(job.pauses) >= 3)
        assert time.monotonic() - begin_s >= 0.7 * judgement.WAIT_S


def test_a_comparison_with_an_agent_missing_is_none_and_the_pause_ends():
    said: list[events.Benefit[int]] = []
    job = Job(slowed=0.5)
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        until(lambda: len(job.pauses) >= 1)
        job.dead = 2
        until(lambda: len(job.pauses) >= 2)
        time.sleep(0.2)
    assert said == [] and job.pauses[-1][0] == 0.0


def test_an_agent_that_is_back_is_compared_though_no_pair_was_rerouted_since():
    said: list[events.Benefit[int]] = []
    job = Job(slowed=0.5, dead=2)
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        time.sleep(2.5 * judgement.WAIT_S)
        assert job.pauses == []
        job.dead = None
        until(lambda: len(said) == 1)


def test_a_program_that_stands_still_without_reroutes_is_not_paused_again_soon():
    said: list[events.Benefit[int]] = []
    job = Job(slowed=0.0)
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        until(lambda: len(job.pauses) >= 2)
        time.sleep(3 * judgement.WAIT_S)
    assert len(job.pauses) == 2
    assert said == []


def test_the_end_of_the_program_ends_a_pause_at_once_and_counts_for_nothing():
    said: list[events.Benefit[int]] = []
    job = Job(slowed=0.5)
    with BenefitCheck(job, HOSTS, lambda _, told: said.append(told)) as checks:
        checks(0, rerouted())
        until(lambda: len(job.pauses) >= 1)
        begin_s = time.monotonic()
    assert time.monotonic() - begin_s < 5
    assert said == [] and job.pauses[-1][0] == 0.0


def test_agents_that_were_stopped_end_the_checks():
    job = Job(slowed=0.5)
    with BenefitCheck(job, HOSTS, lambda *_: None) as checks:
        checks(0, rerouted())
        until(lambda: len(job.pauses) >= 1)
        job.stopped = True
        until(lambda: not checks._thread.is_alive())
